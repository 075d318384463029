import { expect, test, vi } from "vitest";
import { lastKnown } from "../../src/api/server/scheduling/lastKnown.ts";

const later = <Value>() => {
  const settle: { give: (value: Value) => void; fail: () => void } = { give: () => {}, fail: () => {} };
  const promise = new Promise<Value>((resolve, reject) => {
    Object.assign(settle, { give: resolve, fail: () => reject(new Error("away")) });
  });
  return { promise, ...settle };
};

test("what is read is given, and what was read last where a read fails", async () => {
  const answers = [async () => 1, () => Promise.reject(new Error("away")), async () => 2];
  const read = lastKnown(() => (answers.shift() ?? (async () => 3))(), { withinMs: 1_000, first: 0 });
  expect([await read(null), await read(null), await read(null), await read(null)]).toEqual([1, 1, 2, 3]);
});

test("a read that takes too long is waited for once, and counts when it comes", async () => {
  const slow = later<number>();
  let reads = 0;
  const read = lastKnown(
    () => {
      reads++;
      return slow.promise;
    },
    { withinMs: 20, first: 0 },
  );
  expect(await read(null)).toBe(0);
  const start = performance.now();
  for (let i = 0; i < 100; i++) expect(await read(null)).toBe(0);
  expect(performance.now() - start).toBeLessThan(1_000); // Each alone would wait for 20 ms.
  expect(reads).toBe(1);
  slow.give(7);
  await vi.waitFor(async () => expect(await read(null)).toBe(7));
  expect(reads).toBeGreaterThan(1);
});

test("a value that is kept serves later calls without a read", async () => {
  let reads = 0;
  const read = lastKnown(async () => ++reads, { withinMs: 1_000, first: 0, keptMs: 100 });
  expect([await read(null), await read(null), await read(null)]).toEqual([1, 1, 1]);
  await vi.waitFor(async () => expect(await read(null)).toBe(2));
});
