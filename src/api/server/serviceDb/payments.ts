import type { Queries } from "../postgres/client.ts";
import { HELD_SECONDS } from "./reservations.ts";
import type { Store } from "./store.ts";

/** What a read-modify-write does with the value it read. */
export type MarkChange<Value, Result> =
  | { op: "noop"; result: Result }
  | { op: "set"; value: Value; result: Result }
  | { op: "delete"; result: Result };

/**
 * Marks of payments, by key, so that no payment pays for two answers, not even at two replicas at once. These are the
 * actions that the payment library requires of a store (`Store.AtomicStore` of mppx), and those that find a payment
 * again whose outcome is unknown.
 */
export type PaymentMarks = {
  get: (key: string) => Promise<unknown>;
  put: (key: string, value: unknown) => Promise<void>;
  delete: (key: string) => Promise<void>;
  /** `change` receives the value, or null. No other process changes it meanwhile. */
  update: <Result>(key: string, change: (current: unknown) => MarkChange<unknown, Result>) => Promise<Result>;
  /** True for exactly one of several claims of a key, until it expires (unix milliseconds). */
  tryClaim: (key: string, expires: number) => Promise<boolean>;
  /** True for exactly one of several requests at once, until it is released or its process has died. */
  tryHold: (key: string) => Promise<boolean>;
  /** Present holds last until then (unix milliseconds). */
  keepHeld: (key: string, until: number) => Promise<void>;
  /** Releases claims of a payment whose outcome is unknown: each can be claimed once more. */
  markUnclear: (keys: readonly string[]) => Promise<void>;
  isUnclear: (key: string) => Promise<boolean>;
  /** Removes expired claims. An expired payment is refused by its own date. */
  removeOld: () => Promise<void>;
};

/** How much longer claims are stored: the clocks of service and database may differ. */
const CLOCK_MINUTES = 10;

/** SQL: so much after a time in unix milliseconds. */
const storedUntil = (milliseconds: string): string =>
  `to_timestamp(${milliseconds}::double precision / 1000) + interval '${CLOCK_MINUTES} minutes'`;

/** The marks of a store. */
export function paymentMarksIn(store: Store): PaymentMarks {
  return {
    get: (key) => find(store, key),
    put: (key, value) => put(store, key, value),
    delete: (key) => remove(store, key),
    update: (key, change) =>
      store.transaction(async (queries) => {
        // A key that has no row yet cannot be locked by its row.
        await queries.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [key]);
        const done = change(await find(queries, key));
        if (done.op === "set") await put(queries, key, done.value);
        if (done.op === "delete") await remove(queries, key);
        return done.result;
      }),
    tryClaim: (key, expires) => claim(store, key, expires),
    tryHold: (key) => hold(store, key),
    keepHeld: async (key, until) => {
      await store.query(`UPDATE payment_marks SET expires_at = ${storedUntil("$2")} WHERE key = $1`, [
        key,
        until,
      ]);
    },
    markUnclear: async (keys) => {
      await store.query("UPDATE payment_marks SET is_unclear = true WHERE key = ANY($1)", [keys]);
    },
    isUnclear: async (key) => {
      const rows = await store.query("SELECT 1 FROM payment_marks WHERE key = $1 AND is_unclear", [key]);
      return rows.length > 0;
    },
    removeOld: async () => {
      await store.query("DELETE FROM payment_marks WHERE expires_at < now()");
    },
  };
}

async function claim(store: Queries, key: string, expires: number): Promise<boolean> {
  const rows = await store.query(
    `INSERT INTO payment_marks AS mark (key, value, expires_at)
    VALUES ($1, 'true', ${storedUntil("$2")})
    ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at, is_unclear = false
    WHERE mark.expires_at < now() OR mark.is_unclear
    RETURNING key`,
    [key, expires],
  );
  return rows.length > 0;
}

async function hold(store: Queries, key: string): Promise<boolean> {
  const rows = await store.query(
    `INSERT INTO payment_marks AS mark (key, value, expires_at)
    VALUES ($1, 'true', now() + make_interval(secs => ${HELD_SECONDS}))
    ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE mark.expires_at < now()
    RETURNING key`,
    [key],
  );
  return rows.length > 0;
}

async function find(queries: Queries, key: string): Promise<unknown> {
  const [row] = await queries.query<{ value: unknown }>(
    "SELECT value FROM payment_marks WHERE key = $1 AND (expires_at IS NULL OR expires_at >= now())",
    [key],
  );
  return row?.value ?? null;
}

async function put(queries: Queries, key: string, value: unknown): Promise<void> {
  await queries.query(
    `INSERT INTO payment_marks (key, value) VALUES ($1, $2)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = NULL, is_unclear = false`,
    [key, JSON.stringify(value)],
  );
}

async function remove(queries: Queries, key: string): Promise<void> {
  await queries.query("DELETE FROM payment_marks WHERE key = $1", [key]);
}
