import { domain, event, holder } from "ponder:schema";
import { Placeholder, type SQL } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import {
  FAMILY,
  hashOf,
  joined,
  type Looked,
  namedBy,
  parties,
  TIME_OF_PLACE,
} from "../rules/eventParties.ts";
import { allEventNames } from "../rules/eventTypes.ts";
import { arrayOf, unseen, writtenArrayOf } from "./arrays.ts";
import { eventKeys, inOrder, keyColumns, timeColumn } from "./eventRows.ts";
import { type ChainResolver, logsOfNames } from "./eventsOfNames.ts";
import { type Position, rangeOf } from "./keyset.ts";
import type { SortDirection } from "./page.ts";
import { type Scope, sqlOf } from "./scope.ts";

/**
 * Where the events of a list are found. Events that could number millions are found by an index that contains the event's time,
 * so a page reads no more than it shows: once per event type and chain, and the results are merged. The logs of names are
 * gathered and sorted, because each name has few; so the number of names is bounded.
 */

/** The reverse names of an address: the listed chains whose registry contains such names, and the node on each. */
export type ReverseNames = { reverseChains: readonly number[]; reverseNodes: Given<readonly Hex[]> };

/** A value, or its placeholder in a statement that is built once. */
export type Given<Value> = Value | Placeholder;

/** Names whose events form one list. */
export type Names =
  | { of: "one"; name: Given<Hex> }
  /** A name and its direct subnames. */
  | { of: "parent"; name: Hex }
  /** The names on whose events an address appears as receiver or owner, newest first and bounded, and its reverse names. */
  | ({ of: "address"; address: Given<Address> } & ReverseNames);

/** The source of a list's events. */
export type EventSource = { chains: Scope } & (
  | { kind: "names"; names: Names; listed: readonly ChainResolver[] }
  /** Logs that name an address. */
  | { kind: "party"; address: Address }
  /** Logs of an address's names, and logs that name the address. */
  | { kind: "address"; names: Names; address: Given<Address>; listed: readonly ChainResolver[] }
  /** Logs of a contract. */
  | { kind: "contract"; address: Address }
  /** Every log, of all types and chains or a selection. */
  | { kind: "all"; isWhole: boolean }
);

/** Limit on the names of an address, the newest first, and on the subnames of a name whose events are gathered. */
export const MAX_NAMES = 1_000;

/** What to read from a source. */
export type Reading = {
  looked: Looked;
  /** The same events with their emitters. */
  logged: readonly string[];
  /** The condition on each event, given the SQL of its time. */
  condition?: (time: SQL) => SQL;
  /** Only events after the one with these keys, in the order of `first`. */
  after?: Position | undefined;
  /** The number of events to read from the start of the order; undefined if the order does not matter. */
  first?: { limit: SQL; direction: SortDirection };
  /** The maximum number of events to read, in any order. */
  atMost?: SQL;
};

/** The keys of a source's events, as a subquery. An event can occur more than once. */
export function keysOf(source: EventSource, reading: Reading): SQL {
  switch (source.kind) {
    case "names":
      return ofNames(source, reading);
    case "party":
      return ofParty(source, reading);
    case "address":
      return sql`(${ofNames(source, reading)}) union all (${ofParty(source, reading)})`;
    case "contract":
      return ofPlace(source.chains, reading, {
        names: reading.looked.names,
        value: "contract_address",
        address: source.address,
      });
    case "all":
      return source.isWhole
        ? sql`select ${keyColumns} from ${event} where ${conditionIn(reading)} ${bounded(reading)}`
        : ofPlace(source.chains, reading, { names: reading.logged, value: FAMILY, address: "" });
  }
}

function ofNames(
  { chains, names, listed }: { chains: Scope; names: Names; listed: readonly ChainResolver[] },
  reading: Reading,
): SQL {
  const { looked, first } = reading;
  // Comparing with every type would make planning take five times as long.
  const isAnyType = looked.names.length === allEventNames.length;
  const logs = logsOfNames({
    columns: keyColumns,
    names: namesSql(names, chains),
    listed,
    condition: and(
      isAnyType ? undefined : sql`${event.eventType} = any(${writtenArrayOf(looked.names, "text")})`,
      conditionIn(reading),
    ),
  });
  return first
    ? sql`select * from (${logs}) as log order by ${inOrder(first.direction, "log")} limit ${first.limit}`
    : logs;
}

/** The names, as a subquery. */
function namesSql(names: Names, chains: Scope): SQL {
  const of = sqlOf(chains);
  switch (names.of) {
    case "one":
      return sql`select unnest(${writtenArrayOf(chains.ids, "int")}) as chain_id, ${names.name}::text as node`;
    case "parent":
      return sql`${namesSql({ of: "one", name: names.name }, chains)} union
        (select ${domain.chainId}, ${domain.node} from ${domain}
          where ${and(eq(domain.parentNode, names.name), of.holds(domain.chainId))} limit ${MAX_NAMES})`;
    case "address": {
      const newest = sql`select ${holder.chainId} as chain_id, ${holder.node} as node from ${holder}
        where ${and(sql`${holder.address} = ${unseen(sql`${names.address}::text`)}`, of.holds(holder.chainId))}
        order by ${holder.lastOwnedBlockNumber} desc, ${holder.node} desc limit ${MAX_NAMES}`;
      const ids = writtenArrayOf(names.reverseChains, "int");
      const { reverseNodes } = names;
      const nodes = unseen(
        reverseNodes instanceof Placeholder ? sql`${reverseNodes}::text[]` : arrayOf(reverseNodes, "text"),
      );
      return sql`(${newest}) union select * from unnest(${ids}, ${nodes}) as reverse (chain_id, node)`;
    }
  }
}

const ofParty = ({ chains, address }: { chains: Scope; address: Given<Address> }, reading: Reading): SQL =>
  sql.join(
    parties.map((party) =>
      ofPlace(chains, reading, { ...party, names: namedBy(party, reading.looked), address }),
    ),
    sql` union all `,
  );

/** An indexed place of logs: its event types, and SQL of the index's other columns. */
type Place = { names: readonly string[]; value: string; address: Given<Address | "">; where?: string };

/** The time of an event, in the form that only the indexes of places have. */
const timeOfPlace = sql.raw(TIME_OF_PLACE);

/** The events of a place: for each event type and chain, as many as the whole list needs. */
function ofPlace(chains: Scope, reading: Reading, { names, value, address, where }: Place): SQL {
  const one = sql`select ${keyColumns} from ${event} where ${and(
    sql`${sql.raw(hashOf(value))} = logged.hash`,
    // Two places can have the same hash if a stranger wants them to. `case` hides the comparison from the planner, which would
    // consider it selective.
    sql`case when ${sql.raw(joined(value))} = logged.joined then chain_id = logged.chain else false end`,
    where === undefined ? undefined : sql.raw(where),
    conditionIn(reading, timeOfPlace),
  )} ${bounded(reading, timeOfPlace)}`;
  return sql`select one.* from (
      select chain, ${address}::text || name as joined, hashtextextended(${address}::text || name, chain) as hash
      from unnest(${writtenArrayOf(names, "text")}) as name, unnest(${writtenArrayOf(chains.ids, "int")}) as chain offset 0
    ) as logged cross join lateral (${one}) as one`;
}

/** The condition on each event read. */
const conditionIn = ({ condition, after, first }: Reading, time = timeColumn): SQL =>
  and(
    condition?.(time),
    after &&
      rangeOf(
        eventKeys("events", first?.direction, time),
        "values_after",
        after.map((value) => unseen(sql`${value}::text`)),
      ).where,
  ) ?? sql`true`;

/**
 * The order that finds the rows, and their limit. Rows that are only counted are read in index order, too. For an event type that
 * is frequent elsewhere, the planner expects to find enough of them soon, wherever it looks.
 */
const bounded = ({ first, atMost }: Reading, time?: SQL): SQL => {
  if (first) return sql`order by ${inOrder(first.direction, "events", time)} limit ${first.limit}`;
  if (atMost === undefined) return sql``;
  return time === undefined ? sql`limit ${atMost}` : sql`order by ${time} limit ${atMost}`;
};
