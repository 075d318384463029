import type { z } from "@hono/zod-openapi";
import { ApiError } from "../../../server/errors/errors.ts";
import type { Ctx } from "../../../server/http/context.ts";
import {
  findWares,
  isGivenUp,
  type Market,
  priceTermsOf,
  readChainPrices,
  releasedFor,
  type Ware,
} from "../../resolution/resolvePrices.ts";
import { neverRegistered } from "../../rules/availability.ts";
import { type Refusal, refusalOfRegistration, refusalOfRenewal } from "../../rules/offers.ts";
import { priceOf } from "../../rules/pricing.ts";
import { DAY } from "../../rules/seconds.ts";
import type { namePrice } from "../../schemas/answers.ts";
import type { ParsedName } from "../../schemas/input.ts";
import { chainOf, toDomainItem } from "../../serializers/toDomain.ts";
import { toFeedPrice, toOffer, toPrice } from "../../serializers/toPrice.ts";

type NamePrice = z.infer<typeof namePrice>;

/** The price of a name, or why it could not be determined. */
export type Quoted = NamePrice | ApiError;

type Asked = { names: readonly ParsedName[]; years: readonly number[] };

/** Prices of names, in their order. The sellers on a chain are read once for all names. */
export async function quoteNames(ctx: Ctx, { names, years }: Asked): Promise<Quoted[]> {
  const wares = await findWares(ctx, names);
  const chainIds = [...new Set(wares.flatMap(({ market }) => market?.chainId ?? []))];
  const read = await Promise.all(chainIds.map((id) => readChainPrices(ctx, id)));
  const byChain = new Map(chainIds.map((id, i) => [id, read[i] as ChainPrices | ApiError]));
  const main = chainIds.some((id) => id !== ctx.contracts.chainId)
    ? (byChain.get(ctx.contracts.chainId) ?? (await readChainPrices(ctx, ctx.contracts.chainId)))
    : undefined;
  return wares.map((ware) => {
    const { market } = ware;
    if (market === null) return withoutPrice(ware, ctx);
    const prices = byChain.get(market.chainId) as ChainPrices | ApiError;
    if (prices instanceof ApiError) return prices;
    return quote({ ware, market, years, ctx, prices, main: main instanceof ApiError ? undefined : main });
  });
}

type ChainPrices = Exclude<Awaited<ReturnType<typeof readChainPrices>>, ApiError>;

type Quote = {
  ware: Ware;
  market: Market;
  years: readonly number[];
  ctx: Ctx;
  prices: ChainPrices;
  /** For a name on a layer 2: that of the main chain. */
  main: ChainPrices | undefined;
};

/** What follows from the state of a name alone, at a time. */
function ofState({ name, state, market }: Ware, { contracts, now }: Pick<Ctx, "contracts" | "now">) {
  const item = state && toDomainItem(state, { contracts, now });
  return {
    domain: item?.name ?? name.name,
    ...chainOf(market?.chainId ?? state?.chainId ?? contracts.chainId, contracts),
    availability_status:
      item?.availability_status ?? (market === null ? "unknown" : neverRegistered(market.length)),
    expiry_timestamp: item?.expiry_timestamp ?? null,
    length: market?.length ?? null,
  } as const;
}

const withoutPrice = (ware: Ware, ctx: Ctx): NamePrice => ({
  ...ofState(ware, ctx),
  registration: null,
  registration_refusal: ware.refusal,
  renewal: null,
  renewal_refusal: ware.refusal,
  usd_per_ether: null,
  price_block: null,
});

function quote(asked: Quote): Quoted {
  const { ware, market, prices, ctx } = asked;
  const { timestamp, number } = prices.block;
  const state = ofState(ware, { contracts: ctx.contracts, now: timestamp });
  const { availability_status: availability } = state;
  const offered = { availability, length: market.length, isGivenUp: isGivenUp(ware) };
  const rate = rateOf(asked);
  try {
    const registration = offerOf(asked, {
      refusal: refusalOfRegistration(offered),
      role: market.sells,
      released: releasedFor(ware, { timestamp, ctx }),
    });
    const renewal = offerOf(asked, {
      refusal: refusalOfRenewal(offered),
      role: market.renews,
      released: null,
    });
    return {
      ...state,
      registration: registration.offer,
      registration_refusal: registration.refusal,
      renewal: renewal.offer,
      renewal_refusal: renewal.refusal,
      usd_per_ether: rate && {
        value: toFeedPrice(rate.usdPerEther),
        chain_id: rate.of.chainId,
        block_number: rate.of.block.number,
      },
      price_block: { chain_id: prices.chainId, block_number: number, block_timestamp: timestamp },
    };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The price of ether: the oracle's own, or the main chain's. */
function rateOf({ prices, main = prices }: Quote): { usdPerEther: bigint; of: ChainPrices } | null {
  const of = [prices, main].find(({ controller }) => controller?.terms?.in === "usd");
  const terms = of?.controller?.terms;
  return of !== undefined && terms?.in === "usd" ? { usdPerEther: terms.usdPerEther, of } : null;
}

/** `released`: for a registration, since when the name has been available again; null for a renewal. */
type Side = { refusal: Refusal | null; role: Market["sells"]; released: bigint | null };

/** The cost of a registration or renewal. @throws ApiError if the kind of oracle is unknown */
function offerOf(asked: Quote, { refusal, role, released }: Side) {
  const { market, years, ctx, prices } = asked;
  const seller = prices[role];
  if (refusal !== null || seller === null) return { offer: null, refusal: refusal ?? ("closed" as const) };
  const terms = priceTermsOf(seller);
  const rate = rateOf(asked);
  const written = years.map((count) => {
    const duration = count * 365 * DAY;
    const priced = priceOf(terms, { length: market.length, duration: BigInt(duration), released });
    const units = { usdPerEther: rate?.usdPerEther ?? null, contracts: ctx.contracts };
    return toPrice({ years: count, duration }, priced, units);
  });
  return { offer: toOffer(seller, written), refusal: null };
}
