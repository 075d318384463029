// Part of the patch rowStore: a table whose rows are all in Ponder's store.

/** A row that waits to be written. */
type Entry = { row: unknown };
/** Rows that wait: changed ones, and new ones. They are arguments of their own: an object for each call would take time. */
type Waiting<Some extends Entry> = Map<string, Some>;

/** What the store has of a table. The patch keptRows reads `asked`. */
export type CompleteTable = {
  cache: ReadonlyMap<string, unknown>;
  diskReads: number;
  asked: number;
};

/** The row of a key, or null: without a promise, as the database is not asked. */
export function findComplete(
  table: CompleteTable,
  key: string,
  updates: Waiting<Entry>,
  inserts: Waiting<Entry>,
): unknown {
  table.asked++;
  const waiting = updates.get(key) ?? inserts.get(key);
  if (waiting !== undefined) return waiting.row;
  const row = table.cache.get(key);
  if (row !== undefined) return row;
  table.diskReads++;
  return null;
}

/** Notes a changed row. One that is inserted and changed in one batch is written once, with its last values. */
export function noteUpdate<Some extends Entry>(
  key: string,
  entry: Some,
  updates: Waiting<Some>,
  inserts: Waiting<Some>,
): void {
  const waiting = inserts.get(key);
  if (waiting === undefined || updates.has(key)) updates.set(key, entry);
  else waiting.row = entry.row;
}
