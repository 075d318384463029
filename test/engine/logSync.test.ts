import { numberToHex } from "viem";
import { expect, test } from "vitest";
import { plainEnv } from "./ponders.ts";
import { hashOf, type Plan, type Provider, type ProviderLog } from "./providerNode.ts";
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

/** Requests for blocks besides those by which a start finds its range: the first, the last and the cached one. */
const blocksAskedOf = ({ seen }: Outcome) => (seen.requests.eth_getBlockByNumber ?? 0) - 3;

test.each<[string, Partial<Plan>]>([
  ["takes any range, and tells times in some logs", { times: "mixed" }],
  ["takes 2,000 blocks and says so", { maxRange: 2_000, refusal: "says the limit" }],
  ["takes 500 blocks and suggests a range", { maxRange: 500, refusal: "suggests" }],
  ["gives 20 logs at most", { maxResults: 20 }],
])("the cache is what Ponder writes, where the provider %s", async (_, plan) => {
  expectSameCache(await fill(plan), await plain);
});

test("where the provider takes 10,000 blocks it is the same for less than a quarter of the requests for logs", async () => {
  const [ours, theirs] = await Promise.all([fill({ maxRange: 10_000 }), plain]);
  expectSameCache(ours, theirs);
  const logsOf = ({ seen }: Outcome) => seen.requests.eth_getLogs ?? 0;
  expect(logsOf(ours)).toBeLessThan(logsOf(theirs) / 4);
});

test("a plan of 50 requests a second that answers others with 429 is only waited for", async () => {
  const [theirs, ours] = await Promise.all([plain, fill({ maxRange: 10_000, perSecond: 50 })]);
  expect(ours.seen.limited).toBeGreaterThan(0);
  expect(ours.cache.logs).toEqual(theirs.cache.logs);
});

test.each<[string, Plan["times"], (logs: readonly Log[]) => number]>([
  ["is asked for no block where its logs tell the time", "seconds", () => 0],
  ["is asked for no block where they tell it in milliseconds", "milliseconds", () => 0],
  ["is asked for each block where logs do not tell it", "none", (logs) => blocksOf(logs).size],
  ["is asked for each block where logs say zero", "zero", (logs) => blocksOf(logs).size],
  ["is asked for those blocks of which no log tells it", "mixed", blocksWithoutTime],
])("a provider %s", async (_, times, expected) => {
  const [ours, theirs] = await Promise.all([fill({ times, maxRange: 10_000, needs: true }), plain]);
  expect(ours.cache.logs).toEqual(theirs.cache.logs);
  expect(ours.cache.blocks).toEqual(blocksWithLogs(theirs.cache));
  expect(blocksAskedOf(ours)).toBe(expected(ours.cache.logs));
});

const blocksOf = (logs: readonly Log[]) => new Set(logs.map(({ block_number }) => block_number));

/** How many blocks have only logs that do not tell a time, by the double's turns. */
function blocksWithoutTime(logs: readonly Log[]): number {
  const told = logs.filter(({ block_number, log_index }) => {
    const turn = (Number(block_number) + log_index) % 4;
    return turn === 0 || turn === 3;
  });
  return blocksOf(logs).size - blocksOf(told).size;
}

test("events have their transaction's hash, and of the transactions only those are fetched that a handler needs", async () => {
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
    // The double has each log in a transaction of its own.
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

/** Logs of a contract that the trial follows, two in each block. */
const logsAt = (...blocks: number[]): ProviderLog[] =>
  blocks.flatMap((block) =>
    Array.from({ length: 2 }, () => ({
      block,
      address: numberToHex(0xa000_0001, { size: 20 }),
      topics: [hashOf(3, 1)],
    })),
  );

test.each<[string, NonNullable<Plan["lies"]>[number], RegExp]>([
  ["the hash of a block", "hash", /log\.blockHash/],
  ["two times of a block", "two times", /The logs of block 200 tell two times of it: \d+ and \d+\./],
  [
    "an earlier time of a later block",
    "time falls",
    /Block 200 has the time \d+, but block 100 before it \d+\./,
  ],
  [
    "another transaction than the log names",
    "transaction",
    /A log names transaction 0x\w+ at index 0 of block/,
  ],
  ["no transaction", "no transaction", /does not have transaction 0x\w+, number 0 of block 200\./],
])("logs with %s end the backfill, with what differs", async (_, lie, message) => {
  const plan: Partial<Plan> = { logs: logsAt(100, 200), times: "seconds", lies: { 200: lie } };
  await expect(fill(plan)).rejects.toThrow(message);
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
