import { createHash, randomBytes } from "node:crypto";
import type { Queries } from "../postgres/client.ts";

/** What a request needs to know about a key. */
export type KeyState = { id: number; credits: number; isRevoked: boolean };

/** A key as lists show it. The key itself is not stored anywhere. */
export type KeySummary = {
  id: number;
  /** The first characters of the key, so that its owner can recognise it. */
  prefix: string;
  label: string;
  /** Lower-case address of the sign-up; null for a key that the operator made. */
  owner: string | null;
  credits: number;
  createdAt: Date;
  revokedAt: Date | null;
};

/** Debits of one day (UTC) and operation. */
export type UsageRow = { day: string; operation: string; requests: number; credits: number };

const KEY_BYTES = 24;
const PREFIX_LENGTH = 8;
/** The reason in the ledger of a replaced key: its credits went to the next one, and paid for nothing. */
export const MOVED = "moved to the address's next key";
const keyForm = /^ens_[A-Za-z0-9_-]{32}$/;

/** Keys and their credits. Each change of a balance is one statement, which also writes the ledger. */
export type Keys = ReturnType<typeof keysIn>;

/** The keys of a store, or of one transaction in it. */
export const keysIn = (store: Queries) => ({
  /** Creates a key; its text is returned once, and only its hash is stored. `owner`: lower-case address of a sign-up, null for the operator's. */
  create: (key: NewKey) => create(store, key),
  /** By the text of the key. */
  find: (key: string) => find(store, key),
  /** Debits the key finally; returns the credits left, or null if there are too few or the key is revoked. */
  charge: (id: number, { credits, operation }: { credits: number; operation: string }) =>
    change(store, id, { credits: -credits, reason: operation }),
  /** Gives the new credits; null if there is no such key or it is revoked. */
  grant: (id: number, grant: { credits: number; reason: string }) => change(store, id, grant),
  /** False if there is no such key. */
  revoke: (id: number) => revoke(store, id),
  list: () => list(store),
  /**
   * What was charged since a time, by day and operation, newest day first. The keys that a sign-up replaced belong to the
   * key that replaced them: their usage is part of it.
   */
  usage: (id: number, since: Date) => listUsage(store, id, since),
});

type NewKey = Pick<KeySummary, "label" | "owner" | "credits"> & { reason: string };

async function create(store: Queries, { label, owner, credits, reason }: NewKey) {
  const key = `ens_${randomBytes(KEY_BYTES).toString("base64url")}`;
  const [row] = await store.query<{ id: number }>(
    `WITH made AS (
      INSERT INTO api_keys (key_hash, prefix, label, owner, credits) VALUES ($1, $2, $3, $4, $5)
      RETURNING id, credits
    ), noted AS (
      INSERT INTO ledger (key_id, credits, balance, reason) SELECT id, credits, credits, $6 FROM made
    )
    SELECT id FROM made`,
    [keyHash(key), key.slice(0, PREFIX_LENGTH), label, owner, credits, reason],
  );
  if (!row) throw new Error("a statement that makes a key returned none");
  return { id: row.id, key };
}

/** Looked up by its hash: the time it takes reveals nothing about similar keys. */
async function find(store: Queries, key: string): Promise<KeyState | null> {
  if (!keyForm.test(key)) return null;
  const [row] = await store.query<{ id: number; credits: string; is_revoked: boolean }>(
    "SELECT id, credits, revoked_at IS NOT NULL AS is_revoked FROM api_keys WHERE key_hash = $1",
    [keyHash(key)],
  );
  return row ? { id: row.id, credits: Number(row.credits), isRevoked: row.is_revoked } : null;
}

/** One statement, so that parallel debits wait for each other at the row and no credit is spent twice. */
async function change(
  store: Queries,
  id: number,
  { credits, reason }: { credits: number; reason: string },
): Promise<number | null> {
  const [row] = await store.query<{ credits: string }>(
    `WITH changed AS (
      UPDATE api_keys SET credits = credits + $2::bigint
      WHERE id = $1 AND revoked_at IS NULL AND credits + $2::bigint >= 0
      RETURNING credits
    ), noted AS (
      INSERT INTO ledger (key_id, credits, balance, reason) SELECT $1, $2::bigint, credits, $3 FROM changed
    )
    SELECT credits FROM changed`,
    [id, credits, reason],
  );
  return row ? Number(row.credits) : null;
}

async function revoke(store: Queries, id: number): Promise<boolean> {
  const rows = await store.query(
    "UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1 RETURNING id",
    [id],
  );
  return rows.length > 0;
}

async function list(store: Queries): Promise<KeySummary[]> {
  const rows = await store.query<Omit<KeySummary, "credits"> & { credits: string }>(
    `SELECT id, prefix, label, owner, credits, created_at AS "createdAt", revoked_at AS "revokedAt"
    FROM api_keys ORDER BY id`,
  );
  return rows.map((row) => ({ ...row, credits: Number(row.credits) }));
}

async function listUsage(store: Queries, id: number, since: Date): Promise<UsageRow[]> {
  const rows = await store.query<Record<"day" | "operation" | "requests" | "credits", string>>(
    `SELECT to_char(noted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, reason AS operation,
      count(*) AS requests, -sum(credits) AS credits
    FROM ledger
    WHERE key_id IN (
        SELECT $1::integer
        UNION SELECT earlier.id FROM api_keys key JOIN api_keys earlier USING (owner)
        WHERE key.id = $1 AND earlier.id < key.id
      )
      AND noted_at >= $2 AND credits < 0 AND reserved_until IS NULL AND reason <> $3
    GROUP BY 1, 2 ORDER BY 1 DESC, 4 DESC, 2`,
    [id, since, MOVED],
  );
  return rows.map((row) => ({ ...row, requests: Number(row.requests), credits: Number(row.credits) }));
}

/** How a key is stored. */
export const keyHash = (key: string): Buffer => createHash("sha256").update(key).digest();

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
