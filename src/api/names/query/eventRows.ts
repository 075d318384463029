import { event } from "ponder:schema";
import { getTableColumns, type SQL } from "drizzle-orm";
import { sql } from "ponder";
import { beginningInDetails, beginningOf, beginningOfBytes } from "./beginnings.ts";
import { type Keyset, orderBy } from "./keyset.ts";
import type { SortDirection } from "./page.ts";

/** An event as lists show it, wherever it is found. */

/** Columns of an event, without the texts and bytes that its sender wrote. */
const { key, value, name, contenthash, address, details, anomaly, ...facts } = getTableColumns(event);
export const eventFacts = facts;

/** An event without the texts and bytes that its sender wrote. */
export type EventFacts = Omit<
  typeof event.$inferSelect,
  "key" | "value" | "name" | "contenthash" | "address" | "details" | "anomaly"
>;

/**
 * A field of the JSON in `events.details`. JSON escapes quotes within texts, so a match is the field itself and never a part of
 * another text.
 */
const inDetails = <Text extends string>(field: string, form: string) =>
  sql<Text | null>`substring(${details} from ${sql.raw(`'"${field}":"?(${form})[",}]'`)})`;

const ADDRESS = "0x[0-9a-f]{40}";
const NUMBER = "[0-9]{1,78}";
const addressIn = (field: string) => inDetails<`0x${string}`>(field, ADDRESS);
const numberIn = (field: string) => inDetails<string>(field, NUMBER);

/** Values of logs that have no column. */
const fromDetails = {
  givenBy: addressIn("owner"),
  operator: addressIn("operator"),
  sender: addressIn("sender"),
  account: addressIn("(?:account|approved|target|delegate)"),
  isApproved: inDetails<"true" | "false">("(?:approved|isAuthorised)", "true|false"),
  subregistry: addressIn("subregistry"),
  parent: addressIn("parent"),
  tokenId: numberIn("tokenId"),
  oldTokenId: numberIn("oldTokenId"),
  resource: numberIn("resource"),
  roles: numberIn("roles"),
  oldRoles: numberIn("oldRoles"),
  recordId: numberIn("recordId"),
  ttl: numberIn("ttl"),
};

/**
 * Sender-written values are read as their beginnings. A text that contains NUL, which PostgreSQL cannot store, is escaped as in
 * JSON.
 */
export const shownOfEvent = {
  ...facts,
  key: beginningOf(key),
  value: beginningOf(value),
  name: beginningOf(name),
  contenthash: beginningOfBytes(contenthash),
  address: beginningOfBytes(address),
  hiddenKey: beginningInDetails("key"),
  hiddenValue: beginningInDetails("value"),
  hiddenName: beginningInDetails("name"),
  agentId: sql<string | null>`case when ${event.contract} = 'AGENT_ADAPTER'
    then substring(${details} from '"agentId":"([0-9]{1,78})"') end`,
  ...fromDetails,
};

/** An event as answers show it. */
export type EventRow = EventFacts & {
  [Name in Exclude<keyof typeof shownOfEvent, keyof EventFacts>]: (typeof shownOfEvent)[Name]["_"]["type"];
};

/** The key of an event, and the columns that sort events. */
export const keyColumns = sql`${event.chainId} as chain_id, ${event.blockNumber} as block_number,
  ${event.logIndex} as log_index, ${event.ordinal} as ordinal, ${event.blockTimestamp} as block_timestamp`;

/** Joins the event whose key is in a row of the subquery `page`. */
export const isEventOfRow: SQL = sql`(${event.chainId}, ${event.blockNumber}, ${event.logIndex}, ${event.ordinal})
  = (page.chain_id, page.block_number, page.log_index, page.ordinal)`;

export const timeColumn = sql.raw("events.block_timestamp");

/**
 * The order of events, by the columns of a table or subquery. Time comes first: it is all that chains have in common.
 *
 * @param time SQL of the time, where an index has it in another form
 */
export const eventKeys = (of = "events", direction: SortDirection = "asc", time?: SQL): Keyset => [
  { column: time ?? sql.raw(`${of}.block_timestamp`), kind: "bigint", direction },
  { column: sql.raw(`${of}.chain_id`), kind: "integer", direction },
  { column: sql.raw(`${of}.block_number`), kind: "integer", direction },
  { column: sql.raw(`${of}.log_index`), kind: "integer", direction },
  { column: sql.raw(`${of}.ordinal`), kind: "integer", direction },
];

/** ORDER BY of events. */
export const inOrder = (direction: SortDirection, of = "events", time?: SQL): SQL =>
  sql.join(orderBy(eventKeys(of, direction, time)), sql`, `);
