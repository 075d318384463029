import { z } from "@hono/zod-openapi";
import { keccak256, namehash, stringToBytes } from "viem";
import { ApiError } from "../errors/errors.ts";
import type { Ctx } from "../http/context.ts";
import { endpoint } from "../http/endpoint.ts";
import { listLabelled } from "../query/domainPages.ts";
import type { DomainRow } from "../query/domains.ts";
import { PAGE_SIZE } from "../query/page.ts";
import { allChains } from "../query/scope.ts";
import { resolveDomain, resolveListed } from "../resolution/domains.ts";
import { count, domain, hash, pageFields, unresolvedItem } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { toDomainRecord, toUnresolvedItem } from "../serializers/domain.ts";

const notIndexed = z
  .strictObject({ hash, indexed: z.literal(false) })
  .openapi("NotIndexed", { description: "No name of the index has this hash" });

const exampleNamehash = namehash("alice.eth");
const exampleLabelhash = keccak256(stringToBytes("alice"));
const byName = { page: 1, sortBy: "full_name", sortDir: "asc" } as const;

/** Names of one label. One that only the chain could answer, and did not, does not fail the others. */
const domains = z.array(z.union([domain, unresolvedItem]));

async function toDomains(ctx: Ctx, rows: readonly DomainRow[]) {
  const resolved = await resolveListed(ctx, rows);
  return resolved.map(({ row, resolved }) =>
    resolved instanceof ApiError
      ? toUnresolvedItem(row.node, resolved)
      : toDomainRecord({ ...resolved, state: resolved.state ?? row }, ctx),
  );
}

const LIVE = "As `/whois` by name, it asks the chain where the index cannot know.";

const lookupHash = endpoint({
  method: "get",
  path: "/lookup-hash/{hash}",
  group: "Lookups",
  summary: "The name behind any hash",
  description: `Tries the hash as a namehash first, which one name has, then as a labelhash, which names under several parents may have: the first 25 of them are given, and \`/lookup-labelhash\` has all. ${LIVE}`,
  params: z.object({ hash: input.hash("Namehash or labelhash", exampleNamehash) }),
  reply: z.union([
    domain.extend({ type: z.literal("namehash") }).openapi("NamehashMatch"),
    z.strictObject({ type: z.literal("labelhash"), domains, total: count }).openapi("LabelhashMatch"),
    notIndexed,
  ]),
  errors: ["INVALID_HASH", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  hotAnswers: true,
  handle: async ({ hash }, ctx) => {
    const chains = allChains(ctx.contracts);
    const { state, ...resolved } = await resolveDomain(ctx, { query: hash, node: hash });
    if (state) return { type: "namehash" as const, ...toDomainRecord({ ...resolved, state }, ctx) };
    const { total, rows } = await listLabelled(ctx.db, byName, { chains, hash, now: ctx.now });
    if (total === 0) return { hash, indexed: false as const };
    return { type: "labelhash" as const, domains: await toDomains(ctx, rows), total };
  },
});

const lookupNamehash = endpoint({
  method: "get",
  path: "/lookup-namehash/{hash}",
  group: "Lookups",
  summary: "The name of a namehash",
  description: LIVE,
  params: z.object({ hash: input.hash("Namehash", exampleNamehash) }),
  reply: z.union([domain, notIndexed]),
  errors: ["INVALID_HASH", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  hotAnswers: true,
  handle: async ({ hash }, ctx) => {
    const { state, ...resolved } = await resolveDomain(ctx, { query: hash, node: hash });
    if (state === null) return { hash, indexed: false as const };
    return toDomainRecord({ ...resolved, state }, ctx);
  },
});

const lookupLabelhash = endpoint({
  method: "get",
  path: "/lookup-labelhash/{hash}",
  group: "Lookups",
  summary: "Every name with a labelhash",
  description: `Names of one label under different parents. ${LIVE}`,
  params: z.object({ hash: input.hash("Labelhash", exampleLabelhash) }),
  query: z.object({
    page: input.page(),
    sort_by: input.sortBy(["full_name", "expiry_timestamp"]),
    sort_dir: input.sortDir(),
  }),
  reply: z.strictObject({ domains, ...pageFields }),
  errors: ["INVALID_HASH"],
  cost: 1,
  hotAnswers: true,
  handle: async ({ hash, page, sort_by, sort_dir }, ctx) => {
    const label = { chains: allChains(ctx.contracts), hash, now: ctx.now };
    const request = { page, sortBy: sort_by, sortDir: sort_dir };
    const { total, rows } = await listLabelled(ctx.db, request, label);
    return { domains: await toDomains(ctx, rows), total, page, page_size: PAGE_SIZE };
  },
});

export const lookupEndpoints = [lookupHash, lookupNamehash, lookupLabelhash];
