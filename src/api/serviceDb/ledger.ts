import type { Queries } from "./client.ts";

const ROWS_AT_ONCE = 1_000;
/** What is left over after so many statements waits for the next time. */
const STATEMENTS_AT_ONCE = 100;

/**
 * Removes what the ledger noted longer ago than so many days, in statements so short that no debit waits for them. What
 * a key has stays as it is: it stands with the key.
 */
export async function trimLedger(store: Queries, days: number): Promise<void> {
  for (let i = 0; i < STATEMENTS_AT_ONCE; i++) {
    if ((await removeOldest(store, days)) < ROWS_AT_ONCE) return;
  }
}

/**
 * Rows are numbered as they come: the oldest are those with the lowest numbers, and no debit has to keep an index on the
 * time. Rows that another process removes at this moment are left to it.
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
