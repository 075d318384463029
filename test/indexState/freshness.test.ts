import { EventEmitter, once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Head } from "../../src/api/server/indexState/chainHead.ts";
import { failingBlockOf } from "../../src/api/server/indexState/failingBlock.ts";
import { createFreshness, type FreshnessPlan } from "../../src/api/server/indexState/freshness.ts";
import { listProgress } from "../../src/api/server/indexState/progress.ts";
import { createProgressRate } from "../../src/api/server/indexState/progressRate.ts";
import { completedIndexesIn } from "../../src/api/server/serviceDb/completedIndexes.ts";
import { failingBlocksIn } from "../../src/api/server/serviceDb/failingBlocks.ts";
import {
  listSourceComparisons,
  noteSourceComparison,
  noteSourceDifference,
} from "../../src/api/server/serviceDb/sourceComparisons.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { openApi } from "../query/api.ts";
import { CHAIN_ID } from "../query/rows.ts";
import { createTables, emptied, setProgress, type Tables } from "../query/tables.ts";
import { recreateState, setReady as setReadyIn, setSafeBlock } from "../support/ponderState.ts";

const NOW = 1_800_000_000;

let tables: Tables;
let store: Store;

/** Each test has its own schema for what the service stores. */
let schemas = 0;

beforeAll(async () => {
  tables = await createTables();
});
beforeEach(async () => {
  tables = await emptied(tables);
  store = openStore({ databaseUrl: tables.databaseUrl, schema: `own_${++schemas}` });
});

afterEach(() => store.close());
afterAll(() => tables?.drop());

/** A process that has just started. */
const freshness = (plan: Partial<FreshnessPlan> = {}, head: Head | null = null) =>
  createFreshness({
    db: tables.db,
    heads: async () => head,
    completed: completedIndexesIn(store),
    chainId: CHAIN_ID,
    startBlocks: { [CHAIN_ID]: 100 },
    maxLagSeconds: 120,
    clock: () => NOW,
    schema: "index_a",
    isActive: async () => false,
    standby: async () => null,
    lastVerification: async () => null,
    sourceComparisons: (schema) => listSourceComparisons(store, schema),
    failingBlock: failingBlockOf(failingBlocksIn(store)),
    ...plan,
  });

const setReady = (ready: 0 | 1) => setReadyIn(tables.pool, ready);

const at = (block: number, time: number) => setProgress(tables, { chainId: CHAIN_ID, block, time });

/** The block to which a restarting indexer reverts its tables. */
const setSafe = (block: number, time: number) => setSafeBlock(tables.pool, { block, time });

describe("while the database does not answer", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const head = { number: 510, timestamp: NOW };

  test("the report says so, with the last known values and the current newest block", async () => {
    await at(500, NOW - 120);
    let isAway = false;
    const db = new Proxy(tables.db, {
      get: (target, name) => {
        if (isAway && name === "execute")
          return () => Promise.reject(new Error("query failed", { cause: refused }));
        return Reflect.get(target, name);
      },
    });
    const judged = freshness({ db }, head);
    const known = await judged.report();
    expect(known).toMatchObject({ unfit: null, isDatabaseAway: false });
    isAway = true;
    const report = await judged.report();
    expect(report).toMatchObject({ unfit: "no_database", isDatabaseAway: true });
    expect(report.indexer).toEqual({ ...known.indexer, isRunning: false });
    expect(report.chains[0]).toMatchObject({ head, indexed: known.chains[0]?.indexed, lagBlocks: 10 });
  });

  test("a process that never reached it reports what its settings say", async () => {
    const db = { execute: () => Promise.reject(refused) } as never;
    const judged = freshness({ db }, head);
    expect(await judged.report()).toMatchObject({
      unfit: "no_database",
      isDatabaseAway: true,
      chains: [],
      maxLagSeconds: 120,
      indexer: { schema: "index_a", isReady: false, isRunning: false },
    });
  });

  test("a fault of another kind is rethrown", async () => {
    const db = { execute: () => Promise.reject(new Error("syntax error")) } as never;
    await expect(freshness({ db }).report()).rejects.toThrow("syntax error");
  });
});

test("an index whose log source was wrong no longer answers, at any block", async () => {
  await at(500, NOW);
  const progress = { chainId: CHAIN_ID, blocks: 400, compared: 100 };
  await noteSourceComparison(store, "public", progress);
  expect(await freshness().report()).toMatchObject({
    unfit: null,
    chains: [{ comparison: { ...progress, differingBlock: null } }],
  });
  await noteSourceDifference(store, "public", { chainId: CHAIN_ID, block: 321 });
  // Later notes by other processes do not revert this.
  await noteSourceComparison(store, "public", progress);
  await expect(freshness().require()).rejects.toMatchObject({
    code: "INDEX_NOT_READY",
    message: expect.stringContaining("built from false logs and has to be built again"),
  });
  expect(await freshness().report()).toMatchObject({
    unfit: "false_source",
    chains: [{ comparison: { ...progress, differingBlock: 321 } }],
  });
});

describe("on a public chain", () => {
  test("the index answers up to the allowed lag, and no further", async () => {
    await at(500, NOW - 120);
    await expect(freshness().require()).resolves.toBeUndefined();
    await at(500, NOW - 121);
    await expect(freshness().require()).rejects.toMatchObject({
      code: "INDEX_NOT_READY",
      headers: { "Retry-After": "5" },
      message: expect.stringMatching(/121 seconds behind the chain.*stale answers are not returned/),
    });
  });

  test("a head reported by a node makes no index fresh: the clock decides", async () => {
    await at(500, NOW - 1_000);
    const report = await freshness({}, { number: 500, timestamp: NOW - 1_000 }).report();
    expect(report).toMatchObject({ unfit: "late", chains: [{ lagBlocks: 0, lagSeconds: 1_000 }] });
  });
});

describe("while past events are missing", () => {
  test("nothing is answered, however near the head seems", async () => {
    await at(500, NOW);
    await setReady(0);
    await expect(freshness().require()).rejects.toMatchObject({ headers: { "Retry-After": "30" } });
  });

  test("the report gives the progress from the first block that has something to index", async () => {
    await at(475, NOW - 9_999);
    await setReady(0);
    const report = await freshness({}, { number: 1_100, timestamp: NOW }).report();
    expect(report).toMatchObject({ unfit: "building", chains: [{ lagBlocks: 625, lagSeconds: 9_999 }] });
    expect(report.chains[0]?.backfill).toEqual({ percentage: 37.5, secondsLeft: null });
  });
});

describe("after a restart of the indexer", () => {
  test("another process knows that the index was complete, and the lag decides", async () => {
    await at(500, NOW - 60);
    await freshness().require();
    await setReady(0);
    await expect(freshness().require()).resolves.toBeUndefined();
    await setSafe(430, NOW - 600);
    expect((await freshness().report()).unfit).toBe("catching_up");
  });

  test("recreated tables are another index", async () => {
    await at(500, NOW);
    await freshness().require();
    await setReady(0);
    await recreateState(tables.pool);
    expect((await freshness().report()).unfit).toBe("building");
  });

  test("the tables count as being at the safe checkpoint until they have moved past it", async () => {
    await at(500, NOW);
    await setSafe(425, NOW - 900);
    const indexedBlock = async () => (await listProgress(tables.db))[0]?.blockNumber;
    expect(await indexedBlock()).toBe(500);
    await setReady(0);
    expect(await indexedBlock()).toBe(425);
    await tables.pool.query("drop index domains_node; create index domains_node on domains (node)");
    await setReady(1);
    expect(await indexedBlock()).toBe(425);
    expect((await freshness().report()).unfit).toBe("late");
    await at(426, NOW - 888);
    expect(await indexedBlock()).toBe(426);
    // Database indexes that Namedex builds itself, at any time, say nothing about rows.
    await tables.pool.query("create index a_late_one on domains (node); reindex index events_node");
    expect(await indexedBlock()).toBe(426);
  });
});

describe("while a block cannot be indexed", () => {
  const block = { chainId: CHAIN_ID, blockNumber: 501, attempts: 3, since: NOW - 9, why: "Error: no room" };
  const noted = () => failingBlocksIn(store);

  test("a process that does not index learns it from the indexer, until the indexer no longer reports it", async () => {
    await at(500, NOW);
    await noted().note("public", block);
    expect(await freshness().report()).toMatchObject({ unfit: "failing", failing: block });
    await expect(freshness().require()).rejects.toMatchObject({ code: "INDEX_NOT_READY" });
    await store.query("UPDATE failing_blocks SET noted_at = now() - interval '31 seconds'");
    expect(await freshness().report()).toMatchObject({ unfit: null, failing: null });
    await noted().note("public", { ...block, blockNumber: null });
    expect((await freshness().report()).unfit).toBe("failing");
    await noted().clear("public");
    expect((await freshness().report()).unfit).toBe(null);
  });

  test("a report about another index, or an unreachable database, gives no reason to refuse", async () => {
    await at(500, NOW);
    await noted().note("another", block);
    expect((await freshness().report()).unfit).toBe(null);
    const away = failingBlockOf({ read: () => Promise.reject(new Error("away")) });
    expect((await freshness({ failingBlock: away }).report()).unfit).toBe(null);
  });
});

describe("on a chain whose time may stand still", () => {
  const still = { maxLagSeconds: null, clock: null };

  test("the index answers once it has reached the head, and keeps answering while the head advances", async () => {
    await at(500, 7);
    let head = 501;
    const heads = async () => ({ number: head, timestamp: 19 });
    const watched = freshness({ ...still, heads });
    await expect(watched.require()).rejects.toMatchObject({ code: "INDEX_NOT_READY" });
    await at(501, 19);
    await watched.require();
    head = 900;
    expect((await watched.report()).unfit).toBe(null);
  });

  test("tables reverted by a new start have to reach the head again", async () => {
    await at(500, 7);
    const watched = freshness(still, { number: 500, timestamp: 7 });
    expect((await watched.report()).unfit).toBe(null);
    await tables.pool.query("drop index domains_node; create index domains_node on domains (node)");
    await at(470, 1);
    expect((await watched.report()).unfit).toBe("catching_up");
  });

  test("blocks reverted by a reorganisation are no reason to refuse", async () => {
    await at(500, 7);
    const watched = freshness(still, { number: 500, timestamp: 7 });
    expect((await watched.report()).unfit).toBe(null);
    await at(497, 4);
    await expect(watched.require()).resolves.toBeUndefined();
  });

  test("a check that began before a block and ends after it is no reason to refuse", async () => {
    await at(500, 7);
    const gate = new EventEmitter();
    // The first check ends late, all others at once.
    let looks = 0;
    const failingBlock = async () => {
      looks++;
      if (looks === 1) await once(gate, "open");
      return null;
    };
    let head = 501;
    const heads = async () => ({ number: head, timestamp: 19 });
    const watched = freshness({ ...still, failingBlock, heads });
    const older = watched.require();
    await vi.waitUntil(() => looks === 1);
    await at(501, 19);
    expect((await watched.report()).unfit).toBe(null);
    head = 520;
    gate.emit("open");
    await expect(older).resolves.toBeUndefined();
    expect((await watched.report()).unfit).toBe(null);
  });

  test("a node that does not answer is no reason to refuse", async () => {
    await at(500, 7);
    await expect(freshness(still).require()).resolves.toBeUndefined();
  });
});

test("GET /indexing-status", async () => {
  await at(4_242, NOW - 30);
  const { status, body } = await openApi(tables, NOW, { chainHead: 4_250 }).get("/indexing-status");
  expect(status).toBe(200);
  expect(body).toEqual({
    ready: true,
    reason: null,
    running: true,
    phase: "realtime",
    network: "devnet",
    schema: "public",
    active: false,
    build: "",
    max_lag_seconds: null,
    failing: null,
    verification: null,
    database: "reachable",
    standby: null,
    chains: [
      {
        chain: "devnet",
        chain_id: CHAIN_ID,
        phase: "realtime",
        head_block_number: 4_250,
        indexed_block_number: 4_242,
        finalized_block_number: 4_242,
        indexed_block_timestamp: NOW - 30,
        lag_blocks: 8,
        lag_seconds: 30,
        progress_percentage: null,
        missing_transactions: 0,
        source_comparison: null,
        estimated_seconds_left: null,
      },
    ],
  });
});

test("concurrent requests share one report, which begins after each of them", async () => {
  await at(500, NOW);
  let reports = 0;
  const standby = async () => {
    reports++;
    return null;
  };
  const watched = freshness({ standby });
  const first = watched.report();
  await vi.waitUntil(() => reports === 1, { interval: 0 });
  await at(501, NOW);
  const all = await Promise.all(Array.from({ length: 50 }, () => watched.report()));
  expect(all.map(({ chains }) => chains[0]?.indexed.blockNumber)).toEqual(all.map(() => 501));
  await first;
  expect(reports).toBe(2);
});

test("the estimate uses the speed of the last minutes", () => {
  let time = 0;
  const pace = createProgressRate(() => time);
  pace.note(0);
  expect(pace.secondsUntil(1_000)).toBe(null);
  for (let minute = 1; minute <= 30; minute++) {
    time = minute * 60_000;
    pace.note(minute <= 15 ? 0 : (minute - 15) * 60);
  }
  expect(pace.secondsUntil(1_000)).toBe(100);
  pace.note(10);
  expect(pace.secondsUntil(1_000)).toBe(null);
});
