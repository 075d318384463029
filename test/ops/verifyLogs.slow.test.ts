import { expect, test } from "vitest";
import { startRpcProxy } from "../live/rpcProxy.ts";
import { prepareDemo, runVerify } from "./runVerify.ts";

/** Nothing of a developer's chain (31337) is cached. */
const CHAIN_ID = 4_242;

const demo = prepareDemo({
  chain: { chainId: CHAIN_ID },
  env: () => ({ ENS_NETWORK: "custom", ARCHIVE_READS: "on" }),
});

type LogsReport = {
  complete: boolean;
  failure: string | null;
  ranges: number;
  logs: number;
  differences: ({ from: number; to: number } & Record<
    "missing" | "unknown" | "changed",
    { block_number: number; log_index: number }[]
  >)[];
};

async function compareLogs(...args: string[]): Promise<LogsReport & { code: number | null }> {
  const { out, err, code } = await runVerify(demo.verified, ["--logs", "--seed", "1", "--json", ...args]);
  if (out === "") throw new Error(err);
  return { ...(JSON.parse(out) as LogsReport), code };
}

test("cache and node have the same logs", async () => {
  const report = await compareLogs();
  expect(report).toMatchObject({ code: 0, complete: true, failure: null, differences: [] });
  expect(report.ranges).toBeGreaterThan(10);
  expect(report.logs).toBeGreaterThan(500);
});

test("a node that returns the logs of few blocks at a time is asked for fewer", async () => {
  let asked = 0;
  demo.proxy.fault = ({ method }) =>
    method === "eth_getLogs" && ++asked % 3 === 0
      ? { error: { code: -32_005, message: "query returned more than 10000 results" } }
      : undefined;
  expect(await compareLogs("--samples", "10")).toMatchObject({ code: 0, complete: true, differences: [] });
});

test("logs only in the cache are found: another node omitted them", async () => {
  const other = await startRpcProxy(demo.local.anvil.url);
  other.fault = ({ method }) => (method === "eth_getLogs" ? { result: [] } : undefined);
  const report = await compareLogs("--samples", "10", "--url", other.url);
  await other.kill();
  expect(report.code).toBe(1);
  expect(report.differences[0]?.unknown.length).toBeGreaterThan(0);
  expect(demo.proxy.recorded).toEqual([]);
});

test("a failing node and a chain that is not indexed are reported in a sentence", async () => {
  demo.proxy.fault = ({ method }) => (method === "eth_getLogs" ? { status: 503 } : undefined);
  expect(await compareLogs()).toMatchObject({
    code: 2,
    complete: false,
    failure: expect.stringMatching(/status 503/),
  });
  const { code, err } = await runVerify(demo.verified, ["--logs", "--chain", "10"]);
  expect(err).toMatch(/^--chain is 10: expected an indexed chain: 4242 \(devnet\)\.\n$/);
  expect(code).toBe(2);
});

test.each([
  [["--refetch", "9-5"], /--refetch is "9-5": expected the first and last block/],
  [["--refetch", "x"], /--refetch is "x": expected a whole number/],
  [["--chain", "1"], /--chain is 1: expected an indexed chain/],
  [["--logs", "--at", "5"], /--name and --at do not apply to --logs/],
])("%j is refused", async (args, message) => {
  const { code, err } = await runVerify(demo.verified, args);
  expect(err).toMatch(message);
  expect(code).toBe(2);
});

test("while an indexer runs, nothing is removed from the cache", async () => {
  const { code, err } = await runVerify(demo.verified, ["--refetch", "50-60"]);
  expect(err).toMatch(/^Nothing was removed: the indexer of "namedex_index" is running\. Stop it first/);
  expect(code).toBe(2);
});

const cachedLogs = () => demo.stack.sql("select * from namedex_cache.logs order by block_number, log_index");
const intervals = () => demo.stack.sql("select * from namedex_cache.intervals order by fragment_id");

test("lost or changed logs in the cache are found, and one command refetches them", async () => {
  const [logs, ranges] = [await cachedLogs(), await intervals()];
  await demo.stack.stop();
  const places = logs.filter((_, index) => [40, 41, 90, 200].includes(index));
  const [lost, alsoLost, changed, moved] = places.map((log) => ({
    block_number: Number(log.block_number),
    log_index: Number(log.log_index),
  }));
  const where = (place: typeof lost) =>
    `block_number = ${place?.block_number} and log_index = ${place?.log_index}`;
  await demo.stack.sql(`delete from namedex_cache.logs where ${where(lost)} or ${where(alsoLost)}`);
  await demo.stack.sql(`update namedex_cache.logs set data = data || '00' where ${where(changed)}`);
  await demo.stack.sql(`update namedex_cache.logs set log_index = 5000 where ${where(moved)}`);

  const report = await compareLogs();
  expect(report.code).toBe(1);
  const found = (sort: "missing" | "unknown" | "changed") => report.differences.flatMap((one) => one[sort]);
  expect(found("missing")).toEqual(
    expect.arrayContaining([lost, alsoLost, moved].map((place) => expect.objectContaining(place))),
  );
  expect(found("changed")).toContainEqual(expect.objectContaining(changed));
  expect(found("unknown")).toContainEqual(expect.objectContaining({ ...moved, log_index: 5_000 }));

  const { out } = await runVerify(demo.verified, ["--logs", "--seed", "1"]);
  const command = /npm run verify -- --refetch (\d+-\d+) --chain 4242\n/.exec(out);
  expect(out).toMatch(
    /only the node has: \d+\n {4}log \d+ of block \d+, by 0x[0-9a-f]{40} in 0x[0-9a-f]{64}\n/,
  );
  expect(command).not.toBeNull();

  const first = Math.min(...report.differences.map(({ from }) => from));
  const last = Math.max(...report.differences.map(({ to }) => to));
  const removed = await runVerify(demo.verified, [
    "--refetch",
    `${first + 3}-${last - 2}`,
    "--chain",
    "4242",
  ]);
  expect(removed).toMatchObject({ code: 0, err: "" });
  expect(removed.out).toMatch(/^Removed \d+ logs of blocks \d+ to \d+ of chain 4242 from the cache\./);
  expect(await compareLogs()).toMatchObject({ code: 0, differences: [] });
  const again = await runVerify(demo.verified, ["--refetch", `${first + 3}-${last - 2}`]);
  expect(again.out).toMatch(/^Nothing was removed: the cache has no blocks/);

  await demo.stack.sql("drop schema namedex_index cascade");
  demo.stack.restart();
  await demo.stack.ready();
  expect(await cachedLogs()).toEqual(logs);
  expect(await intervals()).toEqual(ranges);
  expect(await compareLogs()).toMatchObject({ code: 0, differences: [] });
});
