import { AsyncLocalStorage } from "node:async_hooks";
import { findDatabaseError } from "./databaseErrors.ts";

/** PostgreSQL's undefined_table and undefined_column: nothing was made yet, or by a program with other rules. */
const ABSENT = ["42P01", "42703"];

const current = new AsyncLocalStorage<Set<string>>();

/** Runs a reading with all of its tries: each knows what an earlier one did not find. */
export const rememberAbsent = <Result>(read: () => Promise<Result>): Promise<Result> =>
  current.run(new Set(), read);

/**
 * Reads what may not be there; null where it is not. A query that fails ends its snapshot, and the reading is tried again: the
 * next try does not ask for what this one did not find.
 */
export async function ifThere<Result>(what: string, read: () => Promise<Result>): Promise<Result | null> {
  const absent = current.getStore();
  if (absent?.has(what)) return null;
  try {
    return await read();
  } catch (error) {
    if (findDatabaseError(error, ABSENT) === null) throw error;
    absent?.add(what);
    return null;
  }
}
