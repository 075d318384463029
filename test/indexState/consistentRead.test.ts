import type pg from "pg";
import { sql } from "ponder";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import {
  type ConsistentRead,
  createConsistentRead,
  createVersionReader,
} from "../../src/api/indexState/consistentRead.ts";
import { prepareIndexPool } from "../../src/api/indexState/indexPool.ts";
import { readTablesVersion } from "../../src/api/indexState/progress.ts";
import type { Db } from "../../src/api/postgres/db.ts";
import { CHAIN_ID } from "../query/rows.ts";
import { createTables, setProgress, type Tables } from "../query/tables.ts";
import { openPool } from "../support/database.ts";
import { latestBlock } from "../support/ponderState.ts";

let tables: Tables;
/** Another process, as the indexer is: its queries are not the operation's. */
let indexer: pg.Pool;
let readConsistently: ConsistentRead;
let seen: string[] = [];

beforeAll(async () => {
  tables = await createTables({ onQuery: (text) => seen.push(text) });
  prepareIndexPool(tables.pool);
  indexer = openPool({ connectionString: tables.databaseUrl, max: 1 });
  readConsistently = createConsistentRead(tables.db);
  await index(1);
});
afterEach(() => {
  seen = [];
});
afterAll(async () => {
  await indexer.end();
  await tables.drop();
});

/** Indexes a block, as Ponder does with each. */
const index = (block: number) =>
  setProgress({ pool: indexer }, { chainId: CHAIN_ID, block, time: 1_700_000_000 });

const readBlock = async (db: Db): Promise<number> => {
  const { rows } = await db.execute<{ block: string }>(sql.raw(latestBlock));
  return Number(rows[0]?.block);
};

/** Answers with what it read; `between` runs after each read. */
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
  expect(await ask()).toEqual([102, 102]);
});

test("where a block comes at every turn, a snapshot answers", async () => {
  let block = 200;
  const ask = answering(2, () => index(++block));
  const [first, second] = await ask();
  expect(first).toBe(second);
  expect(block).toBe(206);
});

test("an answer of one query is of one state of the tables by itself, and not checked", async () => {
  let block = 300;
  const ask = answering(1, () => index(++block));
  await ask();
  expect(block).toBe(301);
  seen = [];
  expect(await ask()).toEqual([301]);
  expect(versionsRead()).toBe(0);
});

test("an answer of two queries is checked, whichever came before it", async () => {
  const one = answering(1);
  const two = answering(2);
  await two();
  seen = [];
  await Promise.all([one(), two(), one()]);
  expect(versionsRead()).toBe(1);
});

test("what comes while a state is read shares the next reading", async () => {
  const versions = createVersionReader(() => readTablesVersion(tables.db));
  const first = versions.read();
  await vi.waitUntil(() => versionsRead() === 1);
  const [old, ...later] = await Promise.all([first, versions.read(), versions.read(), versions.read()]);
  expect(versionsRead()).toBe(2);
  expect(new Set([old, ...later]).size).toBe(1);
  await index(500);
  expect(await versions.read()).not.toBe(old);
});

test("a reading that fails fails for those who wait for it, and not for the next", async () => {
  const read = vi.fn().mockRejectedValueOnce(new Error("gone")).mockResolvedValue("7");
  const versions = createVersionReader(read);
  await expect(Promise.all([versions.read(), versions.read()])).rejects.toThrow("gone");
  expect(await versions.read()).toBe("7");
});
