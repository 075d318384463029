// Part of the change overlap: the rows of a batch that is being written, beside those of the batch that is handled.

type Entry = { row: unknown };
type Waiting = Map<string, Entry>;
/** The rows of each table that wait to be written. */
type Buffer<Table> = Map<Table, Waiting>;

type TableCache = {
  cache: Map<string, unknown>;
  spillover: Set<string>;
  isCacheComplete: boolean;
  /**
   * Rows of the batch before, which the database may not have yet. They are newer than those of `cache`. The row is null where the
   * batch deleted it.
   */
  writing: ReadonlyMap<string, Entry> | undefined;
};

/** What Ponder's store has in memory. */
export type Store<Table> = {
  cache: ReadonlyMap<Table, TableCache>;
  insertBuffer: Buffer<Table>;
  updateBuffer: Buffer<Table>;
  /** Keys that the handlers of the batch deleted in its transaction, which others do not see before its commit. */
  deleted: Map<Table, Set<string>>;
};

type Rows<Table> = Pick<Store<Table>, "insertBuffer" | "updateBuffer">;

/**
 * Takes the rows that wait, to be written while others come. A handler that looks for one of them finds it in `writing`: also where its
 * table is no longer kept in memory, and the database does not have it yet.
 */
export function takeRows<Table>(store: Store<Table>): Rows<Table> {
  const { cache, insertBuffer, updateBuffer, deleted } = store;
  const taken: Rows<Table> = { insertBuffer: new Map(), updateBuffer: new Map() };
  for (const [table, tableCache] of cache) {
    const inserts: Waiting = insertBuffer.get(table) ?? new Map();
    const updates: Waiting = updateBuffer.get(table) ?? new Map();
    taken.insertBuffer.set(table, inserts);
    taken.updateBuffer.set(table, updates);
    insertBuffer.set(table, new Map());
    updateBuffer.set(table, new Map());
    // A map of its own: the writer empties those that it was given.
    const writing: Waiting = new Map(inserts);
    for (const key of deleted.get(table) ?? []) if (!writing.has(key)) writing.set(key, { row: null });
    for (const [key, entry] of updates) writing.set(key, entry);
    tableCache.writing = writing.size > 0 ? writing : undefined;
  }
  deleted.clear();
  return taken;
}

/** The database has the rows: from here on they are found there, or where Ponder keeps rows. */
export function dropWriting<Table>({ cache }: Pick<Store<Table>, "cache">): void {
  for (const tableCache of cache.values()) tableCache.writing = undefined;
}

/** Forgets what the handlers of a batch wrote. */
export function forgetWaiting<Table>({
  insertBuffer,
  updateBuffer,
  deleted,
}: Omit<Store<Table>, "cache">): void {
  deleted.clear();
  for (const buffer of [insertBuffer, updateBuffer]) {
    for (const entries of buffer.values()) entries.clear();
  }
}

/** Notes a key whose row a handler deletes. */
export function noteDeleted<Table>(
  { deleted }: Pick<Store<Table>, "deleted">,
  table: Table,
  key: string,
): void {
  const keys = deleted.get(table) ?? new Set();
  deleted.set(table, keys.add(key));
}

/** Forgets every row: the rows that were being written are not in the database. */
export function forgetRows<Table>(store: Store<Table>): void {
  dropWriting(store);
  forgetWaiting(store);
  for (const tableCache of store.cache.values()) {
    tableCache.isCacheComplete = false;
    tableCache.cache.clear();
    tableCache.spillover.clear();
  }
}

/** Rows that are being written are not asked of the database, which may still have what was there before. */
export function leaveOutWriting<Table>(
  prediction: ReadonlyMap<Table, Map<string, unknown>>,
  { cache }: Pick<Store<Table>, "cache">,
): void {
  for (const [table, keys] of prediction) {
    const writing = cache.get(table)?.writing;
    if (writing === undefined) continue;
    for (const key of keys.keys()) if (writing.has(key)) keys.delete(key);
  }
}
