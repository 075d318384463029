import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { sql } from "ponder";
import { zeroHash } from "viem";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { ponderModule, quietLogger } from "../../engine/ponderModule.ts";
import { childCounts } from "../../src/api/names/counts/childCounts.ts";
import { listRecordRows } from "../../src/api/names/counts/recordRows.ts";
import { ApiError } from "../../src/api/server/errors/errors.ts";
import {
  type ConsistentRead,
  createConsistentRead,
  createStateReader,
} from "../../src/api/server/indexState/consistentRead.ts";
import { prepareIndexPool } from "../../src/api/server/indexState/indexPool.ts";
import { readTablesState, versionColumn } from "../../src/api/server/indexState/position.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { noteVersion } from "../../src/api/server/postgres/seenState.ts";
import { CHAIN_ID, MAIN } from "../query/rows.ts";
import { setProgress, useTables } from "../query/tables.ts";
import { openPool } from "../support/database.ts";
import schema from "../support/ponderSchema.ts";
import { latestBlock, setFinalBlock } from "../support/ponderState.ts";

const tables = useTables({ onQuery: (text) => void seen.push(text) });
/** Another process, like the indexer: its queries do not belong to the operation. */
let indexer: pg.Pool;
let readConsistently: ConsistentRead;
let seen: string[] = [];

beforeAll(async () => {
  indexer = openPool({ connectionString: tables.databaseUrl, max: 1 });
  readConsistently = createConsistentRead(tables.db);
  await index(1);
});
afterEach(() => {
  seen = [];
});
afterAll(() => indexer.end());

/** Indexes a block as the indexer does: progress and journal in one statement or transaction. */
async function index(block: number): Promise<void> {
  const client = await indexer.connect();
  await client.query("begin");
  await setProgress(
    { pool: client as unknown as pg.Pool },
    { chainId: CHAIN_ID, block, time: 1_700_000_000 },
  );
  await client.query("insert into blocks values ($1, $2, $3, $4, 1700000000) on conflict do nothing", [
    CHAIN_ID,
    block,
    hashOf(block),
    hashOf(block - 1),
  ]);
  await client.query("commit");
  client.release();
}

const hashOf = (block: number): string => `0x${String(block).padStart(64, "0")}`;

const readBlock = async (db: Db): Promise<number> => {
  const { rows } = await db.execute<{ block: string }>(sql.raw(latestBlock));
  return Number(rows[0]?.block);
};

/** Answers with what it read. `between` runs after each read. */
function answering(reads: number, between: () => Promise<void> = async () => {}) {
  return () =>
    readConsistently(async (db) => {
      const blocks: number[] = [];
      for (let i = 0; i < reads; i++) {
        blocks.push(await readBlock(db));
        await between();
      }
      return blocks;
    });
}

const versionsRead = () => seen.filter((text) => text.includes("pg_trigger")).length;

test("an answer that straddles a block is read again", async () => {
  let block = 100;
  const ask = answering(2, async () => {
    if (block < 102) await index(++block);
  });
  expect((await ask()).result).toEqual([102, 102]);
});

test("if a block arrives at every attempt, a snapshot answers", async () => {
  let block = 200;
  const ask = answering(2, () => index(++block));
  const { result, position } = await ask();
  expect(result[0]).toBe(result[1]);
  expect(position).toEqual([expect.objectContaining({ number: result[0] })]);
  expect(block).toBe(206);
});

test("a snapshot answers even if the names are not counted yet", async () => {
  let block = 250;
  const { result } = await readConsistently(async (db) => {
    const [row] = await listRecordRows(db, { chains: MAIN, nodes: [zeroHash] });
    const counted = await childCounts.read(db, { chains: MAIN, nodes: [zeroHash] });
    await index(++block);
    return [row, counted.get(zeroHash) ?? 0, await readBlock(db)];
  });
  expect(result.slice(0, 2)).toEqual([undefined, 0]);
  expect(block).toBeGreaterThan(252);
});

test("the position is that of the state read, even for an answer of one query", async () => {
  let block = 300;
  const ask = answering(1, async () => {
    if (block < 301) await index(++block);
  });
  for (const asked of [await ask(), await ask()]) {
    expect(asked.result).toEqual([301]);
    const at = { chainId: CHAIN_ID, number: 301, hash: hashOf(301), timestamp: 1_700_000_000 };
    expect(asked.position).toEqual([{ ...at, isFinal: false }]);
  }
  await setFinalBlock(indexer, 301);
  expect((await ask()).position).toEqual([expect.objectContaining({ number: 301, isFinal: true })]);
});

test("answers at the same moment are checked by one query", async () => {
  const ready = () => readConsistently(async () => "ready");
  await ready();
  seen = [];
  await Promise.all([ready(), ready(), ready()]);
  expect(versionsRead()).toBe(1);
});

test("requests that arrive while a state is being read share the next read", async () => {
  const versions = createStateReader(() => readTablesState(tables.db));
  const first = versions.read();
  await vi.waitUntil(() => versionsRead() === 1);
  const [old, ...later] = await Promise.all([first, versions.read(), versions.read(), versions.read()]);
  expect(versionsRead()).toBe(2);
  expect(new Set([old, ...later].map((state) => state?.version)).size).toBe(1);
  await index(500);
  expect((await versions.read()).version).not.toBe(old?.version);
});

test("an answer whose statements return their state needs no extra query and has that state", async () => {
  const states = createStateReader(() => readTablesState(tables.db));
  const read = createConsistentRead(tables.db, states);
  const readNoted = async (db: Db) => {
    const { rows } = await db.execute<{ block: string; version: string }>(
      sql`select (${sql.raw(latestBlock)}) as block, ${versionColumn} as version`,
    );
    noteVersion(rows[0]?.version ?? "");
    return Number(rows[0]?.block);
  };
  prepareIndexPool(tables.pool as never);
  await index(600);
  await states.read();
  seen = [];
  expect(await read(readNoted)).toMatchObject({ result: 600, position: [{ number: 600 }] });
  expect(seen).toHaveLength(1);

  // A block that the state reader does not know yet.
  await index(601);
  expect(await read(readNoted)).toMatchObject({ result: 601, position: [{ number: 601 }] });

  // Two statements on different blocks: one returns its state, the other does not.
  let block = 601;
  const both = await read(async (db) => {
    const first = await readNoted(db);
    if (block < 602) await index(++block);
    return [first, await readBlock(db)];
  });
  expect(both).toMatchObject({ result: [602, 602], position: [{ number: 602 }] });
});

test("a failed read fails for its waiters, but not for the next caller", async () => {
  const read = vi
    .fn()
    .mockRejectedValueOnce(new Error("gone"))
    .mockResolvedValue({ version: "7", position: [] });
  const versions = createStateReader(read);
  await expect(Promise.all([versions.read(), versions.read()])).rejects.toThrow("gone");
  expect(await versions.read()).toEqual({ version: "7", position: [] });
});

/** The database as Ponder gives it to the API, with its lock timeout. */
async function openPonderDb(): Promise<{ db: Db; close: () => Promise<void> }> {
  const pool = openPool({ connectionString: tables.databaseUrl, options: "-c lock_timeout=500ms" });
  const { createQB } = await ponderModule("database/queryBuilder.js");
  const common = { shutdown: { isKilled: false }, logger: quietLogger };
  const { raw } = createQB(drizzle(pool, { schema, casing: "snake_case" }), { common, isAdmin: false });
  return { db: raw, close: () => pool.end() };
}

test("an operation's error in a snapshot is returned at once, although Ponder would retry for a minute", async () => {
  const { db, close } = await openPonderDb();
  let block = 600;
  let reads = 0;
  const asked = createConsistentRead(db)(async () => {
    reads++;
    if (reads === 3) throw new ApiError("NOT_FOUND", "It is not there.");
    await index(++block);
  });
  await expect(asked).rejects.toThrow("It is not there.");
  expect(reads).toBe(3);
  await close();
});

test.each<[string, (db: Db) => Promise<number>]>([
  ["in a snapshot too", readBlock],
  ["where an operation goes on after a query that failed", (db) => readBlock(db).catch(() => readBlock(db))],
])("tables that stay locked are refused after two seconds, %s", async (_, operation) => {
  const { db, close } = await openPonderDb();
  const read = createConsistentRead(db);
  const client = await indexer.connect();
  await client.query("begin");
  await client.query("lock table blocks in access exclusive mode");
  const start = performance.now();
  const refused = await read(operation).catch((thrown) => thrown);
  const ms = performance.now() - start;
  await client.query("rollback");
  client.release();
  await close();
  expect(refused).toMatchObject({ code: "INDEX_NOT_READY" });
  expect(ms).toBeGreaterThan(2_000);
  expect(ms).toBeLessThan(10_000);
});
