import { createHash, randomBytes } from "node:crypto";
import type { Queries } from "./client.ts";

/** What a request has to know of a key. */
export type KeyState = { id: number; credits: number; isRevoked: boolean };

/** A key as lists show it: never the key itself, which is nowhere. */
export type KeySummary = {
  id: number;
  /** The first characters of the key, by which its owner knows it again. */
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

/** Keys and their credits. Each change of a balance is one statement, which writes the ledger's row too. */
export type Keys = {
  /** Makes a key; the text is returned once and stored hashed only. `owner`: lower-case address of a sign-up, null for the operator's. */
  create: (key: {
    label: string;
    owner: string | null;
    credits: number;
    reason: string;
  }) => Promise<{ id: number; key: string }>;
  /** By the text of the key. */
  find: (key: string) => Promise<KeyState | null>;
  /** Debits and writes the ledger in one statement; credits left, or null where there are not enough or the key is revoked. */
  charge: (id: number, debit: { credits: number; operation: string }) => Promise<number | null>;
  /** Credits it has then; null where there is no such key or it is revoked. */
  grant: (id: number, grant: { credits: number; reason: string }) => Promise<number | null>;
  /** False where there is no such key. */
  revoke: (id: number) => Promise<boolean>;
  list: () => Promise<KeySummary[]>;
  /** Debits by day and operation since a time, newest day first. */
  usage: (id: number, since: Date) => Promise<UsageRow[]>;
};

const KEY_BYTES = 24;
const PREFIX_LENGTH = 8;
const keyForm = /^ens_[A-Za-z0-9_-]{32}$/;

/** The keys of a store, or of one transaction in it. */
export function keysIn(store: Queries): Keys {
  return {
    create: (key) => create(store, key),
    find: (key) => find(store, key),
    charge: (id, { credits, operation }) => change(store, id, { credits: -credits, reason: operation }),
    grant: (id, grant) => change(store, id, grant),
    revoke: (id) => revoke(store, id),
    list: () => list(store),
    usage: (id, since) => listUsage(store, id, since),
  };
}

async function create(store: Queries, { label, owner, credits, reason }: Parameters<Keys["create"]>[0]) {
  const key = `ens_${randomBytes(KEY_BYTES).toString("base64url")}`;
  const [row] = await store.query<{ id: number }>(
    `WITH made AS (
      INSERT INTO api_keys (key_hash, prefix, label, owner, credits) VALUES ($1, $2, $3, $4, $5)
      RETURNING id, credits
    ), noted AS (
      INSERT INTO ledger (key_id, credits, balance, reason) SELECT id, credits, credits, $6 FROM made
    )
    SELECT id FROM made`,
    [hashOf(key), key.slice(0, PREFIX_LENGTH), label, owner, credits, reason],
  );
  if (!row) throw new Error("a statement that makes a key returned none");
  return { id: row.id, key };
}

/** Looked up by its hash: how long that takes says nothing about keys that are nearly the same. */
async function find(store: Queries, key: string): Promise<KeyState | null> {
  if (!keyForm.test(key)) return null;
  const [row] = await store.query<{ id: number; credits: string; is_revoked: boolean }>(
    "SELECT id, credits, revoked_at IS NOT NULL AS is_revoked FROM api_keys WHERE key_hash = $1",
    [hashOf(key)],
  );
  return row ? { id: row.id, credits: Number(row.credits), isRevoked: row.is_revoked } : null;
}

/** One statement, so that parallel debits queue up at the row and none can take what another has taken. */
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
    FROM ledger WHERE key_id = $1 AND noted_at >= $2 AND credits < 0
    GROUP BY 1, 2 ORDER BY 1 DESC, 4 DESC, 2`,
    [id, since],
  );
  return rows.map((row) => ({ ...row, requests: Number(row.requests), credits: Number(row.credits) }));
}

const hashOf = (key: string): Buffer => createHash("sha256").update(key).digest();
