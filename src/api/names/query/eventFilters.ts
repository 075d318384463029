import { event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, gte, isNull, lte, or, sql } from "ponder";
import type { Db } from "../../server/postgres/db.ts";
import type { Looked } from "../rules/eventParties.ts";
import {
  allEventNames,
  allLogs,
  type EventType,
  keyOf,
  loggedAs,
  logsOfRecords,
  MIGRATING,
  type RecordFamily,
  resetLogs,
} from "../rules/eventTypes.ts";
import { arrayOf } from "./arrays.ts";
import type { Scope, ScopeSql } from "./scope.ts";

/** Inclusive bounds. */
export type Bounds = { from?: number | undefined; to?: number | undefined };

/** Filters for a list of events. Without any, all events match. */
export type EventFilters = {
  types?: readonly EventType[] | undefined;
  /** Events that set records of these families, and events that clear all records. */
  records?: readonly RecordFamily[] | undefined;
  /** Events that set one text. */
  key?: string | undefined;
  /** Events that set the address of one chain. */
  coinType?: bigint | undefined;
  /** Unix seconds. */
  times?: Bounds;
  /** Block numbers on one chain. */
  blocks?: Bounds;
};

/** The events that a list can contain. */
export function lookedOf({ types, records }: EventFilters): Looked {
  const ofTypes = types && new Set(loggedAs(types).map(({ eventType }) => eventType));
  const ofRecords = records && new Set([...logsOfRecords(records), ...resetLogs]);
  const names = allEventNames.filter(
    (name) => (ofTypes?.has(name) ?? true) && (ofRecords?.has(name) ?? true),
  );
  return { names, types };
}

/** The events that the list of all events can contain, with their emitters. */
export const loggedOf = ({ types }: EventFilters): string[] => (types ? loggedAs(types) : allLogs).map(keyOf);

/**
 * The condition for each event of a list, apart from its type.
 *
 * @param time SQL of the event's time
 */
export function conditionOf(filters: EventFilters, of: ScopeSql, time: SQL): SQL {
  const { types, key, coinType, times = {}, blocks = {} } = filters;
  const conditions = and(
    types && isOfTypes(types, of),
    key === undefined ? undefined : or(isReset, isOfKey(key)),
    coinType === undefined ? undefined : or(isReset, eq(event.coinType, coinType)),
    isWithin(time, times),
    isWithin(sql`${event.blockNumber}`, blocks),
  );
  return conditions ?? sql`true`;
}

const isReset: SQL = sql`${event.eventType} = any(${arrayOf(resetLogs, "text")})`;

/** Matches events of a text. PostgreSQL cannot store a key that contains NUL: such a key is in `details`. */
export const isOfKey = (key: string, value: SQL = sql`${writtenKey(key)}`): SQL | undefined =>
  hasNul(key)
    ? and(isNull(event.key), sql`strpos(${event.details}, ${value}) > 0`)
    : sql`${event.key} = ${value}`;

export const hasNul = (text: string): boolean => text.includes("\0");

/** A text's key as events contain it. */
export const writtenKey = (key: string): string => (hasNul(key) ? `"key":${JSON.stringify(key)}` : key);

const isWithin = (column: SQL, { from, to }: Bounds): SQL | undefined =>
  and(from === undefined ? undefined : gte(column, from), to === undefined ? undefined : lte(column, to));

/** Both registries and registrars emit `Transfer`, so the contract family is compared, too. */
function isOfTypes(types: readonly EventType[], { ensv2 }: ScopeSql): SQL | undefined {
  const isLogged = sql`${event.contract} || ' ' || ${event.eventType} = any(${arrayOf(loggedAs(types).map(keyOf), "text")})`;
  const ofMigrations = types.includes("migration");
  if (ofMigrations === types.includes("registration")) return isLogged;
  const sender = sql`substring(${event.details} from '"sender":"(0x[0-9a-f]{40})"')`;
  const isMigrating = sql`coalesce(${sender} = ${event.contractAddress}
    or ${sender} = any(${arrayOf([...ensv2.migrationControllers], "text")}), false)`;
  return and(isLogged, sql`(${event.eventType} <> ${MIGRATING} or ${isMigrating} = ${ofMigrations})`);
}

/** Matches no event. */
const NEVER: Bounds = { from: 1, to: 0 };

/**
 * The filters with block bounds also given as times, by which indexes find events. Block bounds refer to the scope's only chain.
 */
export async function withTimesOfBlocks(
  db: Db,
  { ids }: Scope,
  filters: EventFilters,
): Promise<EventFilters> {
  const { times = {}, blocks = {} } = filters;
  if (blocks.from === undefined && blocks.to === undefined) return filters;
  const timeOf = async (order: SQL, bound: SQL) => {
    const rows = await db
      .select({ time: event.blockTimestamp })
      .from(event)
      .where(and(eq(event.chainId, ids[0] as number), bound))
      .orderBy(order)
      .limit(1);
    return rows[0]?.time;
  };
  const first = await timeOf(sql`${event.blockNumber} asc`, sql`${event.blockNumber} >= ${blocks.from ?? 0}`);
  const last =
    blocks.to === undefined
      ? Number.MAX_SAFE_INTEGER
      : await timeOf(sql`${event.blockNumber} desc`, sql`${event.blockNumber} <= ${blocks.to}`);
  if (first === undefined || last === undefined) return { ...filters, times: NEVER };
  return {
    ...filters,
    times: {
      from: Math.max(first, times.from ?? 0),
      to: Math.min(last, times.to ?? Number.MAX_SAFE_INTEGER),
    },
  };
}
