import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { memoryFor, memoryForHeap } from "../../engine/memory.ts";

const GIB = 2 ** 30;
const largeHeapFlags = ["--external-memory-accounted-in-global-limit", "--max-semi-space-size=128"];

test("Node knows the flags", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [...largeHeapFlags, "--print", "'known'"]);
  expect(stdout).toBe("known\n");
});

/**
 * Makes rows and drops them, as a backfill does. Prints the megabytes of the process before and after, and those of used heap.
 * Longer-lived objects lie between the rows: each quarter of a megabyte contains some.
 */
const backfillOf = (count: number) => `
  const { endBackfillMemory } = await import(${JSON.stringify(new URL("../../engine/backfillMemory.ts", import.meta.url).href)});
  const megabytes = () => process.memoryUsage().rss / 1e6;
  const used = () => process.memoryUsage().heapUsed / 1e6;
  const remembered = [];
  let rows = Array.from({ length: ${count} }, (_, i) => {
    if (i % 100 === 0) remembered.push({ hash: "hash of " + i });
    return { name: "name " + i, owner: "owner " + i, node: [i, i + 1, i + 2] };
  });
  const before = [megabytes(), used()];
  rows = null;
  await endBackfillMemory();
  console.log(JSON.stringify([before, [megabytes(), used()], remembered.length]));
`;

async function runBackfill(count: number): Promise<[before: [number, number], after: [number, number]]> {
  const args = [...largeHeapFlags, "--input-type=module", "--eval", backfillOf(count)];
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
}

test("memory left over from a backfill is released at its end", async () => {
  const [[before], [after]] = await runBackfill(2e6);
  expect(before).toBeGreaterThan(300);
  expect(after).toBeLessThan(before / 2);
});

test("a small process does not wait for a collection", async () => {
  const [[, before], [, after]] = await runBackfill(2e5);
  expect(after).toBeGreaterThan(before * 0.9);
});

test("three quarters of the memory are the indexer's, and all of it except a working space holds rows", () => {
  expect(memoryFor(16 * GIB, {})).toEqual({
    flags: ["--max-old-space-size=12288", ...largeHeapFlags],
    env: { PONDER_CACHE_BYTES: String(10.5 * GIB) },
  });
});

test("on a small machine Ponder's own share of the heap stays", () => {
  expect(memoryFor(2 * GIB, {})).toEqual({ flags: ["--max-old-space-size=1536"], env: {} });
});

test("the operator's own settings are kept", () => {
  const flagsWith = (NODE_OPTIONS: string) => memoryFor(16 * GIB, { NODE_OPTIONS }).flags;
  expect(flagsWith("--no-warnings --max-old-space-size=8000")).toEqual(largeHeapFlags);
  expect(flagsWith("--max-old-space-size=2000")).toEqual([]);
  expect(memoryFor(16 * GIB, { NODE_OPTIONS: "--max-old-space-size-percentage=50" })).toEqual({
    flags: [],
    env: {},
  });
  const [external = ""] = largeHeapFlags;
  expect(flagsWith("--max_old_space_size=8000 --max_semi_space_size=32")).toEqual([external]);
  expect(flagsWith("--max-semi-space-size=32")).toEqual(["--max-old-space-size=12288", external]);
  expect(memoryFor(16 * GIB, { PONDER_CACHE_BYTES: "1000" }).env).toEqual({});
});

test("the rows also have their share of a heap set by the operator", () => {
  const ofHeap = memoryFor(16 * GIB, { NODE_OPTIONS: "--max-old-space-size=8192" });
  expect(ofHeap.env).toEqual({ PONDER_CACHE_BYTES: String(6.5 * GIB) });
});

test("a heap of a given size is divided like a machine's", () => {
  expect(memoryForHeap(12 * GIB)).toEqual(memoryFor(16 * GIB, {}));
});
