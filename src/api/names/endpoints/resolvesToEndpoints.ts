import { z } from "@hono/zod-openapi";
import { endpoint } from "../../server/http/endpoint.ts";
import { MAX_COUNTED } from "../query/page.ts";
import { type CoinFilter, isOfChain, pointingKeys } from "../query/resolvesTo.ts";
import { askedChains } from "../resolution/askedChains.ts";
import { listNamesOf, type PointingName } from "../resolution/namesResolvingTo.ts";
import { address, domainItem, pageFields, totalMinimum } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { listPage } from "../schemas/paging.ts";
import { ALL_CHAINS } from "../schemas/sentences.ts";
import { toAddress } from "../serializers/hex.ts";
import { openPage, totalsOf } from "../serializers/listPages.ts";
import { type SerializeContext, toDomainItem } from "../serializers/toDomain.ts";

const coinType = z
  .string()
  .transform((word, issues): CoinFilter => {
    if (word === "evm") return "evm";
    if (/^(0|[1-9][0-9]{0,77})$/.test(word) && BigInt(word) < 2n ** 256n) return BigInt(word);
    const message = "`coin_type` must be a coin type in decimal digits, or `evm`.";
    issues.addIssue({ code: "custom", message, params: { code: "INVALID_PARAMETER" } });
    return z.NEVER;
  })
  .openapi({
    type: "string",
    description:
      "Coin type of the record (SLIP-44, ENSIP-11); `evm`: any EVM chain, or the default one. Any by default. At resolvers with ENSIP-19, the default record (2147483648) answers for EVM chains without their own",
    example: "60",
  })
  .optional();

const pointingName = z
  .strictObject({
    ...domainItem.shape,
    coin_types: z.array(z.string()).openapi({
      description: "All coin types whose record is the address",
      example: ["60"],
    }),
    is_default: z.literal(true).optional().openapi({
      description: "Present if `coin_type` has no record of its own and the default one answers for it",
    }),
  })
  .openapi("PointingName");

const resolvesTo = endpoint({
  method: "get",
  path: "/address/{address}/resolves-to",
  group: "Addresses",
  summary: "Names that resolve to an address",
  description:
    "Names whose address record is this address, by the resolver and records in force, sorted by hash. Names with an unindexed resolver, and names known only to a resolver, cannot be listed: the chain has no such list. If ENSv2 or several chains are indexed, names whose path has ended are left out; beyond 1,000 names, the total counts rows, up to 100,000 as in other lists. `addr.reverse` does not count.",
  params: z.object({ address: input.address() }),
  query: z.object({ coin_type: coinType, chain: input.chains(ALL_CHAINS), ...listPage() }),
  reply: z.strictObject({
    address,
    results: z.array(pointingName),
    ...pageFields,
    is_total_minimum: totalMinimum("names", MAX_COUNTED),
  }),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  tool: { name: "get_address_portfolio", view: "resolves_to" },
  handle: async (request, ctx) => {
    const chains = askedChains(request.chain, ctx.contracts);
    const { coin_type: coins = "any" } = request;
    const { part, fields } = openPage("/address/{address}/resolves-to", request, pointingKeys);
    const { rows, ...found } = await listNamesOf(ctx, { chains, address: request.address, coins }, part);
    return {
      address: toAddress(request.address),
      results: rows.map((name) => toItem(name, coins, ctx)),
      ...fields(found),
      ...totalsOf(found.total),
    };
  },
});

function toItem({ state, coinTypes }: PointingName, coins: CoinFilter, at: SerializeContext) {
  const isDefault = typeof coins === "bigint" && isOfChain(coins) && !coinTypes.includes(String(coins));
  return {
    ...toDomainItem(state, at),
    coin_types: [...coinTypes],
    ...(isDefault && { is_default: true as const }),
  };
}

export const resolvesToEndpoints = [resolvesTo];
