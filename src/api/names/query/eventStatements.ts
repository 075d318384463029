import { event, resolverChange } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { eq, sql } from "ponder";
import type { Db } from "../../server/postgres/db.ts";
import { builtOnce, type Values } from "../../server/postgres/prepared.ts";
import { type EventRow, eventKeys, inOrder, isEventOfRow, shownOfEvent } from "./eventRows.ts";
import { type EventSource, keysOf, type Reading } from "./eventSources.ts";
import { type ChainResolver, listedSql } from "./eventsOfNames.ts";
import { type Position, positionOf } from "./keyset.ts";
import type { SortDirection } from "./page.ts";

/** Reads lists of events from any source: a page, and the total. */

/** An event; `isForeign` is true if it comes from a resolver that has no authority over the name. */
export type ListedEvent = EventRow & { isForeign: boolean | null };

/** A list whose statements are built once: their title, the source with placeholders, and the values of these. */
export type Whole = { title: string; source: EventSource; values: Values };

/** The events of a page. */
export type EventList = {
  source: EventSource;
  direction: SortDirection;
  /** The resolvers that the deployment lists. */
  listed: readonly ChainResolver[];
};

/** A selection of events with their positions. The list is read up to the end of the page. */
export function pageOfEvents(
  db: Db,
  { source, direction, listed, whole }: EventList & { whole: Whole | undefined },
  reading: Reading,
  { limit, offset }: { limit: number; offset: number },
) {
  const select = (from: EventSource) => {
    const found = keysOf(from, { ...reading, first: { limit: written(limit + offset), direction } });
    const page = sql`(select * from (${each(from, found)}) as log
      order by ${inOrder(direction, "log")} limit ${written(limit)} offset ${written(offset)}) as page`;
    const position = positionOf(eventKeys("events", direction));
    // The logs of names have no foreign emitters.
    const isForeign = from.kind === "names" ? sql<null>`null` : isForeignTo(listed);
    return db
      .select({ ...shownOfEvent, isForeign, position: position as SQL.Aliased<Position> })
      .from(event)
      .innerJoin(page, isEventOfRow)
      .orderBy(inOrder(direction));
  };
  if (whole === undefined) return select(source);
  const title = `events ${whole.title} ${direction} ${limit}`;
  return builtOnce(db, title, () => select(whole.source), whole.values);
}

/** Counts the events of a source as `total`: up to `countTo` + 1, and exactly for one name. */
export async function countOfEvents(
  db: Db,
  { source, whole }: { source: EventSource; whole?: Whole | undefined },
  reading: Reading,
  countTo: number,
): Promise<number> {
  const isBounded = source.kind !== "names" || source.names.of === "address";
  const atMost = written(countTo + 1);
  const bound = isBounded ? sql`limit ${atMost}` : sql``;
  const select = (from: EventSource) => {
    const found = keysOf(from, { ...reading, ...(isBounded && { atMost }) });
    return db
      .select({ total: sql<number>`count(*)::int` })
      .from(sql`(select from (${each(from, found)}) as log ${bound}) as counted`);
  };
  const [row] = await (whole
    ? builtOnce(db, `count of events ${whole.title}`, () => select(whole.source), whole.values)
    : select(source));
  return row?.total ?? 0;
}

/** A number as a literal, which the planner sees. */
export const written = (number: number): SQL => sql.raw(String(number));

/**
 * Each event once. An event can be found twice: by a name of an address and by the address itself, or by two names that show the
 * same record.
 */
const each = ({ kind }: EventSource, found: SQL): SQL =>
  kind === "contract" || kind === "all" ? found : sql`select distinct * from (${found}) as found`;

/**
 * True for a log of a resolver that has no authority over the name: the deployment does not list it, and it was never the name's
 * resolver. Null for other logs.
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
