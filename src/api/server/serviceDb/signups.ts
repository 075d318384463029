import { randomBytes } from "node:crypto";
import type { Queries } from "../postgres/client.ts";
import { keysIn, MOVED } from "./keys.ts";
import { moveReservations } from "./reservations.ts";
import type { Store } from "./store.ts";
import { moveWebhooks } from "./webhookKeys.ts";

/** A text that is valid for one sign-up, until it expires. */
export type Nonce = { nonce: string; expiresAt: Date };

/**
 * How a sign-up ended: with a key; with nothing, because the nonce is used, expired or not ours; or with nothing,
 * because the operator revoked the address's key.
 */
export type SignupOutcome =
  | { kind: "key"; key: string; credits: number; isFirst: boolean }
  | { kind: "stale nonce" }
  | { kind: "revoked" };

const NONCE_BYTES = 16;

export type Signups = ReturnType<typeof signupsIn>;

/** Sign-ups and open nonces, shared by all replicas. */
export const signupsIn = (store: Store) => ({
  createNonce: ({ seconds }: { seconds: number }) => createNonce(store, seconds),
  /** False if it is used, expired or not ours. Only `signUp` uses it up. */
  isOpen: async (nonce: string): Promise<boolean> => {
    const found = await store.query("SELECT 1 FROM signup_nonces WHERE nonce = $1 AND expires_at > now()", [
      nonce,
    ]);
    return found.length > 0;
  },
  /**
   * Uses up the nonce and creates the key of an address, all or nothing. The first key of an address gets the granted
   * credits. Each later key gets the credits left on the one before it, which is revoked.
   *
   * @param signed `owner`: lower-case address that signed
   */
  signUp: ({ owner, nonce, credits }: { owner: string; nonce: string; credits: number }) =>
    store.transaction(async (queries): Promise<SignupOutcome> => {
      if (!(await useNonce(queries, nonce))) return { kind: "stale nonce" };
      const earlier = await lockOwner(queries, owner);
      return earlier === null
        ? makeFirst(queries, { owner, credits })
        : makeNext(queries, { owner, earlier });
    }),
});

/** Creating a nonce also deletes the expired ones, so the table stays small. */
async function createNonce(store: Queries, seconds: number): Promise<Nonce> {
  const nonce = randomBytes(NONCE_BYTES).toString("hex");
  const [row] = await store.query<{ expires_at: Date }>(
    `WITH gone AS (DELETE FROM signup_nonces WHERE expires_at <= now())
    INSERT INTO signup_nonces (nonce, expires_at) VALUES ($1, now() + make_interval(secs => $2))
    RETURNING expires_at`,
    [nonce, seconds],
  );
  if (!row) throw new Error("a statement that makes a nonce returned none");
  return { nonce, expiresAt: row.expires_at };
}

/** Of parallel uses, one deletes the row; the others wait for it and then find none. */
async function useNonce(queries: Queries, nonce: string): Promise<boolean> {
  const used = await queries.query(
    "DELETE FROM signup_nonces WHERE nonce = $1 AND expires_at > now() RETURNING nonce",
    [nonce],
  );
  return used.length > 0;
}

/** Other sign-ups of the address wait here until this one ends. Returns the id of the address's key, or null. */
async function lockOwner(queries: Queries, owner: string): Promise<number | null> {
  const [row] = await queries.query<{ key_id: number | null }>(
    `INSERT INTO signups (owner) VALUES ($1)
    ON CONFLICT (owner) DO UPDATE SET owner = excluded.owner RETURNING key_id`,
    [owner],
  );
  return row?.key_id ?? null;
}

async function makeFirst(queries: Queries, { owner, credits }: { owner: string; credits: number }) {
  const { key } = await makeKey(queries, { owner, credits, reason: "sign-up" });
  return { kind: "key", key, credits, isFirst: true } as const;
}

async function makeNext(
  queries: Queries,
  { owner, earlier }: { owner: string; earlier: number },
): Promise<SignupOutcome> {
  const [row] = await queries.query<{ credits: string; is_revoked: boolean }>(
    "SELECT credits, revoked_at IS NOT NULL AS is_revoked FROM api_keys WHERE id = $1 FOR UPDATE",
    [earlier],
  );
  if (!row || row.is_revoked) return { kind: "revoked" };
  const keys = keysIn(queries);
  const credits = Number(row.credits);
  if (credits > 0) await keys.charge(earlier, { credits, operation: MOVED });
  await keys.revoke(earlier);
  const { id, key } = await makeKey(queries, { owner, credits, reason: `moved from key ${earlier}` });
  await moveReservations(queries, { from: earlier, to: id });
  await moveWebhooks(queries, { from: earlier, to: id });
  return { kind: "key", key, credits, isFirst: false };
}

async function makeKey(queries: Queries, made: { owner: string; credits: number; reason: string }) {
  const created = await keysIn(queries).create({ ...made, label: "sign-up" });
  await queries.query("UPDATE signups SET key_id = $2, key_made_at = now() WHERE owner = $1", [
    made.owner,
    created.id,
  ]);
  return created;
}
