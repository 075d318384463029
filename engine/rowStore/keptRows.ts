// Part of the patch keptRows: which tables of Ponder's store keep their rows in memory after they were written.

/** What the store has of a table, in Ponder's words but for the last three. */
export type TableCache = {
  cache: Map<string, unknown>;
  /** Every row of the table is kept, so a key that is not there has no row. */
  isCacheComplete: boolean;
  bytes: number;
  /** How often a row was asked for, whether there was one or not. */
  asked: number;
  /** Rows written so far. */
  written: number;
  /** Handlers hardly ever ask for its rows. */
  isOnlyWritten: boolean;
};

/** V8 ends a Map of 2^24 entries by an error. The rest is for the rows of one batch. */
const MAX_KEPT_ROWS = 15_000_000;

/** A table is judged when it has this many rows. */
const JUDGED_ROWS = 10_000;

/** Handlers ask for most rows that they find before they write them for the first time. */
const MIN_ASKED_SHARE = 0.1;

/**
 * Records that rows were written, and forgets those of a table that handlers rarely read, or that has too many. Keys
 * that are not kept are then read from the database, as after Ponder's own eviction.
 */
export function noteWritten(table: TableCache, rows: number, maxRows = MAX_KEPT_ROWS): void {
  table.written += rows;
  if (!table.isCacheComplete || table.written < JUDGED_ROWS) return;
  table.isOnlyWritten = table.asked < table.written * MIN_ASKED_SHARE;
  if (!table.isOnlyWritten && table.cache.size <= maxRows) return;
  table.cache.clear();
  table.bytes = 0;
  table.isCacheComplete = false;
}
