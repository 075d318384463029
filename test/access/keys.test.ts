import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Keys, keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { createTestDatabase } from "../support/database.ts";
import { today, unlessMidnight } from "./today.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
let keys: Keys;

beforeAll(async () => {
  database = await createTestDatabase();
  store = openStore({ databaseUrl: database.url, schema: "service" });
  keys = keysIn(store);
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});

const createKey = (credits: number, label = "test") =>
  keys.create({ label, owner: null, credits, reason: "for a test" });

const ledgerOf = (id: number) =>
  store.query<{ credits: string; balance: string; reason: string }>(
    "SELECT credits, balance, reason FROM ledger WHERE key_id = $1 ORDER BY id",
    [id],
  );

test("a connection that ends within a transaction fails only that transaction", async () => {
  const cut = store.transaction(async (queries) => {
    const [own] = await queries.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    await store.query("SELECT pg_terminate_backend($1, 10000)", [own?.pid]);
    await sleep(100); // The connection learns of it while idle.
    await queries.query("SELECT 1");
  });
  await expect(cut).rejects.toThrow();
  expect(await store.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
});

describe("a key", () => {
  test("has 192 random bits and is found by its text", async () => {
    const { id, key } = await createKey(10);
    expect(key).toMatch(/^ens_[A-Za-z0-9_-]{32}$/);
    expect(await keys.find(key)).toEqual({ id, credits: 10, isRevoked: false });
    expect((await createKey(10)).key).not.toBe(key);
  });

  test("is not in the database, except for its hash and its first eight characters", async () => {
    const { id, key } = await createKey(10);
    const [row] = await store.query<{ dump: string; prefix: string }>(
      "SELECT prefix, api_keys::text AS dump FROM api_keys WHERE id = $1",
      [id],
    );
    expect(row?.prefix).toBe(key.slice(0, 8));
    expect(row?.dump).not.toContain(key.slice(8));
    expect(row?.dump).not.toContain(Buffer.from(key).toString("hex"));
  });

  test.each([
    "",
    "ens_",
    `ens_${"a".repeat(32)}`,
    `ens_${"a".repeat(10_000)}`,
    "a\u0000b",
    "' OR true --",
    `ens_${"é".repeat(32)}`,
  ])("%.20j is not a key", async (text) => {
    expect(await keys.find(text)).toBeNull();
  });

  test("is not found by another key's text, not even in another case or with a space", async () => {
    const { key } = await createKey(1);
    for (const other of [key.toUpperCase(), ` ${key}`, `${key} `, `${key}\n`, key.slice(0, -1)]) {
      expect(await keys.find(other)).toBeNull();
    }
  });

  test("that is revoked is remembered as such, and can neither be charged nor given credits", async () => {
    const { id, key } = await createKey(10);
    expect(await keys.revoke(id)).toBe(true);
    expect(await keys.find(key)).toEqual({ id, credits: 10, isRevoked: true });
    expect(await keys.charge(id, { credits: 1, operation: "GET /x" })).toBeNull();
    expect(await keys.grant(id, { credits: 1, reason: "late" })).toBeNull();
    expect(await keys.revoke(id)).toBe(true);
    expect(await keys.revoke(2 ** 31 - 1)).toBe(false);
  });
});

describe("credits", () => {
  test("go down by charges and up by grants, and the ledger says why", async () => {
    const { id } = await createKey(5);
    expect(await keys.charge(id, { credits: 2, operation: "GET /whois/{name}" })).toBe(3);
    expect(await keys.grant(id, { credits: 10, reason: "thanks" })).toBe(13);
    expect(await ledgerOf(id)).toEqual([
      { credits: "5", balance: "5", reason: "for a test" },
      { credits: "-2", balance: "3", reason: "GET /whois/{name}" },
      { credits: "10", balance: "13", reason: "thanks" },
    ]);
  });

  test("that do not exist are neither charged nor recorded", async () => {
    const { id } = await createKey(5);
    expect(await keys.charge(id, { credits: 6, operation: "POST /whois/bulk" })).toBeNull();
    expect(await keys.charge(id, { credits: 5, operation: "POST /whois/bulk" })).toBe(0);
    expect(await keys.charge(id, { credits: 1, operation: "GET /x" })).toBeNull();
    expect(await ledgerOf(id)).toHaveLength(2);
  });

  test("never go below zero, however many requests arrive at once", async () => {
    const { id } = await createKey(500);
    const second = openStore({ databaseUrl: database.url, schema: "service" });
    const replicas = [keys, keysIn(second)] as const;
    const left = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) =>
        (replicas[i % 2] as Keys).charge(id, { credits: 1, operation: "GET /x" }),
      ),
    );
    await second.close();
    const charged = left.filter((credits) => credits !== null);
    expect(charged.sort((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, i) => i));
    const ledger = await ledgerOf(id);
    expect(ledger).toHaveLength(501);
    expect(ledger.reduce((sum, row) => sum + Number(row.credits), 0)).toBe(0);
  });

  test("are also kept above zero by the database", async () => {
    const { id } = await createKey(5);
    await expect(store.query("UPDATE api_keys SET credits = -1 WHERE id = $1", [id])).rejects.toThrow(
      /check constraint/,
    );
  });

  test("of a transaction that fails are not granted", async () => {
    const before = (await keys.list()).length;
    const made = store.transaction(async (queries) => {
      await keysIn(queries).create({ label: "undone", owner: null, credits: 1, reason: "test" });
      throw new Error("changed my mind");
    });
    await expect(made).rejects.toThrow("changed my mind");
    expect(await keys.list()).toHaveLength(before);
    const { id } = await store.transaction((queries) =>
      keysIn(queries).create({ label: "done", owner: null, credits: 1, reason: "test" }),
    );
    expect((await keys.list()).find((key) => key.id === id)?.label).toBe("done");
  });
});

describe("lists", () => {
  test("show keys by prefix, label and owner", async () => {
    const owner = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
    const { id, key } = await keys.create({ label: "mine", owner, credits: 7, reason: "sign-up" });
    expect((await keys.list()).find((one) => one.id === id)).toEqual({
      id,
      prefix: key.slice(0, 8),
      label: "mine",
      owner,
      credits: 7,
      createdAt: expect.any(Date),
      revokedAt: null,
    });
  });

  test("sum debits by day and operation, newest day first, without grants", unlessMidnight, async () => {
    const { id } = await createKey(100);
    const operations = ["GET /a", "GET /a", "GET /b"];
    for (const operation of operations) await keys.charge(id, { credits: 3, operation });
    await store.query(
      `INSERT INTO ledger (key_id, noted_at, credits, balance, reason)
      VALUES ($1, '2026-01-01 23:59:59Z', -4, 0, 'GET /old'), ($1, '2026-01-01 00:00:00Z', -1, 0, 'GET /old'),
        ($1, '2025-12-31 23:59:59Z', -1, 0, 'GET /older')`,
      [id],
    );
    expect(await keys.usage(id, new Date("2026-01-01T00:00:00Z"))).toEqual([
      { day: today(), operation: "GET /a", requests: 2, credits: 6 },
      { day: today(), operation: "GET /b", requests: 1, credits: 3 },
      { day: "2026-01-01", operation: "GET /old", requests: 2, credits: 5 },
    ]);
  });
});
