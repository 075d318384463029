// Part of the patch largeBlocks: keys that are computed from an event, as the node of a name is.

/** Rows of one table that are asked for at once because the handlers' own code (src/indexing/rowsAhead.ts) named them. */
export const ROWS_AT_ONCE = 2_000;

type Key = Record<string, unknown>;
type Named = readonly (readonly [table: object, key: Key])[];

declare global {
  /** The rows that the handlers of an event will ask for. src/indexing/rowsAhead.ts gives it. */
  var namedexRowsAhead: ((event: unknown) => Named) | undefined;
}

type Store<Table> = {
  prediction: ReadonlyMap<Table, Map<string, Key>>;
  cache: ReadonlyMap<Table, { isCacheComplete: boolean }>;
  keyOf: (table: Table, key: Key) => string;
};

/** Adds the rows that the handlers' own code names for an event to those that are asked for ahead. */
export function addRowsAhead(event: unknown, { prediction, cache, keyOf }: Store<object>): void {
  for (const [table, key] of globalThis.namedexRowsAhead?.(event) ?? []) {
    const rows = prediction.get(table);
    if (rows === undefined || cache.get(table)?.isCacheComplete || rows.size >= ROWS_AT_ONCE) continue;
    rows.set(keyOf(table, key), key);
  }
}
