import { expect, test } from "vitest";
import { memoryFor, memoryForHeap } from "../../engine/nodeFlags.ts";

const GIB = 2 ** 30;

test("three quarters of the memory are the indexer's, and all but a working space of it holds rows", () => {
  expect(memoryFor(16 * GIB, {})).toEqual({
    flags: ["--max-old-space-size=12288"],
    env: { PONDER_CACHE_BYTES: String(10.5 * GIB) },
  });
});

test("on a small machine Ponder's own share of the heap stays", () => {
  expect(memoryFor(2 * GIB, {})).toEqual({ flags: ["--max-old-space-size=1536"], env: {} });
});

test("what the operator says stays as it is", () => {
  expect(memoryFor(16 * GIB, { NODE_OPTIONS: "--no-warnings --max-old-space-size=8000" })).toEqual({
    flags: [],
    env: {},
  });
  expect(memoryFor(16 * GIB, { PONDER_CACHE_BYTES: "1000" }).env).toEqual({});
});

test("a heap of a given size is shared as that of a machine is", () => {
  expect(memoryForHeap(12 * GIB)).toEqual(memoryFor(16 * GIB, {}));
});
