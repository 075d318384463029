import type { Queries } from "../postgres/client.ts";

const ROWS_AT_ONCE = 1_000;
/** Rows left after this many statements are removed the next time. */
const STATEMENTS_AT_ONCE = 100;

/**
 * Removes rows of the ledger that are older than `days`, in statements so short that no debit waits for them. The credits
 * of a key do not change: they are stored with the key.
 */
export async function trimLedger(store: Queries, days: number): Promise<void> {
  for (let i = 0; i < STATEMENTS_AT_ONCE; i++) {
    if ((await removeOldest(store, days)) < ROWS_AT_ONCE) return;
  }
}

/**
 * Rows are numbered in order of time: the oldest have the lowest numbers, so debits need not maintain an index on the
 * time. Rows that another process is removing are skipped.
 */
async function removeOldest(store: Queries, days: number): Promise<number> {
  const removed = await store.query(
    `DELETE FROM ledger WHERE id IN (
      SELECT id FROM ledger
      WHERE id IN (SELECT id FROM ledger ORDER BY id LIMIT ${ROWS_AT_ONCE})
        AND noted_at < now() - make_interval(days => $1)
      FOR UPDATE SKIP LOCKED
    ) RETURNING id`,
    [days],
  );
  return removed.length;
}
