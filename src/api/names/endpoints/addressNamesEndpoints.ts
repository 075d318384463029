import { z } from "@hono/zod-openapi";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import { withPageTimeout } from "../../server/http/pageTimeout.ts";
import { limiter } from "../../server/scheduling/bounded.ts";
import { countHeld, type HeldCounts } from "../query/addresses/counts.ts";
import { isFirstOwned, listFirstOwned, listHeld } from "../query/addresses/held.ts";
import type { NameFilters } from "../query/addresses/nameFilters.ts";
import type { Held } from "../query/addresses/relationParts.ts";
import type { DomainPage } from "../query/domainLists.ts";
import { addressSortColumns, domainKeys } from "../query/page.ts";
import { allChains, sqlOf } from "../query/scope.ts";
import type { DomainState } from "../resolution/domainState.ts";
import { resolvePrimaryNames } from "../resolution/resolvePrimaryNames.ts";
import { protocolWords } from "../rules/protocols.ts";
import { ANY, type Relation, relations } from "../rules/relations.ts";
import { availabilities } from "../rules/stages.ts";
import { address, addressDomainItem, count, pageFields } from "../schemas/answers.ts";
import { input, nodeOfName } from "../schemas/input.ts";
import { listPage } from "../schemas/paging.ts";
import { ACTIVE, ALL_CHAINS, EXPIRED } from "../schemas/sentences.ts";
import { toAddress } from "../serializers/hex.ts";
import { openPage } from "../serializers/listPages.ts";
import { sumOf } from "../statistics/numbers.ts";
import { addressAt, BY_CHAIN, byChain, CHAINS, COUNTED } from "./askedAddress.ts";
import { checkHeld, toHeldItems } from "./heldItems.ts";
import { included } from "./listedItems.ts";

const types = [...relations, "any"] as const;

const time = (name: string, description: string) =>
  input.digits(name, { min: 0, max: 999_999_999_999_999, description, example: 1893456000 }).optional();

/** Parameters that choose names of an address, shared by the list and its count. */
const whichNames = () => ({
  address_type: input
    .words(types, "address_type", {
      description:
        "Relations of the address to the names, one or more: effective owner (wrapper first, then registrar, then registry), owner in one of the three, resolver, `manager` (ENSv1: holder of the NameWrapper token if wrapped, otherwise owner in the registry), `role_holder` (ENSv2), `former_owner` (as in previous-domains). `any`: effective owner, manager or role holder. Owner in the wrapper applies to wrapped names. A name counts once",
      example: "effective_owner",
    })
    .default(["effective_owner"])
    .openapi({ default: "effective_owner" as never }),
  chain: input.chains(ALL_CHAINS),
  protocol: input
    .words(protocolWords, "protocol", {
      description:
        "Names answered by one of these: `ensv2`; `ensv1`, or its parts `registry` (2020) and `registry_old` (only in that of 2017); `wrapper` (wrapped names); `layer2` (Basenames, Lineanames, 3DNS)",
      example: "ensv1",
    })
    .optional(),
  parent: input
    .name("eth")
    .optional()
    .openapi({ description: "Direct subnames of this name; `eth`: second-level .eth names" }),
  q: input
    .text("q", { max: 255, description: "Part of the full name, in any case", example: "ali" })
    .optional(),
  availability_status: input
    .words(availabilities, "availability_status", {
      description: "States at the time of the request; overrides `include_expired`",
      example: "registered,grace",
    })
    .optional(),
  migrated: input.optionalFlag("migrated", "`true`: names migrated from ENSv1 to ENSv2; `false`: all others"),
  expiry_from: time("expiry_from", "Earliest expiry, unix seconds"),
  expiry_to: time("expiry_to", "Latest expiry, unix seconds"),
  resolver: input.address().openapi({ description: "Resolver of the names" }).optional(),
});

type Which = z.infer<z.ZodObject<ReturnType<typeof whichNames>>> & { address: Held["address"] };

const relationsIn = (words: Which["address_type"]): Relation[] => [
  ...new Set(words.flatMap((word) => (word === "any" ? ANY : [word]))),
];

const heldOf = (ctx: Ctx, asked: Which): Held => ({
  ...addressAt(ctx, asked),
  relations: relationsIn(asked.address_type),
});

const filtersOf = (asked: Which, choice: NameFilters["choice"]): NameFilters => ({
  choice,
  states: asked.availability_status,
  protocols: asked.protocol,
  parent: asked.parent?.node,
  text: asked.q || undefined,
  isFromEnsv1: asked.migrated,
  expiryFrom: asked.expiry_from,
  expiryTo: asked.expiry_to,
  resolver: asked.resolver,
});

/** Parameters of the list. */
const query = z.object({
  ...whichNames(),
  include_expired: input.flag(
    "include_expired",
    "`true` also lists names past grace; names in grace are always listed",
  ),
  include: included("primary"),
  ...listPage(),
  sort_by: input.sortBy(addressSortColumns),
  sort_dir: input.sortDir(),
});

export const addressDomains = endpoint({
  method: "get",
  path: "/address/{address}/domains",
  group: "Addresses",
  summary: "Names of an address",
  description: `Names related to an address: names it owns or owned, manages, has roles for, or is the resolver of. Each item lists all relations of the address to the name. Filters combine; a name must meet all. ${CHAINS} ${ACTIVE} ${COUNTED}`,
  params: z.object({ address: input.address() }),
  query,
  reply: z.strictObject({
    address,
    address_type: z.string().openapi({ example: "effective_owner" }),
    results: z.array(addressDomainItem),
    ...pageFields,
  }),
  errors: ["INVALID_ADDRESS", "INVALID_NAME", "LIMIT_EXCEEDED"],
  cost: 1,
  tool: { name: "get_address_portfolio", view: "domains", expires: "until_then" },
  handle: async (request, ctx) => {
    const page = await readHeldPage(ctx, request);
    const [names = []] = await checkHeld(ctx, [page]);
    const include = request.include ?? [];
    const [items, isPrimary] = await Promise.all([
      toHeldItems(
        ctx,
        names,
        include.filter((word) => word !== "primary"),
      ),
      include.includes("primary") ? readPrimary(ctx, request.address) : undefined,
    ]);
    return {
      address: toAddress(request.address),
      address_type: request.address_type.join(),
      results: [...items].map(([{ state }, item]) =>
        isPrimary ? { ...item, is_primary: isPrimary(state) } : item,
      ),
      ...page.fields,
    };
  },
});

type Request = z.infer<typeof query> & { address: Held["address"] };

/** Rows of a page of an address's names, and the page's own fields in the answer. */
async function readHeldPage(ctx: Ctx, request: Request) {
  const { toPage, ...list } = openHeld(ctx, request);
  return toPage(await withPageTimeout(list.page, listHeld(ctx.db, list.held, list)));
}

/** How a page is read, and how its rows become items. */
function openHeld(ctx: Ctx, request: Request) {
  const held = heldOf(ctx, request);
  const filters = filtersOf(request, request.include_expired ? "all" : "active");
  const order = { sortBy: request.sort_by, sortDir: request.sort_dir };
  const keys = domainKeys(order, ctx.now, sqlOf(held.chains));
  const { part, fields } = openPage("/address/{address}/domains", request, keys);
  const toPage = ({ rows, condition, ...found }: DomainPage) => ({
    address: held.address,
    rows,
    condition,
    fields: fields(found),
  });
  return { held, filters, page: { ...part, ...order }, toPage };
}

/** Lists read at once for one request, so that others get connections. */
const LISTS_AT_ONCE = 3;

/** The first page of each list, in order. One statement reads those of owners' names. */
export async function readFirstPages(ctx: Ctx, requests: readonly Request[]) {
  const lists = requests.map((request) => openHeld(ctx, request));
  const owned = lists.filter((list) => isFirstOwned(list.held, list));
  const pages = await listFirstOwned(ctx.db, {
    chains: allChains(ctx.contracts),
    lists: owned,
    now: ctx.now,
  });
  const pageOf = new Map(owned.map((list, i) => [list, pages[i]]));
  const inTurn = limiter(LISTS_AT_ONCE);
  const { signal } = new AbortController();
  return Promise.all(
    lists.map(async (list) =>
      list.toPage(pageOf.get(list) ?? (await inTurn(signal, () => listHeld(ctx.db, list.held, list)))),
    ),
  );
}

/** The primary name of an address, by the rule of `primary-name`; null if it could not be determined. */
async function readPrimary(
  ctx: Ctx,
  address: Held["address"],
): Promise<(name: DomainState) => boolean | null> {
  const [result] = await resolvePrimaryNames(ctx, [{ address }]);
  if (result instanceof ApiError) return () => null;
  const { primary } = result;
  const node = primary && nodeOfName(primary.name);
  const chainId = primary?.state?.chainId ?? ctx.contracts.chainId;
  return (name) => name.node === node && name.chainId === chainId;
}

const parts = {
  active_count: count.openapi({ description: "Names with `availability_status` `registered` or `grace`" }),
  expired_count: count.openapi({ description: "Names with status `premium` or `available`" }),
  unknown_count: count.openapi({
    description:
      "Names with status `unknown`: emancipated subnames and ENSv2 names after their expiry, and others",
  }),
};

const addressDomainCount = endpoint({
  method: "get",
  path: "/address/{address}/domain-count",
  group: "Addresses",
  summary: "Number of names of an address",
  description: `Takes the same filters as the list of names. ${ACTIVE} ${EXPIRED} ${COUNTED}`,
  params: z.object({ address: input.address() }),
  query: z.object(whichNames()),
  reply: z
    .strictObject({
      address,
      address_type: z.string().openapi({ example: "effective_owner" }),
      count: count.openapi({
        description: "The sum of `active_count`, `expired_count` and `unknown_count`",
      }),
      ...parts,
      by_chain: z
        .array(z.strictObject({ chain: z.string(), count, ...parts }))
        .optional()
        .openapi({ description: BY_CHAIN }),
    })
    .openapi("AddressDomainCount"),
  errors: ["INVALID_ADDRESS", "INVALID_NAME"],
  cost: 1,
  tool: { name: "get_address_portfolio", view: "count" },
  handle: async (request, ctx) => {
    const held = await countHeld(ctx.db, heldOf(ctx, request), filtersOf(request, "all"));
    const toCounts = (counts: readonly HeldCounts[]) => {
      const total = sumOf(counts, (one) => one.total);
      const active = sumOf(counts, (one) => one.active);
      const expired = sumOf(counts, (one) => one.expired);
      const unknown = total - active - expired;
      return { count: total, active_count: active, expired_count: expired, unknown_count: unknown };
    };
    return {
      address: toAddress(request.address),
      address_type: request.address_type.join(),
      ...toCounts([...held.values()]),
      ...byChain(ctx, (chainId) => toCounts([held.get(chainId) ?? []].flat())),
    };
  },
});

export const addressNameEndpoints = [addressDomains, addressDomainCount];
