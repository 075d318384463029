import type { Queries } from "../postgres/client.ts";
import { keyHash, MOVED } from "./keys.ts";

/**
 * For how long something is held for a request that is being answered: credits, or a payment. Longer than any answer
 * takes. After that its process has died, and what it held is free again.
 */
export const HELD_SECONDS = 120;

/** Credits taken from a key for one request, and the credits left on the key. */
export type Reservation = { id: string; left: number };

/** More are given back the next time. */
const ABANDONED_AT_ONCE = 1_000;

export type Reservations = ReturnType<typeof reservationsIn>;

/**
 * Credits are taken before the work, so that parallel requests cannot all work for one credit. They are taken with their
 * row in the ledger. So a balance is the sum of its ledger at every moment. If the request fails, both are undone.
 */
export const reservationsIn = (store: Queries) => ({
  /** By the text of the key; null if the key is unknown or revoked, or has not enough credits. */
  reserve: (key: string, debit: { credits: number; operation: string }) => reserve(store, key, debit),
  /** The request was answered. False if its credits were given back before: it took too long. */
  settle: async (id: string): Promise<boolean> => {
    const settled = await store.query(
      "UPDATE ledger SET reserved_until = NULL WHERE id = $1 AND reserved_until IS NOT NULL RETURNING id",
      [id],
    );
    return settled.length > 0;
  },
  /**
   * The request failed. Gives the credits that the key then has; null if nothing was reserved any more. A sign-up may move the
   * reservation to another key while the first attempt waits for the old one. A reservation that is moved twice meanwhile is
   * given back with the abandoned ones.
   */
  refund: async (id: string) => (await refund(store, id)) ?? refund(store, id),
  /** Gives back what processes that died had reserved. Every replica does this now and then. */
  giveBackAbandoned: async (): Promise<void> => {
    const abandoned = await store.query<{ id: string }>(
      `SELECT id FROM ledger WHERE reserved_until < now() ORDER BY id LIMIT ${ABANDONED_AT_ONCE}`,
    );
    for (const { id } of abandoned) await refund(store, id);
  },
});

/** One statement, so that parallel reservations wait for each other at the key's row and no credit is taken twice. */
async function reserve(
  store: Queries,
  key: string,
  { credits, operation }: { credits: number; operation: string },
): Promise<Reservation | null> {
  const [row] = await store.query<{ id: string; credits: string }>(
    `WITH changed AS (
      UPDATE api_keys SET credits = credits - $2::bigint
      WHERE key_hash = $1 AND revoked_at IS NULL AND credits >= $2::bigint
      RETURNING id, credits
    ), noted AS (
      INSERT INTO ledger (key_id, credits, balance, reason, reserved_until)
      SELECT id, -$2::bigint, credits, $3, now() + make_interval(secs => ${HELD_SECONDS}) FROM changed
      RETURNING id
    )
    SELECT noted.id, changed.credits FROM noted, changed`,
    [keyHash(key), credits, operation],
  );
  return row ? { id: row.id, left: Number(row.credits) } : null;
}

/** Locks the key before the row of the ledger, as a sign-up does: the two cannot wait for each other. */
async function refund(store: Queries, id: string): Promise<number | null> {
  const [row] = await store.query<{ credits: string }>(
    `WITH locked AS MATERIALIZED (
      SELECT key.id FROM ledger JOIN api_keys key ON key.id = ledger.key_id
      WHERE ledger.id = $1 AND ledger.reserved_until IS NOT NULL
      FOR UPDATE OF key
    ), gone AS (
      DELETE FROM ledger USING locked
      WHERE ledger.id = $1 AND ledger.key_id = locked.id AND ledger.reserved_until IS NOT NULL
      RETURNING ledger.key_id, ledger.credits
    )
    UPDATE api_keys SET credits = api_keys.credits - gone.credits FROM gone WHERE api_keys.id = gone.key_id
    RETURNING api_keys.credits`,
    [id],
  );
  return row ? Number(row.credits) : null;
}

/**
 * Moves what is reserved to the key that replaces another, in the transaction that replaces it. The ledgers of both keys
 * say so, so that each balance stays the sum of its ledger.
 */
export async function moveReservations(
  queries: Queries,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await queries.query(
    `WITH moved AS (
      UPDATE ledger SET key_id = $2 WHERE key_id = $1 AND reserved_until IS NOT NULL RETURNING credits
    ), total AS (
      SELECT sum(credits)::bigint AS credits FROM moved HAVING count(*) > 0
    )
    INSERT INTO ledger (key_id, credits, balance, reason)
    SELECT $1, total.credits, 0, $3 FROM total
    UNION ALL SELECT $2, -total.credits, key.credits, 'moved from key ' || $1::integer
    FROM total, api_keys key WHERE key.id = $2`,
    [from, to, MOVED],
  );
}
