import { expect, test } from "vitest";
import { limiter } from "../../src/api/server/scheduling/bounded.ts";

/** A place that nobody gives back is waited for without end. */
const timeout = 10_000;

const { signal } = new AbortController();
const fail = async () => {
  throw new Error("failed");
};

test("tasks that fail give their places back", { timeout }, async () => {
  const inTurn = limiter(2);
  const failed = await Promise.allSettled(Array.from({ length: 5 }, () => inTurn(signal, fail)));
  expect(failed.map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
  expect(await inTurn(signal, async () => "ran")).toBe("ran");
});

test("a task that is aborted while it waits is not started, and lets the next one run", {
  timeout,
}, async () => {
  const inTurn = limiter(1);
  const { promise, resolve: finish } = Promise.withResolvers<string>();
  const first = inTurn(signal, () => promise);
  const aborter = new AbortController();
  let started = false;
  const aborted = inTurn(aborter.signal, async () => {
    started = true;
  });
  const last = inTurn(signal, async () => "ran");
  aborter.abort(new Error("gone"));
  finish("done");
  await expect(aborted).rejects.toThrow("gone");
  expect([await first, await last, started]).toEqual(["done", "ran", false]);
});
