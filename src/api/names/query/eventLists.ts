import { domain, event, holder } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { keyOf, loggedAs } from "../rules/eventTypes.ts";
import { arrayOf } from "./arrays.ts";
import { nameKey } from "./domains.ts";
import { conditionOf, type EventFilters, loggedOf, lookedOf, withTimesOfBlocks } from "./eventFilters.ts";
import { type EventRow, eventKeys, isEventOfRow } from "./eventRows.ts";
import { type EventSource, keysOf, MAX_NAMES, type Reading } from "./eventSources.ts";
import {
  countOfEvents,
  type EventList,
  type ListedEvent,
  pageOfEvents,
  type Whole,
  written,
} from "./eventStatements.ts";
import { MAX_ENTRIES, readList } from "./list.ts";
import { emptyPage, FEWEST_ROWS, limitOf, MAX_COUNTED, offsetOf, type Page, type Part } from "./page.ts";
import { type Scope, sqlOf } from "./scope.ts";

/** The selection of a page of events. */
export type EventQuery = EventList & {
  filters: EventFilters;
  part: Part;
};

/** A page of events. `total` is at most {@link MAX_COUNTED} + 1, and exact for names. */
export async function listEventPage(db: Db, query: EventQuery): Promise<Page<ListedEvent>> {
  const { source, direction, part, listed } = query;
  const filters = await withTimesOfBlocks(db, source.chains, query.filters);
  const reading = await readingOf(db, source, filters);
  if (reading.looked.names.length === 0) return emptyPage(part);
  const whole = isUnfiltered(query.filters) ? wholeOf(source) : undefined;
  const isUsual = [FEWEST_ROWS, MAX_ENTRIES + 1].includes(limitOf(part)) && isFirstPage(part);
  const list = { source, direction, listed, whole: isUsual ? whole : undefined };
  return readList(part, {
    keys: eventKeys("events", direction),
    read: (page) => pageOfEvents(db, list, { ...reading, after: part.after }, page),
    count: () => countOfEvents(db, { source, whole }, reading, MAX_COUNTED),
  });
}

const isFirstPage = (part: Part): boolean => part.after === undefined && offsetOf(part) === 0;

/** All events of one name or address: the most frequent lists. */
function wholeOf(source: EventSource): Whole | undefined {
  const { placeholder } = sql;
  const title = `${source.kind} ${source.chains.ids}`;
  if (source.kind === "names" && source.names.of === "one") {
    const names = { of: "one", name: placeholder("node") } as const;
    return { title, source: { ...source, names }, values: { node: source.names.name } };
  }
  if (source.kind === "address" && source.names.of === "address") {
    const { address } = source;
    const { reverseChains, reverseNodes } = source.names;
    const asked = { address: placeholder("address"), reverseNodes: placeholder("reverseNodes") };
    return {
      title: `${title} ${reverseChains}`,
      source: { ...source, address: asked.address, names: { ...source.names, ...asked } },
      values: { address, reverseNodes },
    };
  }
  return undefined;
}

const isUnfiltered = ({ types, records, key, coinType, times, blocks }: EventFilters): boolean =>
  [types, records, key, coinType, times?.from, times?.to, blocks?.from, blocks?.to].every(
    (one) => one === undefined,
  );

/** Counts the events of a source, up to `countTo` + 1. For one name the count is exact. */
export const countEvents = async (db: Db, source: EventSource, countTo: number): Promise<number> =>
  countOfEvents(db, { source }, await readingOf(db, source, {}), countTo);

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
    .limit(1);
  const logged = loggedAs(filters.types ?? []).map(keyOf);
  const isOfType = first && logged.includes(keyOf({ family: first.family, eventType: "Transfer" }));
  return isOfType ? names : names.filter((name) => name !== "Transfer");
}

/** Returns true if there are more rows than the names that one list covers. */
const hasMore = async (db: Db, rows: SQL): Promise<boolean> =>
  (await db.execute(sql`${rows} offset ${MAX_NAMES} limit 1`)).rows.length > 0;

/** Returns true if an address appeared on more names than its list covers. */
export const hasMoreNames = (db: Db, { address, chains }: { address: Address; chains: Scope }) =>
  hasMore(
    db,
    sql`select from ${holder} where ${holder.address} = ${address} and ${sqlOf(chains).holds(holder.chainId)}`,
  );

/** Returns true if a name has more direct subnames than one list covers. */
export const hasMoreChildren = (db: Db, { node, chains }: { node: Hex; chains: Scope }) =>
  hasMore(
    db,
    sql`select from ${domain} where ${domain.parentNode} = ${node} and ${sqlOf(chains).holds(domain.chainId)}`,
  );

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
