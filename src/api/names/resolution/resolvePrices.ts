import { managedNames, tokenNames } from "../../../ens/managedNames.ts";
import { codePoints, ETH_NODE } from "../../../ens/name.ts";
import { GRACE_PERIOD } from "../../../ens/wrapper.ts";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { listProgress } from "../../server/indexState/progress.ts";
import type { Block } from "../../server/serviceDb/liveAnswers.ts";
import type { ChainPrices, Seller } from "../live/prices/priceTerms.ts";
import type { Refusal } from "../rules/offers.ts";
import type { PriceTerms } from "../rules/pricing.ts";
import { type ParsedName, UNKNOWN_LABEL } from "../schemas/input.ts";
import { failureOrThrow, toApiError } from "./chain.ts";
import { decide } from "./decision.ts";
import { type DomainState, nameFields } from "./domainState.ts";
import { readPhases } from "./ensv2/readEnsv2.ts";
import { type NameFacts, readFacts } from "./nameFacts.ts";

/** A name to price: its known state, and where it is sold or why it is not. */
export type Ware = {
  name: ParsedName;
  state: DomainState | null;
  market: Market | null;
  /** Why no contract sells the name; null if one does. */
  refusal: Refusal | null;
};

/** Where a name is sold. */
export type Market = {
  chainId: number;
  label: string;
  /** Characters, as counted by the oracles. */
  length: number;
  /** The contract that sells the name, and the one that renews it. */
  sells: Role;
  renews: Role;
};

type Role = "controller" | "registrar" | "renewer";

/** Finds where names are sold, in their order. Does not read the chain. */
export async function findWares(ctx: Ctx, names: readonly ParsedName[]): Promise<Ware[]> {
  const [facts, phases] = await Promise.all([readFacts(ctx, names), readPhases(ctx)]);
  return facts.map((one, i) => toWare(names[i] as ParsedName, { facts: one, ctx, phases }));
}

type WareFacts = { facts: NameFacts; ctx: Ctx; phases: ReadonlySet<string> };

function toWare(name: ParsedName, { facts, ctx, phases }: WareFacts): Ware {
  const state = facts.indexed?.state ?? null;
  const unsold = (refusal: Refusal): Ware => ({ name, state, market: null, refusal });
  const chainId = chainOf(nameFields(state ?? name), { facts, ctx });
  if (typeof chainId === "string") return unsold(chainId);
  const label = textOf(state?.label, name.label);
  if (label === null) return unsold("label_unknown");
  const roles = rolesOf(state, { isMain: chainId === ctx.contracts.chainId, phases });
  return { name, state, market: { chainId, label, length: codePoints(label), ...roles }, refusal: null };
}

/** The chain whose registrar has a name, or why none does. */
function chainOf(
  { fullName, parentNode }: Pick<DomainState, "fullName" | "parentNode">,
  { facts, ctx }: Pick<WareFacts, "facts" | "ctx">,
): number | Refusal {
  const { contracts } = ctx;
  if (parentNode === ETH_NODE) return contracts.chainId;
  const managed = managedNames.filter(({ node }) => node === parentNode);
  const indexed = contracts.managed.find(({ node }) => node === parentNode);
  const isTheirs =
    facts.indexed === null
      ? decide(facts, contracts).kind === "unregistered"
      : facts.indexed.state.chainId === indexed?.chainId;
  if (indexed?.keeper === "registrar" && isTheirs) return indexed.chainId;
  if (managed.length > 0 && indexed === undefined) return "chain_not_indexed";
  if (tokenNames.some(({ node }) => node === parentNode)) return "not_sold";
  if (parentNode === null) return fullName.startsWith("[") ? "label_unknown" : "not_sold";
  return fullName.split(".").length < 3 ? "not_sold" : "subname";
}

/** The text of a label, as indexed or as the caller wrote it; null if only its hash is known. */
const textOf = (...labels: readonly (string | undefined)[]): string | null =>
  labels.find((label) => label !== undefined && label !== "" && !UNKNOWN_LABEL.test(label)) ?? null;

/**
 * Once the ENSv2 registrar is open, it sells all .eth names. It renews the names registered there. Another contract renews names
 * that ENSv2 only reserves, as soon as the ENSv1 registrar authorises it.
 */
function rolesOf(
  state: DomainState | null,
  { isMain, phases }: { isMain: boolean; phases: ReadonlySet<string> },
): Pick<Market, "sells" | "renews"> {
  if (!isMain) return { sells: "controller", renews: "controller" };
  const { protocol, walk } = state?.ensv2 ?? {};
  const isReserved = walk?.entry?.isRegistered === false;
  const ofEnsv1 = isReserved && phases.has("handed_over") ? "renewer" : "controller";
  return {
    sells: phases.has("open") ? "registrar" : "controller",
    renews: protocol === "ensv2" ? "registrar" : ofEnsv1,
  };
}

/** The contracts that sell a chain's names at the index's block, or why they could not be read. */
export async function readChainPrices(ctx: Ctx, chainId: number): Promise<ChainPrices | ApiError> {
  try {
    const block = await blockOf(ctx, chainId);
    const prices = ctx.prices(chainId, block);
    if (prices === null) throw new Error(`Invariant(prices): no contract of chain ${chainId} sells names`);
    return await prices;
  } catch (error) {
    return error instanceof ApiError ? error : toApiError(failureOrThrow(error));
  }
}

async function blockOf(ctx: Ctx, chainId: number): Promise<Block> {
  if (chainId === ctx.contracts.chainId) return ctx.liveBlock();
  const indexed = (await listProgress(ctx.db)).find((chain) => chain.chainId === chainId);
  if (indexed === undefined) {
    throw new ApiError(
      "INDEX_NOT_READY",
      `The index has no block of ${ctx.contracts.chainName(chainId)} yet.`,
    );
  }
  return { number: indexed.blockNumber, timestamp: indexed.blockTimestamp };
}

/** The terms of a seller. @throws ApiError if its oracle is of an unknown kind */
export function priceTermsOf({ oracle, terms }: Seller): PriceTerms {
  if (terms !== null) return terms;
  throw new ApiError(
    "LIVE_RESOLUTION_FAILED",
    `Prices could not be read: the current price oracle (${oracle}) or its price feed does not behave like a known one.`,
  );
}

/**
 * The number of seconds for which a name has been available at a time; null for a name without a premium, because it was never
 * registered or ENSv2 never saw it.
 */
export function releasedFor(
  { state, market }: Ware,
  { timestamp, ctx }: { timestamp: number; ctx: Pick<Ctx, "contracts"> },
): bigint | null {
  const ofEnsv2 = market?.sells === "registrar" ? (state?.ensv2?.walk.entry ?? null) : null;
  const [expiry, grace] =
    market?.sells === "registrar"
      ? [ofEnsv2?.expiry ?? null, BigInt(ctx.contracts.ensv2?.graceSeconds ?? 0)]
      : [state?.expiryTimestamp ?? null, GRACE_PERIOD];
  return expiry === null ? null : BigInt(timestamp) - expiry - grace;
}

/** True if an ENSv2 name cannot be sold only because of a registration that no account holds. It cannot be renewed. */
export const isGivenUp = ({ state, market }: Ware): boolean =>
  market?.renews === "registrar" && state?.ensv2?.walk.entry?.owner == null;
