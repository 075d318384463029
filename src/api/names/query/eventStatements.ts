import { event, resolverChange } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { eq, sql } from "ponder";
import type { Db } from "../../server/postgres/db.ts";
import { type EventRow, eventKeys, inOrder, isEventOfRow, shownOfEvent } from "./eventRows.ts";
import { type EventSource, keysOf, type Reading } from "./eventSources.ts";
import { type ChainResolver, listedSql } from "./eventsOfNames.ts";
import { type Position, positionOf } from "./keyset.ts";
import type { SortDirection } from "./page.ts";

/* The statements of lists of events from any source: a page, and the total. */

/** An event, and whether its emitter is a resolver that says nothing of the name. */
export type ListedEvent = EventRow & { isForeign: boolean | null };

/** What a page is of. */
export type EventList = {
  source: EventSource;
  direction: SortDirection;
  /** The resolvers that the deployment lists. */
  listed: readonly ChainResolver[];
};

/** A selection of events with their positions. The whole list is read up to the page's end. */
export function pageOfEvents(
  db: Db,
  { source, direction, listed }: EventList,
  reading: Reading,
  { limit, offset }: { limit: number; offset: number },
) {
  const found = keysOf(source, { ...reading, first: { limit: written(limit + offset), direction } });
  const page = sql`(select * from (${each(source, found)}) as log
    order by ${inOrder(direction, "log")} limit ${written(limit)} offset ${written(offset)}) as page`;
  const position = positionOf(eventKeys("events", direction));
  return db
    .select({ ...shownOfEvent, isForeign: isForeignTo(listed), position: position as SQL.Aliased<Position> })
    .from(event)
    .innerJoin(page, isEventOfRow)
    .orderBy(inOrder(direction));
}

/** Counts the events of a source, of all but one name at most one more than `countTo`: `total`. */
export function countOfEvents(db: Db, source: EventSource, reading: Reading, countTo: number) {
  const isBounded = source.kind !== "names" || source.names.of === "address";
  const atMost = written(countTo + 1);
  const found = keysOf(source, { ...reading, ...(isBounded && { atMost }) });
  const bound = isBounded ? sql`limit ${atMost}` : sql``;
  return db
    .select({ total: sql<number>`count(*)::int` })
    .from(sql`(select from (${each(source, found)}) as log ${bound}) as counted`);
}

/** A number that the planner sees. */
export const written = (number: number): SQL => sql.raw(String(number));

/** Each event once. An address has a name, and is a party of its events; two names show one record. */
const each = ({ kind }: EventSource, found: SQL): SQL =>
  kind === "contract" || kind === "all" ? found : sql`select distinct * from (${found}) as found`;

/**
 * Whether a resolver's log says nothing of the name that it names: the deployment does not list its emitter, which never
 * was the name's resolver. Null for other logs.
 */
function isForeignTo(listed: readonly ChainResolver[]) {
  const { chains, resolvers } = listedSql(listed);
  return sql<boolean | null>`case when ${event.contract} = 'RESOLVER'
      or (${event.contract} = 'ENSV2_RESOLVER' and ${event.eventType} = 'Linked')
    then not exists (select from unnest(${chains}, ${resolvers}) as listed (chain_id, resolver)
        where listed.chain_id = ${event.chainId} and listed.resolver = ${event.contractAddress})
      and not exists (select from ${resolverChange} where ${eq(resolverChange.node, event.node)}
        and ${eq(resolverChange.chainId, event.chainId)} and ${eq(resolverChange.resolver, event.contractAddress)})
    end`;
}
