import { domain, event, holder } from "ponder:schema";
import { and, eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { keyOf, loggedAs } from "../rules/eventTypes.ts";
import { arrayOf } from "./arrays.ts";
import { conditionOf, type EventFilters, loggedOf, lookedOf, withTimesOfBlocks } from "./eventFilters.ts";
import { type EventRow, eventKeys, isEventOfRow } from "./eventRows.ts";
import { type EventSource, keysOf, MAX_NAMES, type Reading, valuesOf } from "./eventSources.ts";
import { countOfEvents, type EventList, type ListedEvent, pageOfEvents, written } from "./eventStatements.ts";
import { afterValues, asPlaceholder } from "./keyset.ts";
import { readList } from "./list.ts";
import { emptyPage, MAX_COUNTED, type Page, type Part, preparedLimitOf } from "./page.ts";
import { runOfShape, type Scope, sqlOf } from "./scope.ts";

/** The selection of a page of events. */
export type EventQuery = EventList & {
  filters: EventFilters;
  part: Part;
  /** True without filters and without a selection of chains. */
  isPlain: boolean;
};

/** A page of events. `total` is at most {@link MAX_COUNTED} + 1, and exact for names. */
export async function listEventPage(db: Db, query: EventQuery): Promise<Page<ListedEvent>> {
  const { source, direction, part, listed } = query;
  const filters = await withTimesOfBlocks(db, source.chains, query.filters);
  const reading = await readingOf(db, source, filters);
  if (reading.looked.names.length === 0) return emptyPage(part);
  const values = { ...valuesOf(source), ...afterValues(part.after) };
  const after = part.after && asPlaceholder;
  const pageOf = (limit: number, offset: number) =>
    pageOfEvents(db, { source, direction, listed }, { ...reading, after }, { limit, offset });
  const count = () => countOfEvents(db, source, reading, MAX_COUNTED);
  // Planning takes 15 of 20 ms, because a dozen places of logs are joined.
  const shape = query.isPlain ? shapeOf(source) : undefined;
  return readList(part, {
    keys: eventKeys("events", direction),
    read: async ({ limit, offset }) => {
      if (shape === undefined || offset > 0) return pageOf(limit, offset).execute(values);
      const most = preparedLimitOf(part);
      const ofPage = [...shape, listed, direction, most, after !== undefined];
      const found = await runOfShape(db, source.chains, ofPage, () => pageOf(most, 0), values);
      return found.slice(0, limit);
    },
    count: async () => {
      const counted = await (shape
        ? runOfShape(db, source.chains, ["count", ...shape], count, values)
        : count().execute(values));
      return counted[0]?.total ?? 0;
    },
  });
}

/** Everything that determines the text of an address's statements; undefined for other sources. */
function shapeOf(source: EventSource): unknown[] | undefined {
  if (source.kind === "party") return ["events", source.kind];
  if (!("names" in source) || source.names.of !== "address") return undefined;
  return ["events", source.kind, source.names.reverseChains, source.listed];
}

/** Counts the events of a source, up to `countTo` + 1. For one name the count is exact. */
export async function countEvents(db: Db, source: EventSource, countTo: number): Promise<number> {
  const counted = countOfEvents(db, source, await readingOf(db, source, {}), countTo);
  const [row] = await counted.execute(valuesOf(source));
  return row?.total ?? 0;
}

const readingOf = async (db: Db, source: EventSource, filters: EventFilters): Promise<Reading> => {
  const looked = lookedOf(filters);
  const isKnown = source.kind === "contract" && filters.types !== undefined;
  const names = isKnown ? await namesAtContract(db, source, filters) : looked.names;
  const of = sqlOf(source.chains);
  return {
    looked: { ...looked, names },
    logged: loggedOf(filters),
    condition: (time) => conditionOf(filters, of, time),
  };
};

const newest = { limit: written(1), direction: "desc" } as const;

/**
 * The names of a contract's events of some types. `Transfer` has different types at registries and at registrars. The kind of the
 * contract decides, so that its logs of the other type are not read.
 */
async function namesAtContract(
  db: Db,
  source: EventSource & { kind: "contract" },
  filters: EventFilters,
): Promise<readonly string[]> {
  const { names } = lookedOf(filters);
  if (!names.includes("Transfer")) return names;
  const reading = { looked: { names: ["Transfer"] }, logged: [], first: newest };
  const page = sql`(${keysOf(source, reading)}) as page`;
  const [first] = await db
    .select({ family: event.contract })
    .from(event)
    .innerJoin(page, isEventOfRow)
    .limit(1)
    .execute(valuesOf(source));
  const logged = loggedAs(filters.types ?? []).map(keyOf);
  const isOfType = first && logged.includes(keyOf({ family: first.family, eventType: "Transfer" }));
  return isOfType ? names : names.filter((name) => name !== "Transfer");
}

/** Returns true if an address appeared on more names than its list covers. */
export async function hasMoreNames(
  db: Db,
  { address, chains }: { address: Address; chains: Scope },
): Promise<boolean> {
  const rows = await db
    .select({ node: holder.node })
    .from(holder)
    .where(and(eq(holder.address, address), sqlOf(chains).holds(holder.chainId)))
    .offset(MAX_NAMES)
    .limit(1);
  return rows.length > 0;
}

/** Returns true if a name has more direct subnames than one list covers. */
export async function hasMoreChildren(
  db: Db,
  { node, chains }: { node: Hex; chains: Scope },
): Promise<boolean> {
  const rows = await db
    .select({ node: domain.node })
    .from(domain)
    .where(and(eq(domain.parentNode, node), sqlOf(chains).holds(domain.chainId)))
    .offset(MAX_NAMES)
    .limit(1);
  return rows.length > 0;
}

/** The parts of an event's name that answers show: the name, and its labelhash. */
export type EventName = { fullName: string; labelhash: Hex | null };

/** The names of events, by chain and node. */
export async function findEventNames(
  db: Db,
  events: readonly Pick<EventRow, "chainId" | "node">[],
): Promise<Map<string, EventName>> {
  const nodes = [...new Set(events.flatMap(({ node }) => node ?? []))];
  if (nodes.length === 0) return new Map();
  const rows = await db
    .select({
      chainId: domain.chainId,
      node: domain.node,
      fullName: domain.fullName,
      labelhash: domain.labelhash,
    })
    .from(domain)
    .where(sql`${domain.node} = any(${arrayOf(nodes, "text")})`);
  return new Map(rows.map(({ chainId, node, ...name }) => [nameKey({ chainId, node }), name]));
}

export const nameKey = ({ chainId, node }: Pick<EventRow, "chainId" | "node">): string =>
  `${chainId} ${node}`;
