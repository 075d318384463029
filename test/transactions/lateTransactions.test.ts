import { setTimeout as sleep } from "node:timers/promises";
import { missingTransaction } from "ponder:schema";
import type { Hex } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { writeLogs } from "../../engine/backfill/cacheRows.ts";
import { noteFalseSource } from "../../engine/sources/falseSources.ts";
import { noteSourceBlocks } from "../../engine/sources/sourceBlocks.ts";
import { holdLateTransactions } from "../../src/api/names/transactions/lateTransactions.ts";
import {
  inTransaction,
  queriesInOrder,
  queriesOf,
  withClient,
} from "../../src/api/server/postgres/client.ts";
import { onOwnConnection } from "../../src/api/server/postgres/lockedWork.ts";
import { openPonderCache } from "../engine/ponderCache.ts";
import { ponderModule } from "../engine/ponders.ts";
import { hashOf, type Plan, type Provider, startProvider } from "../engine/providerNode.ts";
import { createTables, type Tables } from "../query/tables.ts";
import { ask } from "../support/database.ts";

/*
 * The component that fetches past transactions behind a ready index, alone: with a database and a node, and the test in place of
 * the handlers.
 */

const CHAIN = 1;
const ROWS = 60;
const PATIENCE = { timeout: 30_000, interval: 5 };
const APPLICATION = "late_transactions_alone";
const numbers = Array.from({ length: ROWS }, (_, number) => number);
/** Each row waits for the transaction of its own block. */
const blockOf = (number: number): number => 100 + number;
const hashAt = (number: number): Hex => hashOf(2, blockOf(number) * 1_000);

let tables: Tables;
let provider: Provider;
const address = `0x${"07".repeat(20)}` as const;
const plan: Plan = {
  head: 1_000,
  logs: numbers.map((number) => ({ block: blockOf(number), address, topics: [hashOf(3, 1)] })),
};

beforeAll(async () => {
  tables = await createTables();
  provider = await startProvider(plan);
  const rows = numbers.map((number) => ({
    chainId: CHAIN,
    number,
    kind: "text" as const,
    node: hashOf(4, number),
    blockNumber: blockOf(number),
    blockTimestamp: 1,
    transactionIndex: 0,
    transactionHash: hashAt(number),
    logIndex: 0,
  }));
  await tables.writer.insert(missingTransaction).values(rows);
});
afterAll(async () => {
  provider?.stop();
  await tables?.drop();
});

const read = <Row extends object>(sql: string) => ask<Row & Record<string, unknown>>(tables.databaseUrl, sql);
const cached = async () => (await read("select 1 from namedex_cache.transactions")).length;

/** The cache has the blocks, but none of the transactions. */
beforeEach(async () => {
  for (const name of ["before", "lacks", "perSecond"] as const) delete plan[name];
  const { store, close } = await openPonderCache(tables.databaseUrl);
  await read("truncate namedex_cache.blocks, namedex_cache.transactions");
  const fetched = numbers.map((number) => ({
    block: provider.blockJson(blockOf(number), false),
    transactions: [],
    logs: [],
  }));
  const encoders = await ponderModule("sync-store/encode.js");
  await writeLogs(store, { ponder: encoders, chainId: CHAIN, fetched });
  await close();
});

type Late = ReturnType<typeof holdLateTransactions>;
const running: Late[] = [];
afterEach(async () => {
  for (const late of running.splice(0)) await late.stop();
});

function start({ perSecond = 1_000, urls = [provider.url], mayWork = (): boolean => true } = {}) {
  const warnings: string[] = [];
  const late = holdLateTransactions({
    schema: "public",
    nodesOf: () => urls,
    perSecond,
    mayWork: async () => mayWork(),
    connected: (stopped, work) =>
      onOwnConnection(
        { databaseUrl: tables.databaseUrl, applicationName: APPLICATION, stopped },
        (client, ended) => work(queriesInOrder(client), ended),
      ),
    warn: (line) => warnings.push(line),
    times: { turn: 5, longest: 20 },
  });
  running.push(late);
  const has = (number: number) => late.find(CHAIN, hashAt(number)) !== null;
  const all = () => vi.waitUntil(() => late.follow(CHAIN, 0) && numbers.every(has), PATIENCE);
  return { late, warnings, has, all };
}

const countRequests = () => {
  const before = provider.seen.requests.eth_getTransactionByBlockNumberAndIndex ?? 0;
  return () => (provider.seen.requests.eth_getTransactionByBlockNumberAndIndex ?? 0) - before;
};

test("nothing is requested before the handlers ask, nor before the index is ready", async () => {
  const requests = countRequests();
  let isReady = false;
  const { late, all } = start({ mayWork: () => isReady });
  await sleep(100);
  expect(late.follow(CHAIN, 0)).toBe(false);
  await sleep(100);
  expect(requests()).toBe(0);
  isReady = true;
  await all();
  expect(requests()).toBe(ROWS);
  expect(late.find(CHAIN, hashAt(7))).toEqual(
    expect.objectContaining({ hash: hashAt(7), from: `0x${"0".repeat(38)}${blockOf(7).toString(16)}` }),
  );
  expect(await cached()).toBe(ROWS);
});

test("all arrive, at the plan's rate with a burst of one second", async () => {
  const at: number[] = [];
  plan.before = () => void at.push(performance.now());
  const perSecond = 20;
  await start({ perSecond }).all();
  expect(at).toHaveLength(ROWS);
  const [first = 0] = at;
  // The limiter's clock began before the first request arrived.
  const early = at.filter((time, i) => i + 1 > perSecond * (1.2 + (time - first) / 1_000) + 1);
  expect(early).toEqual([]);
});

test("transactions that a node lacks are requested again, and delay none of the others", async () => {
  plan.lacks = new Set([blockOf(0)]);
  const { late, warnings, has, all } = start();
  late.follow(CHAIN, 0);
  await vi.waitUntil(() => numbers.slice(1).every(has) && warnings.length > 1, PATIENCE);
  expect(late.follow(CHAIN, 0)).toBe(false);
  expect(warnings[0]).toBe(
    `Past transactions cannot be fetched: The node does not have transaction ${hashAt(0)}, number 0 of block ${blockOf(0)}`,
  );
  delete plan.lacks;
  await all();
});

test("a node that refuses, or another that is down, only delays them", async () => {
  plan.perSecond = 12;
  const away = "http://127.0.0.1:9/secret-key";
  const { warnings, all } = start({ urls: [away, provider.url] });
  await all();
  expect(provider.seen.limited).toBeGreaterThan(0);
  expect(warnings.length).toBeGreaterThan(0);
  expect(warnings.join()).not.toContain("secret-key");
});

test("another transaction than the log's is rejected", async () => {
  await read(`update namedex_cache.blocks set hash = '${hashOf(9, 1)}' where number = ${blockOf(3)}`);
  const { late, warnings, has } = start();
  late.follow(CHAIN, 0);
  await vi.waitUntil(() => warnings.length > 1, PATIENCE);
  expect(warnings[0]).toContain(`A log names transaction ${hashAt(3)}`);
  expect(has(3)).toBe(false);
  expect(await read(`select from namedex_cache.transactions where block_number = ${blockOf(3)}`)).toEqual([]);
});

test("what arrived before a stop is read from the cache, and only the rest is requested", async () => {
  const first = start({ perSecond: 10 });
  first.late.follow(CHAIN, 0);
  await vi.waitUntil(async () => (await cached()) >= 3, PATIENCE);
  await first.late.stop();
  const before = await cached();
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(ROWS);
  const again = countRequests();
  await start().all();
  expect(again()).toBe(ROWS - before);
  expect(await cached()).toBe(ROWS);
});

test("a stop does not wait for a node that does not answer, and leaves no connection", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked = 0;
  plan.before = async () => {
    asked++;
    await held;
  };
  const { late } = start();
  late.follow(CHAIN, 0);
  await vi.waitUntil(() => asked > 0, PATIENCE);
  const began = performance.now();
  await late.stop();
  expect(performance.now() - began).toBeLessThan(5_000);
  // Requests sent before may still arrive.
  await sleep(200);
  const asks = asked;
  await sleep(200);
  expect(asked).toBe(asks);
  release();
  const left = `select from pg_stat_activity where application_name = '${APPLICATION}'`;
  await vi.waitUntil(async () => (await read(left)).length === 0, PATIENCE);
  expect(await cached()).toBe(0);
});

test("no transaction is cached from blocks removed with a false source while the node answers", async () => {
  const found = { location: "source", chainId: CHAIN, block: 100, what: "wrong", schema: "public" };
  await withClient({ connectionString: tables.databaseUrl }, async (client) => {
    const { query } = queriesOf(client);
    const remove = () =>
      inTransaction(client, async () => {
        await noteSourceBlocks(query, { ...found, from: 1, to: blockOf(ROWS / 2) });
        await noteFalseSource(query, found);
      });
    let removal: Promise<void> | undefined;
    plan.before = () => {
      removal ??= remove();
      return removal;
    };
    await start().all();
  });
  // The handlers have them all, and the index is false; another one reads the cache.
  const [left] = await read<{ least: number; count: number }>(
    "select min(block_number)::int as least, count(*)::int as count from namedex_cache.transactions",
  );
  expect(left).toEqual({ least: blockOf(ROWS / 2) + 1, count: ROWS / 2 - 1 });
});
