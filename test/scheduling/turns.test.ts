import { expect, test } from "vitest";
import { mapYielding, turnFor } from "../../src/api/server/scheduling/turns.ts";

/** Keeps the process busy, as hashing does. */
function work(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

test("results keep the order of the items", async () => {
  expect(await mapYielding([3, 1, 2], (item) => item * 2)).toEqual([6, 2, 4]);
  expect(await mapYielding([], () => 1)).toEqual([]);
});

test("others have their turn while many items are mapped", async () => {
  let turns = 0;
  let isDone = false;
  const other = () => {
    turns++;
    if (!isDone) setImmediate(other);
  };
  setImmediate(other);
  await mapYielding(Array(40).fill(4), work);
  isDone = true;
  expect(turns).toBeGreaterThan(8);
});

test("what one item throws is thrown", async () => {
  const map = () => {
    throw new Error("no name");
  };
  await expect(mapYielding([1], map)).rejects.toThrow("no name");
});

test("of many long texts at once each has a turn of its own, and short ones wait for none", async () => {
  let turns = 0;
  let isDone = false;
  const other = () => {
    turns++;
    if (!isDone) setImmediate(other);
  };
  setImmediate(other);
  const turnsAt = await Promise.all(Array.from({ length: 20 }, () => turnFor(250_000).then(() => turns)));
  isDone = true;
  expect(new Set(turnsAt).size).toBe(20);
  const before = turns;
  await turnFor(10);
  expect(turns).toBe(before);
});
