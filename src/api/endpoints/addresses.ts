import { z } from "@hono/zod-openapi";
import type { Address } from "viem";
import { ApiError } from "../errors/errors.ts";
import type { Ctx } from "../http/context.ts";
import { endpoint } from "../http/endpoint.ts";
import {
  type AddressAt,
  type AddressQuery,
  addressTypes,
  countHeld,
  type HeldCounts,
  listHeld,
  listPrevious,
  previousKeys,
  type Summary,
  summarise,
} from "../query/addresses.ts";
import { claimKeys, listClaims } from "../query/claims.ts";
import { domainKeys } from "../query/page.ts";
import { allChains, sqlOf } from "../query/scope.ts";
import { askedChains } from "../resolution/askedChains.ts";
import { checkListed, isHeldBy } from "../resolution/listedNames.ts";
import { type Outcome, tryPrimaryName } from "../resolution/primaryNames.ts";
import {
  address,
  count,
  domainItem,
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
import { ACTIVE, ALL_CHAINS, EXPIRED } from "../schemas/sentences.ts";
import { toClaimEntry, toPreviousItem, toPrimaryName } from "../serializers/address.ts";
import { toDomainItem, unresolvedParts } from "../serializers/domain.ts";
import { toAddress } from "../serializers/hex.ts";
import { NEWEST, openHistory } from "../serializers/historyPages.ts";
import { openPage } from "../serializers/listPages.ts";
import { sumOf } from "../statistics/numbers.ts";

const addressType = () =>
  input.choice(addressTypes, "address_type").default("effective_owner").openapi({
    description:
      "What the address is to the names: effective owner (by wrapper, then registrar, then registry), owner in one of the three, or resolver. Owner in the wrapper counts for names that are wrapped.",
  });

const types = z.enum(addressTypes);

/** Sentences that the descriptions of several operations on an address share. */
const COUNTED = "Reverse nodes (`<address>.addr.reverse`) do not count as names.";
const CHAINS =
  "Names of all chains that are indexed are in one list; a node that is on two chains is on it twice.";

/** An address whose names are asked for, on the chains that the caller names, or on all. */
export const addressAt = (
  { contracts, now }: Ctx,
  { address, chain }: { address: Address; chain?: readonly string[] | undefined },
): AddressAt => ({
  chains: chain === undefined ? allChains(contracts) : askedChains(chain, contracts),
  address,
  wrappers: contracts.wrappers,
  now,
});

type Asked = {
  address: Address;
  address_type: AddressQuery["addressType"];
  chain?: readonly string[] | undefined;
};

const addressQueryOf = (ctx: Ctx, asked: Asked): AddressQuery => ({
  ...addressAt(ctx, asked),
  addressType: asked.address_type,
});

/** Counts of each chain, where several are indexed. */
const byChain = <Counts extends object>(
  { contracts: { chainIds, chainName } }: Ctx,
  countsOf: (chainId: number) => Counts,
): { by_chain?: ({ chain: string } & Counts)[] } =>
  chainIds.length > 1
    ? { by_chain: chainIds.map((chainId) => ({ chain: chainName(chainId), ...countsOf(chainId) })) }
    : {};

const BY_CHAIN = "Present where names of several chains are indexed: the same of each chain";

export const addressDomains = endpoint({
  method: "get",
  path: "/address/{address}/domains",
  group: "Addresses",
  summary: "Names of an address",
  description: `Names that an address owns, or whose resolver it is. ${CHAINS} ${ACTIVE} ${COUNTED}`,
  params: z.object({ address: input.address() }),
  query: z.object({
    address_type: addressType(),
    include_expired: input.flag(
      "include_expired",
      "`true` to list names past grace too; names in grace always are",
    ),
    chain: input.chains(ALL_CHAINS),
    ...listPage(),
    sort_by: input.sortBy(["full_name", "expiry_timestamp"]),
    sort_dir: input.sortDir(),
  }),
  reply: z.strictObject({
    address,
    address_type: types,
    results: z.array(domainItem),
    ...pageFields,
  }),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  hotAnswers: true,
  tool: "get_address_portfolio",
  handle: async (request, ctx) => {
    const query = addressQueryOf(ctx, request);
    const choice = request.include_expired ? "all" : "active";
    const order = { sortBy: request.sort_by, sortDir: request.sort_dir };
    const keys = domainKeys(order, ctx.now, sqlOf(query.chains));
    const { part, fields } = openPage({ operation: "/address/{address}/domains", input: request, keys });
    const { rows, ...found } = await listHeld(ctx.db, query, { choice, page: { ...part, ...order } });
    const names = await checkListed(ctx, rows, isHeldBy(request.address, request.address_type));
    return {
      address: toAddress(request.address),
      address_type: request.address_type,
      results: [...names.values()].map((name) => toDomainItem(name, ctx)),
      ...fields(found),
    };
  },
});

const addressDomainCount = endpoint({
  method: "get",
  path: "/address/{address}/domain-count",
  group: "Addresses",
  summary: "How many names an address has",
  description: `${ACTIVE} ${EXPIRED} ${COUNTED}`,
  params: z.object({ address: input.address() }),
  query: z.object({ address_type: addressType() }),
  reply: z
    .strictObject({
      address,
      address_type: types,
      count: count.openapi({
        description: "All: active, expired, and names that no registrar ever registered",
      }),
      active_count: count.openapi({ description: "Registered or in grace" }),
      expired_count: count.openapi({
        description: "Over: past the grace of a registrar, or other names past their expiry",
      }),
      by_chain: z
        .array(z.strictObject({ chain: z.string(), count, active_count: count, expired_count: count }))
        .optional()
        .openapi({ description: BY_CHAIN }),
    })
    .openapi("AddressDomainCount"),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  hotAnswers: true,
  tool: "get_address_portfolio",
  handle: async (request, ctx) => {
    const held = await countHeld(ctx.db, addressQueryOf(ctx, request));
    const toCounts = (counts: readonly HeldCounts[]) => {
      const total = sumOf(counts, (one) => one.total);
      const active = sumOf(counts, (one) => one.active);
      const expired = sumOf(counts, (one) => one.expired);
      return { count: total, active_count: active, expired_count: expired };
    };
    return {
      address: toAddress(request.address),
      address_type: request.address_type,
      ...toCounts([...held.values()]),
      ...byChain(ctx, (chainId) => toCounts([held.get(chainId) ?? []].flat())),
    };
  },
});

const addressPrimaryName = endpoint({
  method: "get",
  path: "/address/{address}/primary-name",
  group: "Addresses",
  summary: "The primary name of an address",
  description: `The name that the address chose for itself on the chain of the registry (coin type 60), by its own reverse record or else the default one (ENSIP-19). Given only if it is normalised and resolves to the address; else null. With \`history=true\` also every name that the address ever claimed, on all chains, oldest first, as it was claimed. ${NEWEST}`,
  params: z.object({ address: input.address() }),
  query: z.object({
    history: input.flag("history", "`true` to list all claims too"),
    ...historyPage(),
    partial: input.partial(),
  }),
  reply: z.union([
    z.strictObject({ address, ...primaryName.shape }).openapi("AddressPrimaryName"),
    z.strictObject({ address, unresolved }).openapi("UnresolvedPrimaryName"),
    z
      .strictObject({
        ...{ address, current: primaryName.optional(), history: z.array(primaryNameEntry), ...historyFields },
        unresolved: unresolved.optional(),
      })
      .openapi("AddressPrimaryNameHistory"),
  ]),
  errors: ["INVALID_ADDRESS", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  hotAnswers: true,
  tool: "get_primary_names",
  handle: async (request, ctx) => {
    const found = await findPrimaryName(ctx, request);
    const address = toAddress(request.address);
    const current = "unresolved" in found ? found : toPrimaryName(found.primary, ctx);
    if (!request.history) return { address, ...current };
    const { section, fields } = openHistory({
      ...{ operation: "/address/{address}/primary-name", input: request, keys: claimKeys() },
    });
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
  summary: "An address at a glance",
  description: `Counts of the names of an address, and its primary name. ${COUNTED}`,
  params: z.object({ address: input.address() }),
  query: z.object({ partial: input.partial() }),
  reply: z
    .strictObject({
      address,
      domain_count: count.openapi({
        description: "Names it effectively owns that are registered or in grace",
      }),
      primary_name: z
        .string()
        .nullable()
        .optional()
        .openapi({ description: "Null where it has none; absent where `unresolved` says why" }),
      primary_name_source: source.optional(),
      domains_expiring_30d: count.openapi({
        description: "Names it effectively owns that expire within 30 days",
      }),
      previously_owned_count: count.openapi({ description: "Length of its list of previous domains" }),
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
  hotAnswers: true,
  tool: "get_address_portfolio",
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

/** The primary name of an address, or what stands in its place in an answer to someone who takes less than all. */
async function findPrimaryName(ctx: Ctx, { address, partial }: { address: Address; partial: boolean }) {
  const outcome: Outcome = await tryPrimaryName(ctx, address);
  if (!(outcome instanceof ApiError)) return outcome;
  if (!partial) throw outcome;
  return { unresolved: unresolvedParts(["primary_name"], outcome) };
}

const toPrimaryNameFields = (found: Awaited<ReturnType<typeof findPrimaryName>>) =>
  "unresolved" in found
    ? found
    : { primary_name: found.primary?.name ?? null, primary_name_source: found.source };

const addressPreviousDomains = endpoint({
  method: "get",
  path: "/address/{address}/previous-domains",
  group: "Addresses",
  summary: "Names that an address had before",
  description: `Names on whose events the address appeared as receiver or owner, and which it no longer controls: another is the effective owner, or a registrar's name is past its grace, of 90 days (in ENSv2 28). Sorted by the last event that named the address. ${CHAINS} ${COUNTED}`,
  params: z.object({ address: input.address() }),
  query: z.object({ chain: input.chains(ALL_CHAINS), ...listPage(), sort_dir: input.sortDir("desc") }),
  reply: z.strictObject({ address, results: z.array(previousDomain), ...pageFields }),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  hotAnswers: true,
  tool: "get_address_portfolio",
  handle: async (request, ctx) => {
    const sortDir = request.sort_dir;
    const at = addressAt(ctx, request);
    const { part, fields } = openPage({
      ...{ operation: "/address/{address}/previous-domains", input: request },
      keys: previousKeys(sqlOf(at.chains), sortDir),
    });
    const { rows, ...found } = await listPrevious(ctx.db, at, { part, sortDir });
    const names = await checkListed(
      ctx,
      rows.map(({ domain }) => domain),
      ({ effectiveOwnerAddress }) => effectiveOwnerAddress !== request.address,
    );
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
  addressDomains,
  addressDomainCount,
  addressPrimaryName,
  addressSummary,
  addressPreviousDomains,
];
