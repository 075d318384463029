import { event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { ROOT_NODE } from "../../../../ens/name.ts";
import { type Scope, sqlOf } from "../../../names/query/scope.ts";
import { nameOf, ROW_BY_ROW, type Row } from "./entity.ts";
import { eventAs } from "./rowNames.ts";

/** The record's logs that make a resolver of the subgraph. */
export const recordEvents = [
  "AddrChanged",
  "AddressChanged",
  "NameChanged",
  "ABIChanged",
  "PubkeyChanged",
  "TextChanged",
  "ContenthashChanged",
  "InterfaceChanged",
  "AuthorisationChanged",
  "VersionChanged",
] as const;

/** A column has one of some words of ours. */
export const isSetOf = (column: SQL, words: readonly string[]): SQL =>
  sql`${column} in (${sql.raw(words.map((word) => `'${word}'`).join(", "))})`;

/**
 * A registry's log that counts: one of the registry of 2020, or one of the old registry before the node was in the new one. Of
 * the root, which always was, only its resolver counts there. Source: ensdomains/ens-subgraph, src/ensRegistry.ts.
 */
export const counted = (row: Row, chains: Scope): SQL => {
  const [log, moved] = [eventAs(nameOf(row)), eventAs("moved")];
  return sql`(${log.contract} = 'REGISTRY' or (${log.contract} = 'REGISTRY_OLD' and case
    when ${log.node} = ${sql.raw(`'${ROOT_NODE}'`)} then ${log.eventType} = 'NewResolver'
    else not exists (select from ${event} as moved where ${moved.node} = ${log.node}
      and ${moved.contract} = 'REGISTRY' and ${moved.eventType} = 'NewOwner' and ${sqlOf(chains).holds(moved.chainId)}
      and (${moved.blockNumber}, ${moved.logIndex}) < (${log.blockNumber}, ${log.logIndex}) ${ROW_BY_ROW}) end))`;
};

/** NUL as JSON escapes it, after an even number of backslashes. */
const NUL = String.raw`(?<!\\)((?:\\\\)*)\\u0000`;

/** The JSON of a log without NUL: PostgreSQL reads no field of JSON that has one. */
const detailsIn = (row: Row): SQL =>
  sql`regexp_replace(${eventAs(nameOf(row)).details}, ${sql.raw(`'${NUL}'`)}, '\\1', 'g')::json`;

/** A text of a log without NUL, as the subgraph stores it. `details` has texts with NUL. */
export const textIn = (row: Row, column: "key" | "value" | "name"): SQL =>
  sql`coalesce(${eventAs(nameOf(row))[column]}, ${detailOf(row, column)})`;

/** An argument of a log that has no column. */
export const detailOf = (row: Row, argument: string): SQL =>
  sql`(${detailsIn(row)} ->> ${sql.raw(`'${argument}'`)})`;
