import { z } from "@hono/zod-openapi";
import type { Address } from "viem";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import { type Summary, summarise } from "../query/addresses/counts.ts";
import { listPrevious, previousKeys } from "../query/addresses/previous.ts";
import { claimKeys, listClaims } from "../query/claims.ts";
import { sqlOf } from "../query/scope.ts";
import { checkListed } from "../resolution/listedNames.ts";
import { hasPrimaryNames, resolvePrimaryNames } from "../resolution/resolvePrimaryNames.ts";
import {
  address,
  count,
  historyFields,
  pageFields,
  previousDomain,
  primaryName,
  primaryNameEntry,
  source,
  unresolved,
} from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { historyPage, listPage } from "../schemas/paging.ts";
import { ALL_CHAINS } from "../schemas/sentences.ts";
import { toAddress } from "../serializers/hex.ts";
import { NEWEST, openHistory } from "../serializers/historyPages.ts";
import { openPage } from "../serializers/listPages.ts";
import { toClaimEntry, toPreviousItem, toPrimaryName } from "../serializers/toAddress.ts";
import { unresolvedParts } from "../serializers/toDomain.ts";
import { sumOf } from "../statistics/numbers.ts";
import { addressNameEndpoints } from "./addressNamesEndpoints.ts";
import { addressAt, BY_CHAIN, byChain, CHAINS, COUNTED } from "./askedAddress.ts";

const coinType = input
  .digits("coin_type", {
    min: 0,
    max: 2 ** 32 - 1,
    example: 2_147_492_101,
    description: "Coin type of an EVM chain (ENSIP-11); 2147483648 is the default name",
  })
  .refine((number) => hasPrimaryNames(BigInt(number)), {
    error: () => "`coin_type` must be the coin type of an EVM chain.",
  })
  .optional()
  .openapi({ default: 60 });

const addressPrimaryName = endpoint({
  method: "get",
  path: "/address/{address}/primary-name",
  group: "Addresses",
  summary: "Primary name of an address",
  description: `The name that the address claims as its own on Ethereum or on the chain of \`coin_type\`, by its reverse record there or the default one (ENSIP-19). It is null unless it is normalised and resolves to the address. \`history=true\` adds every name that the address ever claimed, on all chains, oldest first, as claimed. ${NEWEST}`,
  params: z.object({ address: input.address() }),
  query: z.object({
    coin_type: coinType,
    history: input.flag("history", "`true` adds all claims"),
    ...historyPage(),
    partial: input.partial(),
  }),
  reply: z.union([
    z.strictObject({ address, ...primaryName.shape }).openapi("AddressPrimaryName"),
    z.strictObject({ address, unresolved }).openapi("UnresolvedPrimaryName"),
    z
      .strictObject({
        address,
        current: primaryName.optional(),
        history: z.array(primaryNameEntry),
        ...historyFields,
        unresolved: unresolved.optional(),
      })
      .openapi("AddressPrimaryNameHistory"),
  ]),
  errors: ["INVALID_ADDRESS", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: { name: "get_primary_names", view: "history", fixed: { history: "true" } },
  handle: async (request, ctx) => {
    const { section, fields } = openHistory("/address/{address}/primary-name", request, claimKeys());
    const found = await findPrimaryName(ctx, request);
    const address = toAddress(request.address);
    const current = "unresolved" in found ? found : toPrimaryName(found.primary, ctx);
    if (!request.history) return { address, ...current };
    const { rows, ...listed } = await listClaims(ctx.db, request.address, section);
    return {
      address,
      ...("unresolved" in current ? current : { current }),
      history: rows.map((row) => toClaimEntry(row, ctx)),
      ...fields(listed),
    };
  },
});

const addressSummary = endpoint({
  method: "get",
  path: "/address/{address}/summary",
  group: "Addresses",
  summary: "Summary of an address",
  description: `Name counts of an address, and its primary name. ${COUNTED}`,
  params: z.object({ address: input.address() }),
  query: z.object({ partial: input.partial() }),
  reply: z
    .strictObject({
      address,
      domain_count: count.openapi({
        description: "Effectively owned names that are registered or in grace",
      }),
      primary_name: z
        .string()
        .nullable()
        .optional()
        .openapi({ description: "Null if it has none; absent if `unresolved` says why" }),
      primary_name_source: source.optional(),
      domains_expiring_30d: count.openapi({
        description: "Effectively owned names that expire within 30 days",
      }),
      previously_owned_count: count.openapi({ description: "Length of the list of previous domains" }),
      by_chain: z
        .array(
          z.strictObject({
            chain: z.string(),
            domain_count: count,
            domains_expiring_30d: count,
            previously_owned_count: count,
          }),
        )
        .optional()
        .openapi({ description: BY_CHAIN }),
      unresolved: unresolved.optional(),
    })
    .openapi("AddressSummary"),
  errors: ["INVALID_ADDRESS", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: { name: "get_address_portfolio", view: "summary", fixed: { partial: "true" } },
  handle: async (request, ctx) => {
    const [counted, outcome] = await Promise.all([
      summarise(ctx.db, addressAt(ctx, request)),
      findPrimaryName(ctx, request),
    ]);
    const toCounts = (summaries: readonly Summary[]) => ({
      domain_count: sumOf(summaries, ({ active }) => active),
      domains_expiring_30d: sumOf(summaries, ({ expiring30d }) => expiring30d),
      previously_owned_count: sumOf(summaries, ({ previous }) => previous),
    });
    const { domain_count, ...others } = toCounts([...counted.values()]);
    return {
      address: toAddress(request.address),
      domain_count,
      ...toPrimaryNameFields(outcome),
      ...others,
      ...byChain(ctx, (chainId) => toCounts([counted.get(chainId) ?? []].flat())),
    };
  },
});

/** The primary name of an address, or its placeholder for callers that accept partial answers. */
async function findPrimaryName(
  ctx: Ctx,
  {
    address,
    coin_type = 60,
    partial,
  }: { address: Address; coin_type?: number | undefined; partial: boolean },
) {
  const [result] = await resolvePrimaryNames(ctx, [{ address, coinType: BigInt(coin_type) }]);
  if (!(result instanceof ApiError)) return result;
  if (!partial) throw result;
  return { unresolved: unresolvedParts(["primary_name"], result) };
}

const toPrimaryNameFields = (found: Awaited<ReturnType<typeof findPrimaryName>>) =>
  "unresolved" in found
    ? found
    : { primary_name: found.primary?.name ?? null, primary_name_source: found.source };

const addressPreviousDomains = endpoint({
  method: "get",
  path: "/address/{address}/previous-domains",
  group: "Addresses",
  summary: "Previous names of an address",
  description: `Names whose events named the address as receiver or owner, and which it no longer controls: another account is the effective owner, or the name of a registrar is past its grace of 90 days (ENSv2: 28). Sorted by the last event that named the address. ${CHAINS} ${COUNTED}`,
  params: z.object({ address: input.address() }),
  query: z.object({ chain: input.chains(ALL_CHAINS), ...listPage(), sort_dir: input.sortDir("desc") }),
  reply: z.strictObject({ address, results: z.array(previousDomain), ...pageFields }),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  tool: { name: "get_address_portfolio", view: "previous" },
  handle: async (request, ctx) => {
    const sortDir = request.sort_dir;
    const at = addressAt(ctx, request);
    const { part, fields } = openPage(
      "/address/{address}/previous-domains",
      request,
      previousKeys(sqlOf(at.chains), sortDir),
    );
    const { rows, condition, ...found } = await listPrevious(ctx.db, at, { part, sortDir });
    const names = await checkListed(ctx, [{ rows: rows.map(({ domain }) => domain), condition }]);
    return {
      address: toAddress(request.address),
      results: rows.flatMap((row) => {
        const domain = names.get(row.domain);
        return domain ? [toPreviousItem({ ...row, domain }, ctx)] : [];
      }),
      ...fields(found),
    };
  },
});

export const addressEndpoints = [
  ...addressNameEndpoints,
  addressPrimaryName,
  addressSummary,
  addressPreviousDomains,
];
