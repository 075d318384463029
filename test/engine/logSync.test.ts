import { expect, test } from "vitest";
import { plainEnv } from "./ponders.ts";
import type { Plan, Provider } from "./providerNode.ts";
import { runTrial } from "./runTrial.ts";

type Block = { number: string };
type Log = { block_number: string };
type Cache = Record<"intervals" | "found" | "transactions", object[]> & { logs: Log[]; blocks: Block[] };
type Outcome = { cache: Cache; first: Record<string, number>; seen: Provider["seen"] };

/** Fetches the logs of a provider into a cache: by our engine, or by Ponder as published. */
const fill = (plan: Partial<Plan>, env: Record<string, string> = {}) =>
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

/** The rows of Ponder's cache after logs, blocks and transactions of all shapes were written. */
const writeAll = (env: Record<string, string>) =>
  runTrial<{ isPatched: boolean; stored: object[][] }>("cacheTrial.ts", { env });

test("rows of all shapes are stored as by Ponder's own statements", async () => {
  const [its, ours] = await Promise.all([writeAll(plainEnv), writeAll({})]);
  expect([its.isPatched, ours.isPatched]).toEqual([false, true]);
  expect(ours.stored).toEqual(its.stored);
  expect(ours.stored.map((rows) => rows.length)).toEqual([15, 60, 90]);
});
