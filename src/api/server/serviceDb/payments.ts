import type { Queries } from "../postgres/client.ts";
import { HELD_SECONDS } from "./reservations.ts";
import type { Store } from "./store.ts";

/** What a read-modify-write does with the value it read. */
export type MarkChange<Value, Result> =
  | { op: "noop"; result: Result }
  | { op: "set"; value: Value; result: Result }
  | { op: "delete"; result: Result };

/** How much longer claims are stored: the clocks of service and database may differ. */
const CLOCK_MINUTES = 10;

/** SQL: so much after a time in unix milliseconds. */
const storedUntil = (milliseconds: string): string =>
  `to_timestamp(${milliseconds}::double precision / 1000) + interval '${CLOCK_MINUTES} minutes'`;

export type PaymentMarks = ReturnType<typeof paymentMarksIn>;

/**
 * Marks of payments, by key, so that no payment pays for two answers, not even at two replicas at once. These are the
 * actions that the payment library requires of a store (`Store.AtomicStore` of mppx), and those that find a payment
 * again whose outcome is unknown.
 */
export const paymentMarksIn = (store: Store) => ({
  get: (key: string) => find(store, key),
  put: (key: string, value: unknown) => put(store, key, value),
  delete: (key: string) => remove(store, key),
  /** `change` receives the value, or null. No other process changes it meanwhile. */
  update: <Result>(key: string, change: (current: unknown) => MarkChange<unknown, Result>): Promise<Result> =>
    store.transaction(async (queries) => {
      // A key that has no row yet cannot be locked by its row.
      await queries.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [key]);
      const done = change(await find(queries, key));
      if (done.op === "set") await put(queries, key, done.value);
      if (done.op === "delete") await remove(queries, key);
      return done.result;
    }),
  /** True for exactly one of several claims of a key, until it expires (unix milliseconds). */
  tryClaim: async (key: string, expires: number): Promise<boolean> => {
    const rows = await store.query(
      `INSERT INTO payment_marks AS mark (key, value, expires_at)
      VALUES ($1, 'true', ${storedUntil("$2")})
      ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at, is_unclear = false
      WHERE mark.expires_at < now() OR mark.is_unclear
      RETURNING key`,
      [key, expires],
    );
    return rows.length > 0;
  },
  /** True for exactly one of several requests at once, until it is released or its process has died. */
  tryHold: async (key: string): Promise<boolean> => {
    const rows = await store.query(
      `INSERT INTO payment_marks AS mark (key, value, expires_at)
      VALUES ($1, 'true', now() + make_interval(secs => ${HELD_SECONDS}))
      ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE mark.expires_at < now()
      RETURNING key`,
      [key],
    );
    return rows.length > 0;
  },
  /** Present holds last until then (unix milliseconds). */
  keepHeld: async (key: string, until: number): Promise<void> => {
    await store.query(`UPDATE payment_marks SET expires_at = ${storedUntil("$2")} WHERE key = $1`, [
      key,
      until,
    ]);
  },
  /** Releases claims of a payment whose outcome is unknown: each can be claimed once more. */
  markUnclear: async (keys: readonly string[]): Promise<void> => {
    await store.query("UPDATE payment_marks SET is_unclear = true WHERE key = ANY($1)", [keys]);
  },
  isUnclear: async (key: string): Promise<boolean> => {
    const rows = await store.query("SELECT 1 FROM payment_marks WHERE key = $1 AND is_unclear", [key]);
    return rows.length > 0;
  },
  /** Removes expired claims. An expired payment is refused by its own date. */
  removeOld: async (): Promise<void> => {
    await store.query("DELETE FROM payment_marks WHERE expires_at < now()");
  },
});

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
