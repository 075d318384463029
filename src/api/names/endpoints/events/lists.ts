import { z } from "@hono/zod-openapi";
import type { Address } from "viem";
import { ApiError } from "../../../server/errors/errors.ts";
import type { Ctx } from "../../../server/http/context.ts";
import { endpoint } from "../../../server/http/endpoint.ts";
import { hasMoreNames, listEventPage } from "../../query/eventLists.ts";
import { eventKeys } from "../../query/eventRows.ts";
import { type EventSource, MAX_NAMES, type ReverseNames } from "../../query/eventSources.ts";
import { MAX_COUNTED, type SortDirection } from "../../query/page.ts";
import type { Scope } from "../../query/scope.ts";
import { reverseNodesOf } from "../../resolution/primaryNameClaims.ts";
import { address, event, pageFields, totalMinimum } from "../../schemas/answers.ts";
import { input } from "../../schemas/input.ts";
import { listPage, type PageInput } from "../../schemas/paging.ts";
import { toAddress } from "../../serializers/hex.ts";
import { openPage, totalsOf } from "../../serializers/listPages.ts";
import {
  type AskedEvents,
  chainsOf,
  everyChain,
  filters,
  filtersOf,
  listedOn,
  RESOLVERS,
  toEvents,
} from "./filterParameters.ts";
import { domainEvents } from "./nameEvents.ts";

type ListRequest = AskedEvents & PageInput & { sort_dir: SortDirection };

/** Answers a request for a list of events. */
async function answerList(ctx: Ctx, operation: string, request: ListRequest, source: EventSource) {
  const direction = request.sort_dir;
  const { part, fields } = openPage(operation, request, eventKeys("events", direction));
  const listed = listedOn(ctx, everyChain(ctx));
  const filters = filtersOf(request);
  const found = await listEventPage(ctx.db, { source, filters, direction, part, listed });
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
  "A log about several names is one event for each. Events are ordered by time, then by chain, block and log.";

const relations = ["any", "party", "name"] as const;

const relation = () =>
  input.choice(relations, "relation").default("any").openapi({
    description:
      "`party`: events with the address as owner, sender, receiver, operator, or account that gained a permission; `name`: all events of names that it holds or held; `any`: both",
  });

const addressEvents = endpoint({
  method: "get",
  path: "/address/{address}/events",
  group: "Addresses",
  summary: "Events of an address",
  description: `Contract events about an address and the names that it holds or held, newest first. Includes its reverse names, by which it claims a primary name. ${RESOLVERS} ${SHAPE} If the address appeared on more than ${MAX_NAMES} names, the list has all events of the latest ${MAX_NAMES}, and for the others only those that name the address: \`is_incomplete\` marks this. Records that point to an address are not its events.`,
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
  tool: { name: "get_address_portfolio", view: "events" },
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
  const names = { of: "address", address, ...reverseOf(ctx, address, chains) } as const;
  const listed = listedOn(ctx, chains);
  return relation === "name"
    ? { kind: "names", names, listed, chains }
    : { kind: "address", names, listed, chains, address };
}

/** An address's reverse names on these chains. */
function reverseOf({ contracts }: Ctx, address: Address, { ids }: Scope): ReverseNames {
  const own = reverseNodesOf(address, contracts).filter(({ chainId }) => ids.includes(chainId));
  return { reverseChains: own.map(({ chainId }) => chainId), reverseNodes: own.map(({ node }) => node) };
}

const contractEvents = endpoint({
  method: "get",
  path: "/contract/{address}/events",
  group: "Lookups",
  summary: "Events of a contract",
  description: `Events of one registry, registrar, controller or resolver, newest first. Empty for a contract that is not indexed. ${SHAPE}`,
  params: z.object({ address: input.address() }),
  query: z.object({ ...filters(), sort_dir: input.sortDir("desc"), ...listPage() }),
  reply: z.strictObject({ contract_address: address, ...listFields }),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  handle: async (request, ctx) => {
    const { address } = request;
    const chains = chainsOf(ctx, request, everyChain(ctx));
    const source: EventSource = { kind: "contract", address, chains };
    const answer = await answerList(ctx, "/contract/{address}/events", request, source);
    return { contract_address: toAddress(address), ...answer };
  },
});

const allQuery = z.object({
  address: input.address().optional(),
  relation: relation(),
  contract: input.address().optional(),
  ...filters(),
  sort_dir: input.sortDir("desc"),
  ...listPage(),
});

const allEvents = endpoint({
  method: "get",
  path: "/events",
  group: "Lookups",
  summary: "All events",
  description: `Events of all indexed contracts, newest first; with \`address\` those of an address, with \`contract\` those of a contract. ${SHAPE} A resolver log that does not count for the name has \`is_foreign\`.`,
  query: allQuery,
  reply: z.strictObject(listFields),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  tool: "get_events",
  handle: async (request, ctx) => {
    const chains = chainsOf(ctx, request, everyChain(ctx));
    return answerList(ctx, "/events", request, sourceOf(ctx, request, chains));
  },
});

function sourceOf(
  ctx: Ctx,
  { address, relation, contract, type, chain }: z.output<typeof allQuery>,
  chains: Scope,
): EventSource {
  if (address !== undefined && contract !== undefined) {
    throw new ApiError("INVALID_PARAMETER", "`address` and `contract` exclude each other: send one of them.");
  }
  if (address !== undefined) return addressSource(ctx, { address, relation }, chains);
  if (contract !== undefined) return { kind: "contract", address: contract, chains };
  return { kind: "all", isWhole: type === undefined && chain === undefined, chains };
}

export const eventEndpoints = [domainEvents, addressEvents, contractEvents, allEvents];
