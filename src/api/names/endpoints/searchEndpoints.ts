import { z } from "@hono/zod-openapi";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import { withPageTimeout } from "../../server/http/pageTimeout.ts";
import { childCounts } from "../counts/childCounts.ts";
import { searchTotals } from "../counts/searchTotals.ts";
import { type ChosenChildren, listChildren } from "../query/children.ts";
import { domainsWhere, listDomainPage } from "../query/domainLists.ts";
import { domainKeys, type PageRequest, sortColumns } from "../query/page.ts";
import { sqlOf } from "../query/scope.ts";
import {
  expiriesOf,
  isSelective,
  protocols,
  type SearchCounts,
  type SearchFilters,
  searchCondition,
  searchInOnePass,
} from "../query/search.ts";
import type { AsOf } from "../query/statistics.ts";
import { askedChains } from "../resolution/askedChains.ts";
import { childrenGap } from "../resolution/ensv2/followed.ts";
import { checkListed } from "../resolution/listedNames.ts";
import { chainsOfChildren } from "../resolution/nameChains.ts";
import { DAY } from "../rules/seconds.ts";
import { GRACE_DAYS } from "../rules/stages.ts";
import { count, domainItem, isIncomplete, pageFields } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { listPage } from "../schemas/paging.ts";
import { ALL_CHAINS } from "../schemas/sentences.ts";
import { MAX_WINDOWS } from "../schemas/windows.ts";
import { openPage } from "../serializers/listPages.ts";
import { included, listedItems } from "./listedItems.ts";

const searchStats = z
  .strictObject({
    expired: count.openapi({
      description: "Premium or available: past a registrar's grace, or never registered by it",
    }),
    expiring_30d: count.openapi({ description: "Registered, and expiring within 30 days" }),
    expiring_90d: count,
    wrapped: count,
    wrapped_pct: z
      .number()
      .openapi({ description: "Percentage of all results, with two decimals", example: 12.5 }),
  })
  .openapi("SearchStats");

const MAX_LENGTH = 100_000;
const length = (name: string, description: string) =>
  input.digits(name, { min: 0, max: MAX_LENGTH, description }).optional();
const time = (name: string, description: string) =>
  input.digits(name, { min: 0, max: 999_999_999_999_999, description, example: 1893456000 }).optional();
const holder = (description: string) => input.address().openapi({ description }).optional();

/** Days ahead that the view `drops` covers. */
const DROP_DAYS = 7;

/** Names of ENSv1 whose grace period ends within a week. Those of ENSv2 have another grace period. */
const leavingGrace = (now: number) => ({
  availability_status: "grace",
  protocol: "ensv1",
  expiry_from: String(now - GRACE_DAYS * DAY),
  expiry_to: String(now - (GRACE_DAYS - DROP_DAYS) * DAY),
  sort_by: "expiry_timestamp",
});

const searchDomains = endpoint({
  method: "get",
  path: "/search-domains",
  group: "Domains",
  summary: "Search names",
  description:
    "Filters combine; a name must meet all. `stats` cover all results, not the page. Numbered pages slow down with the results before them: they end after 4,000 pages, and a page not found in 30 seconds also fails with LIMIT_EXCEEDED; narrower filters, such as by expiry, reach every name. A label known only by its hash matches no text, but the 64 digits of its hash find it.",
  query: z.object({
    q: input
      .text("q", { max: 255, description: "Part of the label, in any case", example: "ali" })
      .optional(),
    search_full_name: input.flag("search_full_name", "`true` searches for `q` in the full name"),
    availability_status: input
      .words(["registered", "grace", "premium", "available"], "availability_status", {
        description:
          "States at the time of the request, separated by commas: registered, grace, premium, available",
        example: "registered",
      })
      .optional(),
    min_length: length("min_length", "Shortest label, in code points"),
    max_length: length("max_length", "Longest label, in code points"),
    registrar_owner: holder("Owner in the registrar, of .eth or of a layer 2"),
    wrapper_owner: holder("Owner in the NameWrapper"),
    registry_owner: holder("Owner in the registry"),
    resolver: holder("Resolver of the name"),
    expiry_from: time("expiry_from", "Earliest expiry, unix seconds"),
    expiry_to: time("expiry_to", "Latest expiry, unix seconds"),
    is_wrapped: input.optionalFlag("is_wrapped", "`true`: only wrapped names; `false`: only others"),
    protocol: input
      .choice(protocols, "protocol")
      .optional()
      .openapi({ description: "Names answered by ENSv1 or by ENSv2" }),
    parent: input
      .name("eth")
      .optional()
      .openapi({ description: "Only direct subnames of this name", example: "eth" }),
    expiry_windows: input.windows(
      `Names whose expiry is in one of these windows: \`<from>-<to>\` in unix seconds, inclusive, separated by commas, at most ${MAX_WINDOWS}`,
    ),
    expiry_of: input.choice(expiriesOf, "expiry_of").default("lease").openapi({
      description:
        "The expiry for `expiry_from`, `expiry_to` and `expiry_windows`: `lease` is the name's own; `reservation` that of second-level .eth names which ENSv2 reserves for their ENSv1 owners; `wrapper` that of wrapped names in the NameWrapper",
    }),
    chain: input.chains(ALL_CHAINS),
    include: included(),
    ...listPage(),
    sort_by: input.sortBy(sortColumns),
    sort_dir: input.sortDir(),
    unknown_labels: input.choice(["in_order", "last"], "unknown_labels").default("in_order").openapi({
      description:
        "Position of names whose label is known only by its hash (`[<hash>].eth`): in name order, or `last`, which requires `sort_by=full_name` and continues only by `cursor`",
    }),
  }),
  reply: z.strictObject({
    results: z.array(domainItem),
    stats: searchStats.optional().openapi({ description: "Absent with `total=false`" }),
    ...pageFields,
  }),
  errors: ["INVALID_ADDRESS", "LIMIT_EXCEEDED"],
  cost: 1,
  tool: [
    { name: "search_domains", view: "search", expires: "from_now" },
    { name: "search_domains", view: "drops", fixed: leavingGrace },
  ],
  handle: async (request, ctx) => {
    const { now } = ctx;
    const filters = {
      text: request.q,
      isFullName: request.search_full_name,
      availability: request.availability_status,
      minLength: request.min_length,
      maxLength: request.max_length,
      registrarOwner: request.registrar_owner,
      wrapperOwner: request.wrapper_owner,
      registryOwner: request.registry_owner,
      resolver: request.resolver,
      expiryFrom: request.expiry_from,
      expiryTo: request.expiry_to,
      isWrapped: request.is_wrapped,
      protocol: request.protocol,
      parent: request.parent?.node,
      expiryWindows: request.expiry_windows,
      ...(request.expiry_of !== "lease" && { expiryOf: request.expiry_of }),
    };
    const chains = askedChains(request.chain, ctx.contracts);
    const at = { chains, now };
    const where = searchCondition(filters, at);
    const unknownLast = request.unknown_labels === "last";
    if (unknownLast) requireWalk(request);
    const order = { sortBy: request.sort_by, sortDir: request.sort_dir, unknownLast };
    const keys = domainKeys(order, now, sqlOf(chains));
    const { part, fields } = openPage("/search-domains", request, keys);
    const page = { ...part, ...order };
    const { counts, rows, next } = await withPageTimeout(part, search(ctx, { filters, where, page, at }));
    const names = await checkListed(ctx, [{ rows, condition: where }]);
    return {
      results: await listedItems(ctx, [...names.values()], request.include),
      ...(counts && { stats: toStats(counts) }),
      ...fields({ total: counts?.total ?? null, next }),
    };
  },
});

/** Names with unknown labels form a second list behind the others, because no single index could serve a late page of both. */
function requireWalk({ sort_by: sortBy, page = 1 }: { sort_by: string; page?: number | undefined }): void {
  if (sortBy === "full_name" && page === 1) return;
  throw new ApiError(
    "INVALID_PARAMETER",
    "`unknown_labels=last` requires `sort_by=full_name`, and continues by `cursor`, not by `page`.",
  );
}

type Search = {
  filters: SearchFilters;
  where: ReturnType<typeof searchCondition>;
  page: PageRequest;
  at: AsOf;
};

/** A few matches are found and counted in one pass. Other counts are maintained, or run next to the page. */
async function search({ db }: Ctx, { filters, where, page, at }: Search) {
  if (isSelective(filters)) return searchInOnePass(db, { ...at, where, page });
  const counting = page.isCounted ? searchTotals.read(db, { ...at, filters }) : null;
  const count = async () => (await counting)?.total ?? 0;
  const [counts, { rows, next }] = await Promise.all([
    counting,
    listDomainPage(db, { ...at, page, parts: [domainsWhere(where)], count }),
  ]);
  return { counts, rows, next };
}

const toStats = ({
  total,
  expired,
  expiring30d,
  expiring90d,
  wrapped,
}: SearchCounts): z.infer<typeof searchStats> => ({
  expired,
  expiring_30d: expiring30d,
  expiring_90d: expiring90d,
  wrapped,
  wrapped_pct: total === 0 ? 0 : Math.round((wrapped * 10_000) / total) / 100,
});

const subdomains = endpoint({
  method: "get",
  path: "/domain/{name}/subdomains",
  group: "Domains",
  summary: "Subnames of a name",
  description:
    "Direct subnames created by events on chain. Subnames that a resolver or gateway generates off chain cannot be discovered. A deleted subname is listed without owner, unless `include_ownerless=false`. `total` counts the names that meet the filters. For a layer 2's managed name and names below it, the subnames on both chains are listed.",
  params: z.object({ name: input.name() }),
  query: z.object({
    q: input
      .text("q", { max: 255, description: "Part of the label, in any case", example: "pay" })
      .optional(),
    include_expired: input.flag(
      "include_expired",
      "`false` leaves out expired names; names in grace stay",
      true,
    ),
    include_ownerless: input.flag("include_ownerless", "`false` leaves out names without an owner", true),
    include: included(),
    ...listPage(),
    sort_by: input.sortBy(["full_name", "expiry_timestamp"]),
    sort_dir: input.sortDir(),
  }),
  reply: z.strictObject({
    domain: z.string(),
    results: z.array(domainItem),
    ...pageFields,
    is_incomplete: isIncomplete,
  }),
  errors: ["INVALID_NAME"],
  cost: 1,
  tool: "get_subnames",
  handle: async (request, ctx) => {
    const { name } = request;
    const chosen: ChosenChildren = {
      chains: await chainsOfChildren(ctx, name),
      node: name.node,
      now: ctx.now,
      text: request.q,
      without: { expired: !request.include_expired, ownerless: !request.include_ownerless },
    };
    const order = { sortBy: request.sort_by, sortDir: request.sort_dir };
    const keys = domainKeys(order, ctx.now, sqlOf(chosen.chains));
    const { part, fields } = openPage("/domain/{name}/subdomains", request, keys);
    const { chains, node } = chosen;
    const countAll = async () => (await childCounts.read(ctx.db, { chains, nodes: [node] })).get(node) ?? 0;
    const { rows, condition, ...found } = await listChildren(
      ctx.db,
      { ...part, ...order },
      { chosen, countAll },
    );
    const children = await checkListed(ctx, [{ rows, condition }]);
    const results = await listedItems(ctx, [...children.values()], request.include);
    const gap = await childrenGap(ctx, name);
    return { domain: name.name, results, ...fields(found), ...gap };
  },
});

export const searchEndpoints = [searchDomains, subdomains];
