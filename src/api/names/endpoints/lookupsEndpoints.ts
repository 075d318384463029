import { z } from "@hono/zod-openapi";
import { type Hex, keccak256, namehash, stringToBytes } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import { listLabelled } from "../query/domainLists.ts";
import type { DomainRow } from "../query/domains.ts";
import { domainKeys, type PageRequest } from "../query/page.ts";
import { allChains, sqlOf } from "../query/scope.ts";
import { orThrow, resolveListed, resolveNames } from "../resolution/resolveDomains.ts";
import { shownLabel } from "../resolution/shownTexts.ts";
import { count, domain, hash, listedDomain, pageFields, unresolvedDomain } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { listPage, PAGE_SIZE } from "../schemas/paging.ts";
import { openPage } from "../serializers/listPages.ts";
import { toItem, toUnresolvedDomain, toWholeRecord } from "../serializers/toDomain.ts";

const notIndexed = z
  .strictObject({ hash, indexed: z.literal(false) })
  .openapi("NotIndexed", { description: "No indexed name has this hash" });

const exampleNamehash = namehash("alice.eth");
const exampleLabelhash = keccak256(stringToBytes("alice"));
const byName = { page: 1, size: PAGE_SIZE, isCounted: true, sortBy: "full_name", sortDir: "asc" } as const;

/** Names with one label. A name that could not be resolved live does not fail the others. */
const domains = z.array(z.union([listedDomain, unresolvedDomain]));

async function toDomains(ctx: Ctx, rows: readonly DomainRow[], asked: { partial: boolean }) {
  const listed = await resolveListed(ctx, rows);
  return listed.map(({ row, result }) =>
    result.kind === "unresolved" && result.state === null
      ? toItem(toUnresolvedDomain(row.node, result), result, asked)
      : toItem(
          toWholeRecord({ query: row.node, node: row.node }, { ...result, state: result.state ?? row }, ctx),
          result,
          asked,
        ),
  );
}

/** The names with a label, in the order of the answer. */
async function listNames(ctx: Ctx, hash: Hex, page: PageRequest) {
  const chains = allChains(ctx.contracts);
  return listLabelled(ctx.db, page, { chains, hash, label: await shownLabel(ctx, hash), now: ctx.now });
}

const LIVE = "Reads the chain where the index cannot know, like `/whois` by name.";

const lookupHash = endpoint({
  method: "get",
  path: "/lookup-hash/{hash}",
  group: "Lookups",
  summary: "Lookup of any hash",
  description: `Tries the hash as a namehash first, which belongs to one name, then as a labelhash, which can belong to names under several parents: the first 25 are returned, and \`/lookup-labelhash\` lists all. ${LIVE}`,
  params: z.object({ hash: input.hash("Namehash or labelhash", exampleNamehash) }),
  query: z.object({ partial: input.partial() }),
  reply: z.union([
    z.strictObject({ type: z.literal("namehash"), ...domain.shape }).openapi("NamehashMatch"),
    z
      .strictObject({ type: z.literal("namehash"), ...unresolvedDomain.shape })
      .openapi("UnresolvedNamehashMatch"),
    z.strictObject({ type: z.literal("labelhash"), domains, total: count }).openapi("LabelhashMatch"),
    notIndexed,
  ]),
  errors: ["INVALID_HASH", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: "lookup_hash",
  handle: async ({ hash, partial }, ctx) => {
    const found = await findByNode(ctx, { hash, partial });
    if (found) return { type: "namehash" as const, ...found };
    const { total, rows } = await listNames(ctx, hash, byName);
    if (!total) return { hash, indexed: false as const };
    return { type: "labelhash" as const, domains: await toDomains(ctx, rows, { partial }), total };
  },
});

/** The name of a node; null if the index does not have it. */
async function findByNode(ctx: Ctx, { hash, partial }: { hash: Hex; partial: boolean }) {
  const parsed = { query: hash, node: hash };
  const [result] = await resolveNames(ctx, [parsed], { details: true });
  if (!partial) orThrow(result);
  const { state, ...resolved } = result;
  if (state) return toWholeRecord(parsed, { ...resolved, state }, ctx);
  return result.kind === "unresolved" ? toUnresolvedDomain(hash, result) : null;
}

const lookupNamehash = endpoint({
  method: "get",
  path: "/lookup-namehash/{hash}",
  group: "Lookups",
  summary: "Lookup of a namehash",
  description: LIVE,
  params: z.object({ hash: input.hash("Namehash", exampleNamehash) }),
  query: z.object({ partial: input.partial() }),
  reply: z.union([domain, unresolvedDomain, notIndexed]),
  errors: ["INVALID_HASH", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  handle: async ({ hash, partial }, ctx) =>
    (await findByNode(ctx, { hash, partial })) ?? { hash, indexed: false as const },
});

const lookupLabelhash = endpoint({
  method: "get",
  path: "/lookup-labelhash/{hash}",
  group: "Lookups",
  summary: "Lookup of a labelhash",
  description: `Names of one label under different parents. ${LIVE}`,
  params: z.object({ hash: input.hash("Labelhash", exampleLabelhash) }),
  query: z.object({
    // Each of them may need a live read.
    ...listPage(PAGE_SIZE),
    sort_by: input.sortBy(["full_name", "expiry_timestamp"]),
    sort_dir: input.sortDir(),
    partial: input.partial(),
  }),
  reply: z.strictObject({ domains, ...pageFields }),
  errors: ["INVALID_HASH"],
  cost: 1,
  handle: async (request, ctx) => {
    const { hash, partial } = request;
    const order = { sortBy: request.sort_by, sortDir: request.sort_dir };
    const keys = domainKeys(order, ctx.now, sqlOf(allChains(ctx.contracts)));
    const { part, fields } = openPage("/lookup-labelhash/{hash}", request, keys);
    const { rows, ...found } = await listNames(ctx, hash, { ...part, ...order });
    return { domains: await toDomains(ctx, rows, { partial }), ...fields(found) };
  },
});

export const lookupEndpoints = [lookupHash, lookupNamehash, lookupLabelhash];
