import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { noEnsv2 } from "../../src/api/names/query/scope.ts";
import { cachedFor } from "../../src/api/names/statistics/cachedFor.ts";
import type { Ctx } from "../../src/api/server/http/context.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { contracts, MAIN } from "../query/rows.ts";

const START = 1_800_000_000;
const indexOf = () => ({}) as Db;
const at = (db: Db, now: number) => ({ db, now, contracts }) as Ctx;

/** Figures that tell when and how often they were taken; `fail` makes taking them fail. */
function counter() {
  const state = { taken: 0, fail: false, release: undefined as (() => void) | undefined };
  const take = async ({ now }: Ctx) => {
    state.taken++;
    const mine = state.taken;
    if (state.fail) throw new Error("the database is gone");
    if (state.release !== undefined) await new Promise<void>((resolve) => (state.release = resolve));
    return { mine, now };
  };
  return { state, kept: cachedFor(300, take) };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

test("statistics are taken once, however many ask at the same time", async () => {
  const { state, kept } = counter();
  const db = indexOf();
  const answers = await Promise.all(Array.from({ length: 50 }, () => kept(at(db, START))));
  expect(state.taken).toBe(1);
  expect(new Set(answers.map(({ statistics }) => statistics.mine))).toEqual(new Set([1]));
});

test("statistics stay until they are as old as they may be, and say when they were taken", async () => {
  const { state, kept } = counter();
  const db = indexOf();
  await kept(at(db, START));
  expect(await kept(at(db, START + 300))).toEqual({ statistics: { mine: 1, now: START }, takenAt: START });
  expect(state.taken).toBe(1);
});

test("older ones are answered at once while new ones are taken", async () => {
  const { state, kept } = counter();
  const db = indexOf();
  await kept(at(db, START));
  state.release = () => {};
  expect((await kept(at(db, START + 301))).takenAt).toBe(START);
  expect((await kept(at(db, START + 302))).takenAt).toBe(START);
  expect(state.taken).toBe(2);
  state.release();
  await settle();
  expect(await kept(at(db, START + 303))).toMatchObject({ statistics: { mine: 2 }, takenAt: START + 301 });
});

test("statistics twice as old as they may be are never shown", async () => {
  const { kept } = counter();
  const db = indexOf();
  await kept(at(db, START));
  expect((await kept(at(db, START + 601))).takenAt).toBe(START + 601);
});

test("if computing fails, old statistics stay and the log has the error; too old ones are an error", async () => {
  const { state, kept } = counter();
  const db = indexOf();
  await kept(at(db, START));
  state.fail = true;
  expect((await kept(at(db, START + 400))).takenAt).toBe(START);
  await settle();
  expect(console.error).toHaveBeenCalledOnce();
  expect((await kept(at(db, START + 600))).takenAt).toBe(START);
  await settle();
  await expect(kept(at(db, START + 601))).rejects.toThrow("the database is gone");
  state.fail = false;
  expect((await kept(at(db, START + 602))).takenAt).toBe(START + 602);
});

test("where the first taking fails, the next one tries again", async () => {
  const { state, kept } = counter();
  const db = indexOf();
  state.fail = true;
  await expect(kept(at(db, START))).rejects.toThrow("the database is gone");
  state.fail = false;
  expect((await kept(at(db, START))).statistics.mine).toBe(2);
});

test("each index has statistics of its own", async () => {
  const { kept } = counter();
  const [one, other] = [indexOf(), indexOf()];
  expect((await kept(at(one, START))).statistics.mine).toBe(1);
  expect((await kept(at(other, START))).statistics.mine).toBe(2);
  expect((await kept(at(one, START))).statistics.mine).toBe(1);
});

test("each set of chains has statistics of its own, and the main chain is the one that is not named", async () => {
  const { kept } = counter();
  const db = indexOf();
  const several = { ids: [1, 8_453], reach: "several" as const, ensv2: noEnsv2 };
  expect((await kept(at(db, START))).statistics.mine).toBe(1);
  expect((await kept(at(db, START), several)).statistics.mine).toBe(2);
  expect((await kept(at(db, START), MAIN)).statistics.mine).toBe(1);
  expect((await kept(at(db, START), several)).statistics.mine).toBe(2);
});
