import { domain } from "ponder:schema";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { pending } from "../../src/api/names/counts/searchTotals.ts";
import { totals } from "../../src/api/names/counts/totals.ts";
import type { Scope } from "../../src/api/names/query/scope.ts";
import { doRound } from "../../src/api/upkeep/upkeep.ts";
import { MAIN as OTHER } from "../query/ensv2.ts";
import { account, MAIN, registeredRow } from "../query/rows.ts";
import { useTables } from "../query/tables.ts";

/* Two versions of the program with the owner's rights on one index: their counting rules have different numbers. */

const NOW = 1_800_000_000;

const tables = useTables();
let counted: string[] = [];

beforeAll(async () => {
  await tables.writer
    .insert(domain)
    .values(["a", "bb", "ccc"].map((label) => registeredRow(`${label}.eth`, account(1), 2_000_000_000n)));
});
beforeEach(async () => {
  counted = [];
  await tables.pool.query("drop table if exists figures_state, figures_days, figures_days_state");
});

type Version = { name: string; chains: Scope; startedAt: number };

/** What each process does every 30 seconds; true if nothing is left to wait for. */
const round = ({ name, chains, startedAt }: Version): Promise<boolean> =>
  doRound(
    {
      databaseUrl: tables.databaseUrl,
      schema: "public",
      chains: [chains],
      chores: async () => {},
      isReady: async () => true,
      now: async () => NOW,
      finalTime: async () => NOW,
      log: (line) => void (line.startsWith("Counted") && counted.push(name)),
    },
    startedAt,
  );

const old: Version = { name: "old", chains: MAIN, startedAt: 1_000 };
const recent: Version = { name: "recent", chains: OTHER, startedAt: 2_000 };

/** Whether the counters answer a version; both sources, and so both versions, give the same. */
async function hasCounters({ chains }: Version): Promise<boolean> {
  const at = { chains, now: NOW };
  expect(await totals.read(tables.db, at)).toEqual(await totals.fromRows(tables.db, at));
  expect((await totals.read(tables.db, at)).total).toBe(3);
  expect(await pending.read(tables.db, chains)).toBe(0);
  return (await totals.fromCounters(tables.db, at)) !== null;
}

const daysOf = async () =>
  (await tables.pool.query<{ rules: number }>("select rules from figures_days_state")).rows;

test("the version that started last keeps the counters, and neither takes them back and forth", async () => {
  await round(old);
  expect(await hasCounters(old)).toBe(true);
  const days = await daysOf();
  for (let i = 0; i < 4; i++) {
    await round(recent);
    await round(old);
    expect(await hasCounters(recent)).toBe(true);
    expect(await hasCounters(old)).toBe(false);
  }
  expect(counted).toEqual(["old", "recent"]);
  expect(await daysOf()).not.toEqual(days);
});

test("the version without counters takes no lock on the names", async () => {
  await round(recent);
  const client = await tables.pool.connect();
  try {
    await client.query("begin; lock table domains in row exclusive mode");
    expect(await round(old)).toBe(true);
  } finally {
    await client.query("rollback");
    client.release();
  }
  expect(counted).toEqual(["recent"]);
});

test("a version that starts again takes the counters once", async () => {
  await round(recent);
  const again = { ...old, startedAt: 3_000 };
  for (let i = 0; i < 3; i++) {
    await round(again);
    await round(recent);
  }
  expect(await hasCounters(again)).toBe(true);
  expect(await hasCounters(recent)).toBe(false);
  expect(counted).toEqual(["recent", "old"]);
});

test("counters left by their version are made again by the other, after ten minutes", async () => {
  await round(recent);
  await tables.pool.query("update figures_state set seen_at = now() - interval '9 minutes'");
  await round(old);
  expect(counted).toEqual(["recent"]);
  await tables.pool.query("update figures_state set seen_at = now() - interval '11 minutes'");
  await round(old);
  expect(counted).toEqual(["recent", "old"]);
  expect(await hasCounters(old)).toBe(true);
});

test("a version that looks after its counters keeps them", async () => {
  await round(recent);
  await tables.pool.query("update figures_state set seen_at = now() - interval '11 minutes'");
  await round(recent);
  await round(old);
  expect(counted).toEqual(["recent"]);
});

test("a reader of the counters delays their replacement, but is not delayed by it", async () => {
  await round(old);
  const client = await tables.pool.connect();
  try {
    await client.query("begin; select from figures_state");
    const started = performance.now();
    const waiting = round(recent);
    expect(await hasCounters(old)).toBe(true);
    expect(await waiting).toBe(false);
    expect(performance.now() - started).toBeLessThan(10_000);
  } finally {
    await client.query("rollback");
    client.release();
  }
  expect(counted).toEqual(["old"]);
  await round(recent);
  expect(await hasCounters(recent)).toBe(true);
});
