import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createTurns, turnsOf } from "../../ops/export/turns.ts";

/** A machine with two processors, partly used by others. Time passes with waiting and working. */
function machineOf(othersAt: (ms: number) => number) {
  const seen = { ms: 0, others: 0, worked: 0 };
  const pass = (ms: number) => {
    for (let i = 0; i < ms; i++) seen.others += 2 * othersAt(seen.ms++);
  };
  const turn = createTurns({
    times: () => ({ others: seen.others, all: 2 * seen.ms }),
    now: () => seen.ms,
    wait: async (ms) => pass(ms),
  });
  const workFor = async (ms: number) => {
    const until = seen.ms + ms;
    seen.worked = 0;
    for (; seen.ms < until; seen.worked += 5) {
      pass(5);
      await turn();
    }
    return seen.worked / ms;
  };
  return { workFor };
}

test("rows are read nearly all the time while the machine is otherwise idle", async () => {
  expect(await machineOf(() => 0.1).workFor(60_000)).toBeGreaterThan(0.9);
});

test("beside other work, rows are read for a tenth of the time", async () => {
  const share = await machineOf(() => 0.9).workFor(60_000);
  expect(share).toBeGreaterThan(0.08);
  expect(share).toBeLessThan(0.12);
});

test("other work that begins or ends is noticed within seconds", async () => {
  const machine = machineOf((ms) => (ms > 30_000 && ms < 60_000 ? 0.8 : 0));
  expect(await machine.workFor(30_000)).toBeGreaterThan(0.9);
  await machine.workFor(3_000);
  expect(await machine.workFor(20_000)).toBeLessThan(0.12);
  await machine.workFor(10_000);
  expect(await machine.workFor(20_000)).toBeGreaterThan(0.85);
});

test.each([
  ["low", "later"],
  ["normal", "at once"],
] as const)("at %s priority the next rows are read %s", async (priority, expected) => {
  const turn = turnsOf(priority);
  await sleep(150); // Longer than rows are read without checking the machine.
  const next = turn().then(() => "at once");
  expect(await Promise.race([next, setImmediate("later")])).toBe(expected);
  await next;
});
