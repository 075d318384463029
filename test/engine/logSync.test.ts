// Also runs as: long
import { type Hex, numberToHex } from "viem";
import { expect, test } from "vitest";
import type { NodeLog, Transaction } from "../../engine/backfill/cacheRows.ts";
import { quietLogger } from "../../engine/ponderModule.ts";
import { partsOf } from "../support/size.ts";
import { plainEnv, ponderModule } from "./ponders.ts";
import { hashOf, type Plan, type Provider } from "./providerNode.ts";
import { runTrial } from "./runTrial.ts";

type Block = { number: string };
type Log = { block_number: string; log_index: number; t: string };
type Event = { place: [number, number]; hash?: string; time: number; transaction?: string };
type Cache = Record<"intervals" | "found" | "transactions", object[]> & { logs: Log[]; blocks: Block[] };
type Outcome = { cache: Cache; events: Event[]; seen: Provider["seen"] };

/** Fetches the logs of a provider into a cache: by our engine, or by Ponder as published. */
const fill = (plan: Partial<Plan> & { needs?: boolean }, env: Record<string, string> = {}) =>
  runTrial<Outcome>("logSyncTrial.ts", { args: [JSON.stringify(plan)], env });

const plain = fill({ maxRange: 10_000 }, plainEnv);

/** Ponder as published also keeps blocks of logs that it then drops. */
const blocksWithLogs = ({ blocks, logs }: Cache): Block[] => {
  const numbers = new Set(logs.map(({ block_number }) => block_number));
  return blocks.filter(({ number }) => numbers.has(number));
};

function expectSameCache({ cache: ours }: Outcome, { cache: theirs }: Outcome): void {
  expect(theirs.logs.length).toBeGreaterThan(300);
  for (const table of ["logs", "intervals", "found", "transactions"] as const) {
    expect(ours[table], table).toEqual(theirs[table]);
  }
  expect(ours.blocks).toEqual(blocksWithLogs(theirs));
}

test.each(
  partsOf<[string, Partial<Plan>]>({
    first: [["takes 2,000 blocks and says so", { maxRange: 2_000, refusal: "says the limit" }]],
    rest: [
      ["takes any range, and tells times in some logs", { times: "mixed" }],
      ["takes 500 blocks and suggests a range", { maxRange: 500, refusal: "suggests" }],
      ["gives 20 logs at most", { maxResults: 20 }],
    ],
  }),
)("the cache is what Ponder writes, if the provider %s", async (_, plan) => {
  expectSameCache(await fill(plan), await plain);
});

test("if the provider accepts 10,000 blocks, the result is the same for less than a quarter of the log requests", async () => {
  const [ours, theirs] = await Promise.all([fill({ maxRange: 10_000 }), plain]);
  expectSameCache(ours, theirs);
  const logsOf = ({ seen }: Outcome) => seen.requests.eth_getLogs ?? 0;
  expect(logsOf(ours)).toBeLessThan(logsOf(theirs) / 4);
});

test("a plan of 50 requests a second that answers others with 429 only causes waiting", async () => {
  const [theirs, ours] = await Promise.all([plain, fill({ maxRange: 10_000, perSecond: 50 })]);
  expect(ours.seen.limited).toBeGreaterThan(0);
  expect(ours.cache.logs).toEqual(theirs.cache.logs);
});

/** Blocks by which a start determines its range. */
const OF_STARTS = [0, 1];

test.each(
  partsOf<[string, NonNullable<Plan["times"]>, (log: Log) => boolean]>({
    first: [["is asked for those blocks whose logs have no time", "mixed", isTimedInTurn]],
    rest: [
      ["is asked for no block if its logs have times", "seconds", () => true],
      ["is asked for no block if their times are in milliseconds", "milliseconds", () => true],
      ["is asked for each block if its logs have no time", "none", () => false],
      ["is asked for each block if logs say zero", "zero", () => false],
    ],
  }),
)("a provider %s", async (_, times, tellsTime) => {
  const [ours, theirs] = await Promise.all([fill({ times, maxRange: 10_000, needs: true }), plain]);
  const { logs, blocks } = ours.cache;
  expect(logs).toEqual(theirs.cache.logs);
  expect(blocks).toEqual(blocksWithLogs(theirs.cache));
  const told = new Set(logs.filter(tellsTime).map(({ block_number }) => block_number));
  const untold = blocks.map(({ number }) => number).filter((number) => !told.has(number));
  const asked = new Set(ours.seen.blocks.filter((number) => !OF_STARTS.includes(number)));
  expect([...asked].sort((a, b) => a - b)).toEqual(untold.map(Number));
});

/** Whether the double's turn puts a time into the log. */
function isTimedInTurn({ block_number, log_index }: Log): boolean {
  const turn = (Number(block_number) + log_index) % 4;
  return turn === 0 || turn === 3;
}

test("events have their transaction's hash, and only transactions needed by a handler are fetched", async () => {
  const [all, ours, theirs] = await Promise.all([
    fill({ times: "seconds" }),
    fill({ times: "seconds", needs: true }),
    plain,
  ]);
  const placesOf = ({ events }: Outcome) => events.map(({ place, time }) => [...place, time]);
  expect(theirs.events.length).toBeGreaterThan(300);
  for (const outcome of [all, ours]) expect(placesOf(outcome)).toEqual(placesOf(theirs));
  expect(theirs.events.some(({ hash }) => hash !== undefined)).toBe(false);
  for (const outcome of [all, ours]) {
    // The double puts each log in its own transaction.
    expect(outcome.events.map(({ hash }) => hash)).toEqual(
      theirs.events.map(({ transaction }) => transaction),
    );
  }
  expect(all.events.map(({ transaction }) => transaction)).toEqual(all.events.map(({ hash }) => hash));
  const needed = ours.events.filter(({ transaction }) => transaction !== undefined);
  expect(needed.every(({ hash, transaction }) => hash === transaction)).toBe(true);
  const { transactions } = ours.cache;
  expect(transactions.length).toBeGreaterThan(5);
  expect(transactions.length).toBeLessThan(theirs.cache.transactions.length / 3);
  expect(new Set(needed.map(({ transaction }) => transaction)).size).toBe(transactions.length);
  expect(theirs.cache.transactions).toEqual(expect.arrayContaining(transactions));
  expect(ours.seen.requests.eth_getTransactionByBlockNumberAndIndex).toBe(transactions.length);
});

/** Ponder's backfill of past logs, with a node that answers requests for headers. */
async function openSync(asked: Hex[] = []) {
  const { createHistoricalSync } = await ponderModule("sync-historical/index.js");
  return createHistoricalSync({
    common: { logger: quietLogger, options: {} },
    chain: { id: 1, name: "mainnet" },
    childAddresses: new Map(),
    eventCallbacks: [],
    syncProgress: { start: { number: "0x0" }, finalized: { number: "0x3e8" } },
    rpc: {
      request: async ({ params: [number] }: { params: [Hex] }) => {
        asked.push(number);
        return {
          number,
          hash: hashOf(1, Number(number)),
          parentHash: "0x",
          timestamp: "0x64",
          logsBloom: "0x",
        };
      },
    },
  });
}

/** What the backfill stores of logs, in order. */
async function store(...batches: NodeLog[][]) {
  const asked: Hex[] = [];
  const stored: { number: string; timestamp: string }[] = [];
  const sync = await openSync(asked);
  const syncStore = {
    insertRows: async (table: string, rows: string) => {
      if (table === "blocks") stored.push(...JSON.parse(rows));
    },
  };
  for (const logs of batches) await sync.syncBlockData({ interval: [0, 1_000], logs, syncStore });
  return {
    asked: asked.map(Number),
    stored: stored.map(({ number, timestamp }) => [number, timestamp].map(Number)),
  };
}

const logAt = (block: number, index: number, fields: Partial<NodeLog> = {}): NodeLog => ({
  blockNumber: numberToHex(block),
  blockHash: hashOf(1, block),
  logIndex: numberToHex(index),
  transactionIndex: numberToHex(index),
  transactionHash: hashOf(2, index),
  address: numberToHex(1, { size: 20 }),
  topics: [],
  data: "0x",
  ...fields,
});
const at = (seconds: number) => ({ blockTimestamp: numberToHex(seconds) });

test("one log with a timestamp is enough for its block, in seconds or milliseconds", async () => {
  const time = 1_600_000_000;
  const logs = [
    logAt(100, 0),
    logAt(100, 1, at(time)),
    logAt(101, 0, at(time * 1_000)),
    logAt(101, 1, at(time)),
    logAt(102, 0, at(time + 1)),
  ];
  expect(await store(logs)).toEqual({
    asked: [],
    stored: [
      [100, time],
      [101, time],
      [102, time + 1],
    ],
  });
});

test("a header is requested if no log has a timestamp, or it is zero", async () => {
  const logs = [logAt(7, 0), logAt(8, 0, at(0)), logAt(8, 1, { blockTimestamp: "0x" as Hex })];
  expect(await store(logs)).toEqual({
    asked: [7, 8],
    stored: [
      [7, 100],
      [8, 100],
    ],
  });
});

const transactionOf = ({
  transactionHash: hash,
  blockHash,
  blockNumber,
  transactionIndex,
}: NodeLog): Transaction => ({
  hash,
  blockHash,
  blockNumber,
  transactionIndex,
});

test.each<[string, NodeLog[], RegExp]>([
  [
    "two hashes of a block",
    [logAt(9, 0, at(5)), logAt(9, 1, { ...at(5), blockHash: hashOf(1, 8) })],
    /log\.blockHash/,
  ],
  ["another hash than its header", [logAt(9, 0, { blockHash: hashOf(1, 8) })], /log\.blockHash/],
  [
    "two times of a block",
    [logAt(9, 0, at(5)), logAt(9, 1, at(6))],
    /The logs of block 9 tell two times of it: 5 and 6\./,
  ],
  [
    "two transactions at one place",
    [logAt(9, 0, at(5)), logAt(9, 1, { ...at(5), transactionIndex: "0x0" })],
    /transactionHash/,
  ],
  [
    "an earlier time of a later block",
    [logAt(9, 0, at(5)), logAt(12, 0, at(4))],
    /Block 12 has the time 4, but block 9 before it 5\./,
  ],
  [
    "a transaction that came with it and is another",
    [logAt(9, 0, { ...at(5), transaction: transactionOf(logAt(9, 1)) })],
    /A log names transaction 0x\w+ at index 0 of block 0x\w+, but the answer is 0x\w+ at index 1/,
  ],
])("a log with %s is a fault", async (_, logs, message) => {
  await expect(store(logs)).rejects.toThrow(message);
});

test("a batch that Ponder repeats after a database fault is not a fault of the log", async () => {
  const [first, second] = [logAt(9, 0, at(5)), logAt(12, 0, at(6))];
  const { stored } = await store([first, second], [first, second]);
  expect(stored).toHaveLength(4);
  await expect(store([first], [logAt(12, 0, at(4))])).rejects.toThrow("but block 9 before it 5");
});

test("a transaction that came with its logs is stored once", async () => {
  const log = logAt(9, 0, at(5));
  const transaction = {
    ...transactionOf(log),
    from: "0x01",
    value: "0x0",
    nonce: "0x0",
    gas: "0x0",
  } as Transaction;
  const rows = new Map<string, object[]>();
  const syncStore = {
    insertRows: async (table: string, text: string) => void rows.set(table, JSON.parse(text)),
  };
  const both = [
    log,
    logAt(9, 1, { ...at(5), transactionIndex: "0x0", transactionHash: log.transactionHash }),
  ];
  await (await openSync()).syncBlockData({
    interval: [0, 20],
    logs: both.map((one) => ({ ...one, transaction })),
    syncStore,
  });
  expect(rows.get("transactions")).toMatchObject([{ hash: transaction.hash, transaction_index: 0 }]);
});

/** The rows of Ponder's cache after logs, blocks and transactions of all shapes were written. */
const writeAll = (env: Record<string, string>) =>
  runTrial<{ isPatched: boolean; stored: object[][] }>("cacheTrial.ts", { env });

test("rows of all shapes are stored as by Ponder's own statements", async () => {
  const [its, ours] = await Promise.all([writeAll(plainEnv), writeAll({})]);
  expect([its.isPatched, ours.isPatched]).toEqual([false, true]);
  expect(ours.stored).toEqual(its.stored);
  expect(ours.stored.map((rows) => rows.length)).toEqual([15, 60, 90]);
});
