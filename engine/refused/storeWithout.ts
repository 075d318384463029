// Part of the patch refusedRows: stores a batch of rows that PostgreSQL refused, each without what it refuses.

import { failures } from "../failures/failures.ts";

type Row = Record<string, unknown>;

/** A row that waits to be written; later changes of the row begin with it. */
type Entry = { row: Row };

/** What the net needs to know of a table, and how to write rows of it. */
export type RefusedTable = {
  name: string;
  /** Columns by their names in a row, with their names in SQL. */
  columns: Record<string, { sqlName: string; notNull: boolean }>;
  keys: readonly string[];
  inserts: Map<string, Entry>;
  updates: Map<string, Entry>;
  insert: (rows: Row[]) => Promise<unknown>;
  update: (rows: Row[]) => Promise<unknown>;
};

export type StorePlan = {
  execute: (statement: string) => Promise<unknown>;
  warn: (line: Record<string, unknown> & { msg: string }) => void;
};

/** Rows of one statement, before the first refusal is searched in it. */
const CHUNK_ROWS = 100;

/** The column in which a table says why a row is not whole. */
const REASON_COLUMN = "anomaly";

/**
 * Whether PostgreSQL refuses the data itself (SQLSTATE classes 22, "data exception", and 54, "program limit exceeded").
 * The same data would be refused forever. All other errors are of the connection, the server or the program.
 */
export const isRefusal = (error: unknown): boolean => /^(22|54)/.test(codeOf(error));

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : "";
}

/**
 * Writes all rows that wait. A row that is refused is written without the values that are refused; a column `anomaly`
 * gets the reason. A row that is refused even so is left out, and the log says so.
 */
export async function storeWithout(tables: readonly RefusedTable[], plan: StorePlan): Promise<void> {
  for (const table of tables) {
    await storeEntries(table, plan, { entries: table.inserts, write: table.insert });
    await storeEntries(table, plan, { entries: table.updates, write: table.update });
  }
}

type Batch = { entries: Map<string, Entry>; write: (rows: Row[]) => Promise<unknown> };

async function storeEntries(table: RefusedTable, plan: StorePlan, batch: Batch): Promise<void> {
  const keys = [...batch.entries.keys()];
  for (let from = 0; from < keys.length; from += CHUNK_ROWS) {
    await storeKeys(table, plan, { ...batch, keys: keys.slice(from, from + CHUNK_ROWS) });
  }
}

/** Halves a batch until each refused row is alone. */
async function storeKeys(
  table: RefusedTable,
  plan: StorePlan,
  batch: Batch & { keys: string[] },
): Promise<void> {
  const { entries, write, keys } = batch;
  const rows = keys.flatMap((key): Row[] => {
    const entry = entries.get(key);
    return entry === undefined ? [] : [entry.row];
  });
  const refusal = await attempt(plan, () => write(rows));
  if (refusal === null) return;
  if (keys.length > 1) {
    const half = Math.floor(keys.length / 2);
    await storeKeys(table, plan, { ...batch, keys: keys.slice(0, half) });
    return storeKeys(table, plan, { ...batch, keys: keys.slice(half) });
  }
  for (const key of keys) await storeRefused(table, plan, { ...batch, key, refusal });
}

async function storeRefused(
  table: RefusedTable,
  plan: StorePlan,
  { entries, write, key, refusal }: Batch & { key: string; refusal: string },
): Promise<void> {
  const entry = entries.get(key);
  if (entry === undefined) return;
  failures().rows++;
  const told = { table: table.name, key: JSON.stringify(keyOf(table, entry.row)), refusal };
  const { row, without } = await largestPart(table, plan, { row: entry.row, write, refusal });
  if ((await attempt(plan, () => write([row]))) === null) {
    entry.row = row;
    plan.warn({ msg: "Stored a row without what PostgreSQL refuses", ...told, columns: without.join(", ") });
    return;
  }
  entries.delete(key);
  plan.warn({ msg: "Left out a row that PostgreSQL refuses", ...told });
}

type Refused = { row: Row; write: Batch["write"]; refusal: string };

/** As many of the row's values as PostgreSQL takes, tried one after the other, and the columns of all others. */
async function largestPart(table: RefusedTable, plan: StorePlan, { row, write, refusal }: Refused) {
  const free = Object.entries(table.columns).filter(
    ([name, { notNull }]) =>
      !notNull && !table.keys.includes(name) && name !== REASON_COLUMN && row[name] != null,
  );
  const empty: Row = { ...row, ...Object.fromEntries(free.map(([name]) => [name, null])) };
  const without: string[] = [];
  let part = empty;
  for (const [name, { sqlName }] of free) {
    const more = { ...part, [name]: row[name] };
    if (await isTaken(plan, () => write([more]))) part = more;
    else without.push(sqlName);
  }
  if (REASON_COLUMN in table.columns && without.length > 0) {
    part = { ...part, [REASON_COLUMN]: `PostgreSQL cannot store ${without.join(", ")} (${refusal})` };
  }
  return { row: part, without };
}

const keyOf = ({ keys }: RefusedTable, row: Row): Row =>
  Object.fromEntries(keys.map((name) => [name, String(row[name])]));

/** Runs a statement. Gives null, or the code with which the data was refused; throws what is no refusal. */
async function attempt({ execute }: StorePlan, run: () => Promise<unknown>): Promise<string | null> {
  await execute("SAVEPOINT part");
  try {
    await run();
    await execute("RELEASE part");
    return null;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await execute("ROLLBACK TO part");
    return codeOf(error);
  }
}

/** Whether PostgreSQL takes a row, which is taken back in any case. */
async function isTaken(plan: StorePlan, run: () => Promise<unknown>): Promise<boolean> {
  await plan.execute("SAVEPOINT trial");
  const refusal = await attempt(plan, run);
  await plan.execute("ROLLBACK TO trial");
  return refusal === null;
}
