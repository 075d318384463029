import { z } from "@hono/zod-openapi";
import { keccak256, namehash, stringToBytes } from "viem";
import { endpoint } from "../http/endpoint.ts";
import { listLabelled } from "../query/domainPages.ts";
import { findDomain } from "../query/domains.ts";
import { PAGE_SIZE } from "../query/page.ts";
import { count, domain, hash, pageFields } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { toDomainRecord } from "../serializers/domain.ts";

const notIndexed = z
  .strictObject({ hash, indexed: z.literal(false) })
  .openapi("NotIndexed", { description: "No name of the index has this hash" });

const exampleNamehash = namehash("alice.eth");
const exampleLabelhash = keccak256(stringToBytes("alice"));
const byName = { page: 1, sortBy: "full_name", sortDir: "asc" } as const;

const lookupHash = endpoint({
  method: "get",
  path: "/lookup-hash/{hash}",
  group: "Lookups",
  summary: "The name behind any hash",
  description:
    "Tries the hash as a namehash first, which one name has, then as a labelhash, which names under several parents may have: the first 25 of them are given, and `/lookup-labelhash` has all.",
  params: z.object({ hash: input.hash("Namehash or labelhash", exampleNamehash) }),
  reply: z.union([
    domain.extend({ type: z.literal("namehash") }).openapi("NamehashMatch"),
    z
      .strictObject({ type: z.literal("labelhash"), domains: z.array(domain), total: count })
      .openapi("LabelhashMatch"),
    notIndexed,
  ]),
  errors: ["INVALID_HASH"],
  cost: 1,
  handle: async ({ hash }, ctx) => {
    const { chainId } = ctx.contracts;
    const state = await findDomain(ctx.db, { chainId, node: hash });
    if (state) return { type: "namehash" as const, ...toDomainRecord({ state, source: "indexed" }, ctx) };
    const { total, rows } = await listLabelled(ctx.db, byName, { chainId, hash, now: ctx.now });
    if (total === 0) return { hash, indexed: false as const };
    const domains = rows.map((state) => toDomainRecord({ state, source: "indexed" }, ctx));
    return { type: "labelhash" as const, domains, total };
  },
});

const lookupNamehash = endpoint({
  method: "get",
  path: "/lookup-namehash/{hash}",
  group: "Lookups",
  summary: "The name of a namehash",
  params: z.object({ hash: input.hash("Namehash", exampleNamehash) }),
  reply: z.union([domain, notIndexed]),
  errors: ["INVALID_HASH"],
  cost: 1,
  handle: async ({ hash }, ctx) => {
    const state = await findDomain(ctx.db, { chainId: ctx.contracts.chainId, node: hash });
    if (state === null) return { hash, indexed: false as const };
    return toDomainRecord({ state, source: "indexed" }, ctx);
  },
});

const lookupLabelhash = endpoint({
  method: "get",
  path: "/lookup-labelhash/{hash}",
  group: "Lookups",
  summary: "Every name with a labelhash",
  description: "Names of one label under different parents.",
  params: z.object({ hash: input.hash("Labelhash", exampleLabelhash) }),
  query: z.object({
    page: input.page(),
    sort_by: input.sortBy(["full_name", "expiry_timestamp"]),
    sort_dir: input.sortDir(),
  }),
  reply: z.strictObject({ domains: z.array(domain), ...pageFields }),
  errors: ["INVALID_HASH"],
  cost: 1,
  handle: async ({ hash, page, sort_by, sort_dir }, ctx) => {
    const label = { chainId: ctx.contracts.chainId, hash, now: ctx.now };
    const request = { page, sortBy: sort_by, sortDir: sort_dir };
    const { total, rows } = await listLabelled(ctx.db, request, label);
    const domains = rows.map((state) => toDomainRecord({ state, source: "indexed" }, ctx));
    return { domains, total, page, page_size: PAGE_SIZE };
  },
});

export const lookupEndpoints = [lookupHash, lookupNamehash, lookupLabelhash];
