import { type RefusedTable, type StorePlan, storeWithout } from "./storeWithout.ts";

// Part of the patch refusedRows: what Ponder's store has of a batch that PostgreSQL refused.

type Row = Record<string, unknown>;
type Entry = { row: Row };
type Waiting = Map<string, Entry>;
type Buffer<Table> = Map<Table, Waiting>;
type TableCache = { cache: Map<string, unknown>; isCacheComplete: boolean; bytes: number };

/** Rows that were written stay until all tables are: the whole batch may have to be written again. */
export class WrittenRows<Table> {
  readonly #written: { buffer: Buffer<Table>; table: Table; entries: Waiting }[] = [];

  /** Takes the rows of a table out of a buffer. */
  take(buffer: Buffer<Table>, table: Table): void {
    this.#written.push({ buffer, table, entries: buffer.get(table) ?? new Map() });
    buffer.set(table, new Map());
  }

  putBack(): void {
    for (const { buffer, table, entries } of this.#written) buffer.set(table, entries);
  }
}

type Column = { notNull: boolean };

/** What drizzle and Ponder know of tables. */
type TableReader<Table> = {
  getTableName: (table: Table) => string;
  getTableColumns: (table: Table) => Record<string, Column>;
  getColumnCasing: (column: Column, casing: "snake_case") => string;
  getPrimaryKeyColumns: (table: Table) => { js: string }[];
  /** SQL that stands for itself. */
  raw: (text: string) => unknown;
};

type Insertion = Promise<unknown> & {
  onConflictDoUpdate: (how: { target: unknown[]; set: Row }) => Promise<unknown>;
};

type Batch<Table> = {
  written: WrittenRows<Table>;
  tables: readonly Table[];
  cache: ReadonlyMap<Table, TableCache>;
  inserts: Buffer<Table>;
  updates: Buffer<Table>;
  db: {
    execute: (statement: string) => Promise<unknown>;
    insert: (table: Table) => { values: (rows: Row[]) => Insertion };
  };
  logger: { warn: StorePlan["warn"] };
  getBytes: (value: unknown) => number;
};

/** Makes the function that writes a refused batch again, without what is refused. */
export const refusedBatches =
  <Table extends object>(reader: TableReader<Table>) =>
  async (batch: Batch<Table>): Promise<void> => {
    batch.written.putBack();
    await storeWithout(
      batch.tables.map((table) => describeTable(table, batch, reader)),
      {
        execute: (statement) => batch.db.execute(statement),
        warn: (line) => batch.logger.warn(line),
      },
    );
    for (const table of batch.tables) cacheStored(table, batch);
  };

function describeTable<Table extends object>(
  table: Table,
  { inserts, updates, db }: Batch<Table>,
  { getTableName, getTableColumns, getColumnCasing, getPrimaryKeyColumns, raw }: TableReader<Table>,
): RefusedTable {
  const columns = Object.entries(getTableColumns(table)).map(([name, column]) => ({
    ...{ name, sqlName: getColumnCasing(column, "snake_case"), notNull: column.notNull },
  }));
  const keys = getPrimaryKeyColumns(table).map(({ js }) => js);
  const replacement = {
    target: keys.map((js) => (table as Record<string, unknown>)[js]),
    set: Object.fromEntries(columns.map(({ name, sqlName }) => [name, raw(`excluded."${sqlName}"`)])),
  };
  return {
    ...{ name: getTableName(table), keys },
    columns: Object.fromEntries(columns.map(({ name, ...column }) => [name, column])),
    inserts: inserts.get(table) ?? new Map(),
    updates: updates.get(table) ?? new Map(),
    insert: (rows) => db.insert(table).values(rows),
    update: (rows) => db.insert(table).values(rows).onConflictDoUpdate(replacement),
  };
}

/** Takes the rows that are stored now into the cache, as the store does after a batch. */
function cacheStored<Table>(table: Table, { cache, inserts, updates, getBytes }: Batch<Table>): void {
  const rows = cache.get(table);
  for (const buffer of [inserts, updates]) {
    for (const [key, entry] of buffer.get(table) ?? []) {
      if (rows?.isCacheComplete && !rows.cache.has(key)) rows.bytes += getBytes(entry.row) + getBytes(key);
      rows?.cache.set(key, entry.row);
    }
    buffer.set(table, new Map());
  }
}
