import { z } from "@hono/zod-openapi";
import type { Address } from "viem";
import { ApiError } from "../errors/errors.ts";
import type { Ctx } from "../http/context.ts";
import { endpoint } from "../http/endpoint.ts";
import type { EventFilters } from "../query/eventFilters.ts";
import {
  findEventNames,
  hasMoreChildren,
  hasMoreNames,
  type ListedEvent,
  listEventPage,
  nameKey,
} from "../query/eventLists.ts";
import { eventKeys } from "../query/eventRows.ts";
import { type EventSource, MAX_NAMES } from "../query/eventSources.ts";
import { listEvents } from "../query/events.ts";
import { MAX_COUNTED, type Page, type SortDirection } from "../query/page.ts";
import { type Scope, scopeOf } from "../query/scope.ts";
import { MAX_ENTRIES } from "../query/section.ts";
import { askedChains } from "../resolution/askedChains.ts";
import { historyGap } from "../resolution/ensv2/followed.ts";
import { chainsOfChildren, chainsOfName } from "../resolution/nameChains.ts";
import { reverseNodesOf } from "../resolution/reverseNodes.ts";
import { eventTypes, recordFamilies } from "../rules/eventTypes.ts";
import { address, event, historyFields, isIncomplete, pageFields, totalMinimum } from "../schemas/answers.ts";
import { input, type ParsedName } from "../schemas/input.ts";
import { historyPage, listPage } from "../schemas/paging.ts";
import { toEventRecord } from "../serializers/event.ts";
import { toAddress } from "../serializers/hex.ts";
import { NEWEST, openHistory } from "../serializers/historyPages.ts";
import { openPage, totalsOf } from "../serializers/listPages.ts";

const MAX_SECOND = 2 ** 53 - 1;
const MAX_BLOCK = 2 ** 31 - 1;

const bound = (name: string, description: string, max: number) =>
  input.digits(name, { min: 0, max, description }).optional();

/** Filters of every list of events. */
const filters = () => ({
  type: input
    .list(eventTypes, "type", "Kinds of events, separated by commas")
    .optional()
    .openapi({ example: "registration,renewal" }),
  chain: input.chains("Left out: all chains that are indexed."),
  time_from: bound("time_from", "Not before this second, in unix seconds", MAX_SECOND),
  time_to: bound("time_to", "Not after this second, in unix seconds", MAX_SECOND),
  block_from: bound("block_from", "Not before this block; of one chain", MAX_BLOCK),
  block_to: bound("block_to", "Not after this block; of one chain", MAX_BLOCK),
});

type Asked = {
  type?: EventFilters["types"];
  chain?: readonly string[] | undefined;
  time_from?: number | undefined;
  time_to?: number | undefined;
  block_from?: number | undefined;
  block_to?: number | undefined;
};

const filtersOf = ({ type, time_from, time_to, block_from, block_to }: Asked): EventFilters => ({
  types: type,
  times: { from: time_from, to: time_to },
  blocks: { from: block_from, to: block_to },
});

/** The chains of a list: those that the caller names of those that it can have. */
function chainsOf(ctx: Ctx, { chain, block_from, block_to }: Asked, all: Scope): Scope {
  const asked = chain === undefined ? all : askedChains(chain, ctx.contracts, ctx.contracts.indexedChainIds);
  const chains = { ...asked, ids: asked.ids.filter((id) => all.ids.includes(id)) };
  if ((block_from ?? block_to) !== undefined && chains.ids.length !== 1) {
    throw new ApiError("INVALID_PARAMETER", "Blocks are counted on each chain: name one chain by `chain`.");
  }
  return chains;
}

const everyChain = ({ contracts }: Ctx): Scope => scopeOf(contracts.indexedChainIds, contracts);

const listedOn = ({ contracts }: Ctx, { ids }: Scope) =>
  ids.flatMap((chainId) => contracts.resolversOf(chainId).listed.map((address) => ({ chainId, address })));

/** A page of events with their names, as answers show them. */
async function toEvents(ctx: Ctx, rows: readonly ListedEvent[]) {
  const names = await findEventNames(ctx.db, rows);
  return rows.map((row) => toEventRecord(row, ctx, { name: names.get(nameKey(row)) }));
}

type ListRequest = Asked & Parameters<typeof openPage>[0]["input"] & { sort_dir: SortDirection };

/** Answers a list of events. */
async function answerList(ctx: Ctx, operation: string, request: ListRequest, source: EventSource) {
  const direction = request.sort_dir;
  const { part, fields } = openPage({
    operation,
    input: request as ListRequest & Record<string, unknown>,
    keys: eventKeys("events", direction),
  });
  const listed = listedOn(ctx, everyChain(ctx));
  const found = await listEventPage(ctx.db, { source, filters: filtersOf(request), direction, part, listed });
  return {
    events: await toEvents(ctx, found.rows),
    ...fields(found),
    ...totalsOf(found.total),
  };
}

const listFields = {
  events: z.array(event),
  ...pageFields,
  is_total_minimum: totalMinimum("events", MAX_COUNTED),
};

const SHAPE =
  "A log that concerns several names is one event for each. The order is that of time; of one time that of chains, blocks and logs.";

const RESOLVERS =
  "Events of resolvers count if the resolver is a known one, or was the name's own at some time.";

const coinType = () =>
  z
    .string()
    .regex(/^(0|[1-9][0-9]{0,77})$/, {
      error: () => "`coin_type` must be a whole number of at most 78 digits.",
    })
    .transform(BigInt)
    .openapi({
      type: "string",
      example: "60",
      description: "Settings of the address of this coin type (SLIP-44, ENSIP-11)",
    });

const domainEvents = endpoint({
  method: "get",
  path: "/domain/{name}/events",
  group: "Domains",
  summary: "Every event of a name",
  description: `What the contracts logged of a name, oldest first. ${RESOLVERS} A name below a layer 2's managed name has the events of both chains, each with its \`chain\`. ${NEWEST} With \`record\`, \`record_key\` or \`coin_type\` it is the history of records: their settings at every resolver that the name had, and what ended or replaced all of them (\`VersionChanged\`, \`Cleared\`, \`Linked\`, a change of the resolver). What only time brings, the end of a registration or of its grace, is no event: the ownership history has it.`,
  params: z.object({ name: input.name() }),
  query: z.object({
    ...filters(),
    record: input.list(recordFamilies, "record", "Settings of these records, separated by commas").optional(),
    record_key: input
      .text("record_key", { max: 1_000, description: "Settings of the text with this key", example: "url" })
      .optional(),
    coin_type: coinType().optional(),
    children: input.flag(
      "children",
      `\`true\` adds the events of names right below it, if there are at most ${MAX_NAMES}`,
    ),
    sort_dir: input.sortDir(),
    ...historyPage(),
  }),
  reply: z.strictObject({ events: z.array(event), ...historyFields, is_incomplete: isIncomplete }),
  errors: ["INVALID_NAME", "LIMIT_EXCEEDED"],
  cost: 1,
  hotAnswers: true,
  tool: "get_domain_history",
  handle: async (request, ctx) => {
    const { name, children, sort_dir: direction } = request;
    const all = await (children ? chainsOfChildren(ctx, name) : chainsOfName(ctx, name));
    const chains = chainsOf(ctx, request, all);
    const { section, fields } = openHistory({
      ...{ operation: "/domain/{name}/events", input: request, keys: eventKeys("events", direction) },
    });
    const listed = listedOn(ctx, chains);
    if (isPlain(request)) {
      const { rows, ...found } = await listEvents(ctx.db, { node: name.node, chains, listed }, section);
      return {
        events: rows.map((row) => toEventRecord(row, ctx, { name: nameOfRow(name, row) })),
        ...fields(found),
        ...(await historyGap(ctx, name)),
      };
    }
    if (children && (await hasMoreChildren(ctx.db, { node: name.node, chains }))) throw tooManyChildren();
    const query = {
      source: { kind: "names", names: { of: children ? "parent" : "one", name: name.node }, chains, listed },
      filters: { ...filtersOf(request), ...recordsOf(request) },
      ...{ direction, listed },
    } as const;
    const found =
      "newest" in section
        ? await listNewest(ctx, query, section.isCounted)
        : await listEventPage(ctx.db, { ...query, part: section });
    return {
      events: await toEvents(ctx, found.rows),
      ...fields(found),
      ...(await historyGap(ctx, name)),
    };
  },
});

type Query = Omit<Parameters<typeof listEventPage>[1], "part">;

/** The newest events of a history, in its order. */
async function listNewest({ db }: Ctx, query: Query, isCounted: boolean): Promise<Page<ListedEvent>> {
  const part = { page: 1, size: MAX_ENTRIES, isCounted };
  const found = await listEventPage(db, { ...query, direction: "desc", part });
  const rows = query.direction === "asc" ? found.rows.toReversed() : found.rows;
  return { ...found, rows, next: null };
}

type DomainRequest = Asked & {
  record?: EventFilters["records"];
  record_key?: string | undefined;
  coin_type?: bigint | undefined;
  children: boolean;
  sort_dir: SortDirection;
};

/** Whether all events of the name are asked for, in the order of the contract. */
const isPlain = ({ children, sort_dir, ...asked }: DomainRequest): boolean => {
  const { type, chain, time_from, time_to, block_from, block_to, record, record_key, coin_type } = asked;
  const given = [type, chain, time_from, time_to, block_from, block_to, record, record_key, coin_type];
  return !children && sort_dir === "asc" && given.every((one) => one === undefined);
};

/** A key is of a text, and a coin type of an address. */
function recordsOf({
  record,
  record_key: key,
  coin_type: coinType,
}: DomainRequest): Pick<EventFilters, "records" | "key" | "coinType"> {
  if (key !== undefined && coinType !== undefined) {
    throw new ApiError(
      "INVALID_PARAMETER",
      "`record_key` is of texts and `coin_type` of addresses: give one of them.",
    );
  }
  if (key !== undefined) return { records: ["text"], key };
  return coinType === undefined ? { records: record } : { records: ["addr"], coinType };
}

const nameOfRow = ({ name, node, labelhash }: ParsedName, row: { node: string | null }) =>
  row.node === node ? { fullName: name, labelhash } : undefined;

const tooManyChildren = () =>
  new ApiError(
    "LIMIT_EXCEEDED",
    `The name has more than ${MAX_NAMES} names right below it. Ask for the events of each, or without \`children\`.`,
  );

const relations = ["any", "party", "name"] as const;

const relation = () =>
  input.choice(relations, "relation").default("any").openapi({
    description:
      "`party`: events that name the address as owner, sender, receiver, operator, or as the account that got a power; `name`: all events of names that it holds, or held; `any`: both",
  });

const addressEvents = endpoint({
  method: "get",
  path: "/address/{address}/events",
  group: "Addresses",
  summary: "Every event of an address",
  description: `What the contracts logged of an address and of the names that it holds or held, newest first. Its reverse names, by which it claims a primary name, are among them. ${RESOLVERS} ${SHAPE} Of an address that appeared on more than ${MAX_NAMES} names all events of the ${MAX_NAMES} that it got last are here, and of the others those that name the address: \`is_incomplete\` says so. Records that point to an address are no events of it.`,
  params: z.object({ address: input.address() }),
  query: z.object({ relation: relation(), ...filters(), sort_dir: input.sortDir("desc"), ...listPage() }),
  reply: z.strictObject({
    address,
    ...listFields,
    is_incomplete: z
      .literal(true)
      .optional()
      .openapi({ description: `Present where the address appeared on more than ${MAX_NAMES} names` }),
  }),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  hotAnswers: true,
  tool: "get_address_portfolio",
  handle: async (request, ctx) => {
    const chains = chainsOf(ctx, request, everyChain(ctx));
    const source = addressSource(ctx, request, chains);
    const [answer, isIncomplete] = await Promise.all([
      answerList(ctx, "/address/{address}/events", request, source),
      request.relation !== "party" && hasMoreNames(ctx.db, { address: request.address, chains }),
    ]);
    return {
      address: toAddress(request.address),
      ...answer,
      ...(isIncomplete && { is_incomplete: true as const }),
    };
  },
});

type Relation = (typeof relations)[number];

function addressSource(
  ctx: Ctx,
  { address, relation }: { address: Address; relation: Relation },
  chains: Scope,
): EventSource {
  if (relation === "party") return { kind: "party", address, chains };
  const names = { of: "address", address, reverse: reverseNodesOf(address, ctx.contracts) } as const;
  const listed = listedOn(ctx, chains);
  return relation === "name"
    ? { kind: "names", names, listed, chains }
    : { kind: "address", names, listed, chains, address };
}

const contractEvents = endpoint({
  method: "get",
  path: "/contract/{address}/events",
  group: "Lookups",
  summary: "Every event of a contract",
  description: `What one contract logged, newest first: a registry, a registrar, a controller, a resolver. Empty for a contract that is not indexed. ${SHAPE}`,
  params: z.object({ address: input.address() }),
  query: z.object({ ...filters(), sort_dir: input.sortDir("desc"), ...listPage() }),
  reply: z.strictObject({ contract_address: address, ...listFields }),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  hotAnswers: true,
  handle: async (request, ctx) => {
    const { address } = request;
    const chains = chainsOf(ctx, request, everyChain(ctx));
    const source: EventSource = { kind: "contract", address, chains };
    const answer = await answerList(ctx, "/contract/{address}/events", request, source);
    return { contract_address: toAddress(address), ...answer };
  },
});

const allEvents = endpoint({
  method: "get",
  path: "/events",
  group: "Lookups",
  summary: "Every event",
  description: `What all indexed contracts logged, newest first; with \`address\` as the events of an address, with \`contract\` as those of a contract. ${SHAPE} A resolver's log that does not count for the name has \`is_foreign\`.`,
  query: z.object({
    address: input.address().optional(),
    relation: relation(),
    contract: input.address().optional(),
    ...filters(),
    sort_dir: input.sortDir("desc"),
    ...listPage(),
  }),
  reply: z.strictObject(listFields),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  hotAnswers: true,
  tool: "get_events",
  handle: async (request, ctx) => {
    const chains = chainsOf(ctx, request, everyChain(ctx));
    return answerList(ctx, "/events", request, sourceOf(ctx, request, chains));
  },
});

type AllRequest = Asked & {
  address?: Address | undefined;
  relation: Relation;
  contract?: Address | undefined;
};

function sourceOf(
  ctx: Ctx,
  { address, relation, contract, type, chain }: AllRequest,
  chains: Scope,
): EventSource {
  if (address !== undefined && contract !== undefined) {
    throw new ApiError("INVALID_PARAMETER", "`address` and `contract` exclude each other: give one of them.");
  }
  if (address !== undefined) return addressSource(ctx, { address, relation }, chains);
  if (contract !== undefined) return { kind: "contract", address: contract, chains };
  return { kind: "all", isWhole: type === undefined && chain === undefined, chains };
}

export const eventEndpoints = [domainEvents, addressEvents, contractEvents, allEvents];
