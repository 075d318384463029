import type { z } from "@hono/zod-openapi";
import { ApiError } from "../../../server/errors/errors.ts";
import type { Ctx } from "../../../server/http/context.ts";
import { nameKey } from "../../query/domains.ts";
import type { EventFilters } from "../../query/eventFilters.ts";
import { type EventName, findEventNames } from "../../query/eventLists.ts";
import type { ListedEvent } from "../../query/eventStatements.ts";
import { type Scope, scopeOf } from "../../query/scope.ts";
import { askedChains } from "../../resolution/askedChains.ts";
import { eventTypes } from "../../rules/eventTypes.ts";
import { input } from "../../schemas/input.ts";
import { toEventRecord } from "../../serializers/toEvent.ts";

const MAX_SECOND = 2 ** 53 - 1;
const MAX_BLOCK = 2 ** 31 - 1;

const bound = (name: string, description: string, max: number) =>
  input.digits(name, { min: 0, max, description }).optional();

/** Filters that every list of events has. */
export const filters = () => ({
  type: input
    .list(eventTypes, "type", "Kinds of events, separated by commas")
    .optional()
    .openapi({ example: "registration,renewal" }),
  chain: input.chains("All indexed chains by default."),
  time_from: bound("time_from", "From this second on, in unix seconds", MAX_SECOND),
  time_to: bound("time_to", "Up to this second, in unix seconds", MAX_SECOND),
  block_from: bound("block_from", "From this block on, of one chain", MAX_BLOCK),
  block_to: bound("block_to", "Up to this block, of one chain", MAX_BLOCK),
});

/** The values of these filters in a request. */
export type AskedEvents = z.output<z.ZodObject<ReturnType<typeof filters>>>;

/** The same values for a statement. */
export const filtersOf = ({ type, time_from, time_to, block_from, block_to }: AskedEvents): EventFilters => ({
  types: type,
  times: { from: time_from, to: time_to },
  blocks: { from: block_from, to: block_to },
});

/** The chains of a list: those it can have, narrowed to those the caller names. */
export function chainsOf(ctx: Ctx, { chain, block_from, block_to }: AskedEvents, all: Scope): Scope {
  const asked = chain === undefined ? all : askedChains(chain, ctx.contracts, ctx.contracts.indexedChainIds);
  const chains = { ...asked, ids: asked.ids.filter((id) => all.ids.includes(id)) };
  if ((block_from ?? block_to) !== undefined && chains.ids.length !== 1) {
    throw new ApiError("INVALID_PARAMETER", "Block numbers differ by chain: select one chain with `chain`.");
  }
  return chains;
}

/** All indexed chains. */
export const everyChain = ({ contracts }: Ctx): Scope => scopeOf(contracts.indexedChainIds, contracts);

/** Resolvers on these chains whose events belong to any name. */
export const listedOn = ({ contracts }: Ctx, { ids }: Scope) =>
  ids.flatMap((chainId) => contracts.resolversOf(chainId).listed.map((address) => ({ chainId, address })));

/** A page of events with their names, in the form of answers. `nameOf` gives the names of nodes that have no row. */
export async function toEvents(
  ctx: Ctx,
  rows: readonly ListedEvent[],
  nameOf: (row: ListedEvent) => EventName | undefined = () => undefined,
) {
  const names = await findEventNames(ctx.db, rows);
  return rows.map((row) => toEventRecord(row, ctx, { name: names.get(nameKey(row)) ?? nameOf(row) }));
}

/** Which resolver events a list of a name has. */
export const RESOLVERS =
  "Resolver events count if the resolver is a known one, or was the name's at some time.";
