import { domain, event, holder, resolverChange } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../postgres/db.ts";
import { keyOf, loggedAs } from "../rules/eventTypes.ts";
import { arrayOf } from "./arrays.ts";
import { conditionOf, type EventFilters, loggedOf, lookedOf, withTimesOfBlocks } from "./eventFilters.ts";
import { type EventRow, eventKeys, inOrder, isEventOfRow, shownOfEvent } from "./eventRows.ts";
import { type EventSource, keysOf, MAX_NAMES, type Reading } from "./eventSources.ts";
import { type ChainResolver, listedSql } from "./eventsOfNames.ts";
import { type Position, positionOf } from "./keyset.ts";
import {
  cutPage,
  limitOf,
  MAX_COUNTED,
  offsetOf,
  type Page,
  type Part,
  type SortDirection,
  totalOfLast,
} from "./page.ts";
import { type Scope, sqlOf } from "./scope.ts";

/** An event, and whether its emitter is a resolver that says nothing of the name. */
export type ListedEvent = EventRow & { isForeign: boolean | null };

export type EventQuery = {
  source: EventSource;
  filters: EventFilters;
  direction: SortDirection;
  part: Part;
  /** The resolvers that the deployment lists. */
  listed: readonly ChainResolver[];
};

/** A page of events. `total` is at most one more than {@link MAX_COUNTED}; of names it is exact. */
export async function listEventPage(db: Db, query: EventQuery): Promise<Page<ListedEvent>> {
  const { source, direction, part, listed } = query;
  const filters = await withTimesOfBlocks(db, source.chains, query.filters);
  const reading = await readingOf(db, source, filters);
  if (reading.looked.names.length === 0) return { total: part.isCounted ? 0 : null, rows: [], next: null };
  const keys = eventKeys("events", direction);
  const limit = limitOf(part) + offsetOf(part);
  const found = keysOf(source, { ...reading, after: part.after, first: { limit, direction } });
  const page = sql`(select * from (${each(source, found)}) as log
    order by ${inOrder(direction, "log")} limit ${limitOf(part)} offset ${offsetOf(part)}) as page`;
  const rows = await db
    .select({ ...shownOfEvent, isForeign: isForeignTo(listed), position: positionOf(keys) })
    .from(event)
    .innerJoin(page, isEventOfRow)
    .orderBy(inOrder(direction));
  const total = part.isCounted ? (totalOfLast(rows, part) ?? (await count(db, source, reading))) : null;
  return { total, ...cutPage(rows as (ListedEvent & { position: Position })[], part) };
}

/** How many events there are of a source; at most one more than `countTo`, unless they are those of one name. */
export const countEvents = async (db: Db, source: EventSource, countTo: number): Promise<number> =>
  count(db, source, await readingOf(db, source, {}), countTo);

const readingOf = async (db: Db, source: EventSource, filters: EventFilters): Promise<Reading> => {
  const looked = lookedOf(filters);
  const isKnown = source.kind === "contract" && filters.types !== undefined;
  const names = isKnown ? await namesAtContract(db, source, filters) : looked.names;
  const of = sqlOf(source.chains);
  return {
    ...{ looked: { ...looked, names }, logged: loggedOf(filters) },
    condition: (time) => conditionOf(filters, of, time),
  };
};

const newest = { limit: 1, direction: "desc" } as const;

/**
 * The names of a contract's events of some kinds. `Transfer` is of one kind at registries and of another at registrars: what
 * the contract is tells it, so that its logs of the other kind are not read.
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

/** Each event once. An address has a name, and is a party of its events; two names show one record. */
const each = ({ kind }: EventSource, found: SQL): SQL =>
  kind === "contract" || kind === "all" ? found : sql`select distinct * from (${found}) as found`;

async function count(db: Db, source: EventSource, reading: Reading, countTo = MAX_COUNTED): Promise<number> {
  const isBounded = source.kind !== "names" || source.names.of === "address";
  const atMost = countTo + 1;
  const found = keysOf(source, { ...reading, ...(isBounded && { atMost }) });
  const bound = isBounded ? sql`limit ${atMost}` : sql``;
  const { rows } = await db.execute<{ total: number }>(
    sql`select count(*)::int as total from (select from (${each(source, found)}) as log ${bound}) as counted`,
  );
  return rows[0]?.total ?? 0;
}

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

/** Whether an address appeared on more names than those whose events are in its list. */
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

/** Whether a name has more names right below it than those whose events are in one list. */
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

/** What answers show of the names that events are about: the name, and its labelhash. */
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
