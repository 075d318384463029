import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { keysIn, trimLedger } from "../../src/api/server/serviceDb/keys.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { createTestDatabase } from "../support/database.ts";

const DAYS = 100;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
let id = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  store = openStore({ databaseUrl: database.url, schema: "service" });
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});

beforeEach(async () => {
  await store.query("TRUNCATE api_keys, ledger, signups CASCADE");
  ({ id } = await keysIn(store).create({ label: "k", owner: null, credits: 50, reason: "gift" }));
  await store.query("TRUNCATE ledger");
});

/**
 * Adds `count` debits made `daysAgo` days ago. Add the oldest first, because real debits come in
 * order of time.
 */
const noteDebits = (count: number, daysAgo: number) =>
  store.query(
    `INSERT INTO ledger (key_id, noted_at, credits, balance, reason)
    SELECT $1, now() - make_interval(days => $2) - interval '1 hour', -1, 50, $2 || ' days ago' FROM generate_series(1, $3)`,
    [id, daysAgo, count],
  );

/** How many rows the ledger has, by their content. */
async function countRows(): Promise<Record<string, number>> {
  const rows = await store.query<{ reason: string; count: number }>(
    "SELECT reason, count(*)::int AS count FROM ledger GROUP BY reason",
  );
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}

test("old entries are removed, however many, and everything else stays", async () => {
  await noteDebits(2_345, 300);
  await noteDebits(3, DAYS);
  await noteDebits(4, DAYS - 1);
  await noteDebits(5, 0);
  await trimLedger(store, DAYS);
  expect(await countRows()).toEqual({ "99 days ago": 4, "0 days ago": 5 });
});

test("a key keeps its credits, and its usage continues", async () => {
  await noteDebits(10, 300);
  await trimLedger(store, DAYS);
  const keys = keysIn(store);
  expect(await keys.list()).toMatchObject([{ id, credits: 50 }]);
  expect(await keys.charge(id, { credits: 2, operation: "GET /whois/{name}" })).toBe(48);
  expect(await countRows()).toEqual({ "GET /whois/{name}": 1 });
});

test("concurrent removals remove everything once, while debits continue", async () => {
  await noteDebits(5_500, 300);
  const keys = keysIn(store);
  const debits = Array.from({ length: 30 }, () => keys.charge(id, { credits: 1, operation: "now" }));
  await Promise.all([1, 2, 3].map(() => trimLedger(store, DAYS)));
  expect(await Promise.all(debits)).not.toContain(null);
  await trimLedger(store, DAYS);
  expect(await countRows()).toEqual({ now: 30 });
  expect(await keys.list()).toMatchObject([{ id, credits: 20 }]);
});

test("entries that must not be used twice stay, whatever their age", async () => {
  await store.query(
    "INSERT INTO payment_marks (key, value, expires_at) VALUES ('paid', 'true', now() - interval '3 years')",
  );
  await store.query("INSERT INTO signups (owner, key_id, signed_up_at) VALUES ('0xab', $1, 'epoch')", [id]);
  await noteDebits(10, 300);
  await trimLedger(store, DAYS);
  expect(await countRows()).toEqual({});
  expect(await store.query("SELECT key FROM payment_marks")).toEqual([{ key: "paid" }]);
  expect(await store.query("SELECT owner FROM signups")).toEqual([{ owner: "0xab" }]);
});
