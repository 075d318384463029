import type pg from "pg";
import { inTransaction } from "./client.ts";
import { findDatabaseError } from "./databaseErrors.ts";

/*
 * Triggers that see each write to the index's tables, in the transaction of the write: a reorganisation and a start write like any
 * block. A fault in one must not stop the indexer, so it is noted, and the write goes on.
 */

const operations = ["insert", "delete", "update"] as const;
export type Operation = (typeof operations)[number];

/** Who captures, and the writes to which tables. `name` begins the names of its functions and triggers. */
export type Captured = { name: string; tables: readonly string[] };

/** What a trigger does. Tables are named with their schema: the indexer's sessions have temporary tables of the same names. */
export type Capture = Captured & {
  /** SQL variables with their types. */
  variables?: string;
  /** SQL that handles a write. `rows`: the rows before the write, after it, or both. */
  handle: (
    table: string,
    operation: Operation,
  ) => { rows: readonly ("old_rows" | "new_rows")[]; sql: string };
  /** The database's warning of a fault, and SQL that notes it. */
  fault: { warning: string; sql: string };
};

const functionOf = (name: string, table: string, operation: Operation): string =>
  `${name}_${table}_${operation}`;

const eachTrigger = <Result>(
  tables: readonly string[],
  make: (table: string, operation: Operation) => Result,
): Result[] => tables.flatMap((table) => operations.map((operation) => make(table, operation)));

/**
 * SQL that creates the triggers. `schema` is quoted. A hash of this text detects the triggers of another program
 * version.
 */
export const createTriggers = (schema: string, { name, tables, variables, handle, fault }: Capture): string =>
  eachTrigger(tables, (table, operation) => {
    const { rows, sql } = handle(table, operation);
    const called = `${schema}.${functionOf(name, table, operation)}()`;
    const seen = rows.map((one) => `${one.slice(0, 3)} table as ${one}`).join(" ");
    return `
  create or replace function ${called} returns trigger language plpgsql as $${name}$${variables === undefined ? "" : `\n  declare ${variables};`}
  begin
    ${sql};
    return null;
  exception when others then
    raise warning '${fault.warning}: %', sqlerrm;
    begin
      ${fault.sql};
    exception when others then null;
    end;
    return null;
  end $${name}$;
  create or replace trigger ${name}_${operation} after ${operation} on ${schema}.${table}
    referencing ${seen} for each statement execute function ${called}`;
  }).join(";");

/** SQL that removes the triggers. */
export const dropTriggers = (schema: string, { name, tables }: Captured): string =>
  eachTrigger(
    tables,
    (table, operation) => `drop function if exists ${schema}.${functionOf(name, table, operation)}() cascade`,
  ).join(";");

/** SQL for whether every table has its triggers. They can be dropped, and a restored table has none. */
export const hasTriggers = ({ name, tables }: Captured): string => `(
  select count(*) = ${tables.length * operations.length} from pg_trigger
  where tgrelid = any(array[${tables.map((table) => `to_regclass('${table}')`).join(", ")}])
    and tgname in (${operations.map((one) => `'${name}_${one}'`).join(", ")}) and tgenabled <> 'D')`;

/** SQL that keeps writers from the tables until the transaction ends; it fails at once where one is in use. */
export const lockTables = (schema: string, tables: readonly string[]): string =>
  `lock table ${tables.map((table) => `${schema}.${table}`).join(", ")} in share row exclusive mode nowait`;

/** Readers wait behind one that waits to drop their tables. */
const DROP_WAIT_MS = 500;

/** Drops or makes tables in one transaction, where the locks for it can be had soon. @returns false if they were in use */
export async function inTransactionUnlessLocked(
  client: pg.ClientBase,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await inTransaction(client, async () => {
      await client.query(`set local lock_timeout = ${DROP_WAIT_MS}`);
      await work();
    });
    return true;
  } catch (error) {
    if (isLocked(error)) return false;
    throw error;
  }
}

/** PostgreSQL's lock_not_available. */
const LOCKED = ["55P03"];

/** Whether a statement failed because a table is in use. */
export const isLocked = (error: unknown): boolean => findDatabaseError(error, LOCKED) !== null;
