import { setTimeout as sleep } from "node:timers/promises";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { CANCELLED_MS, prepareIndexPool } from "../../src/api/server/indexState/indexPool.ts";
import { retryOnLock } from "../../src/api/server/indexState/retryOnLock.ts";
import { readStandby } from "../../src/api/server/indexState/standby.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { listen, STANDBY_LOOK_MS } from "../../src/api/server/postgres/listen.ts";
import { type BreakablePostgres, startBreakablePostgres } from "../faults/breakablePostgres.ts";
import { primarySettings, type StandbyPostgres, startStandby } from "../faults/standbyPostgres.ts";
import { ask, openPool } from "../support/database.ts";

/*
 * Effects of callers, and of a primary that writes without a pause, on a process that reads a standby. Its replay waits for no
 * query. The tests depend on their order: the last one promotes the standby.
 */

/** A query that is cancelled, the retries of a request, and a machine with other work. */
const BOUND_MS = 5 * CANCELLED_MS;
const CALLERS = 8;

let primary: BreakablePostgres;
let standby: StandbyPostgres;
let pool: pg.Pool;

beforeAll(async () => {
  primary = await startBreakablePostgres(primarySettings);
  await ask(primary.url, "create table names as select generate_series(1, 1000) as id");
  await ask(primary.url, "create table others as select generate_series(1, 1000) as id");
  standby = await startStandby(primary, ["-c", "max_standby_streaming_delay=0"]);
  pool = openPool({ connectionString: standby.url, max: 2 * CALLERS });
  prepareIndexPool(pool as never);
});

afterAll(async () => {
  await pool?.end();
  await standby?.destroy();
  await primary?.destroy();
});

/** Writes that conflict with each query on `names`, until stopped. */
function writeOn(): () => Promise<void> {
  const client = new pg.Client({ connectionString: primary.url });
  let isStopped = false;
  const writing = (async () => {
    await client.connect();
    while (!isStopped) {
      await client.query(
        "begin; lock table names in access exclusive mode; insert into names values (0); commit",
      );
      await sleep(20);
    }
    await client.end();
  })();
  return () => {
    isStopped = true;
    return writing;
  };
}

const slowly = (seconds: number) =>
  pool.query(`select count(*)::int as names, pg_sleep(${seconds})::text from names`);

test("callers whose queries are cancelled repeatedly are refused in time, and others are answered", async () => {
  const stop = writeOn();
  onTestFinished(stop);
  const begun = performance.now();
  const refused = Array.from({ length: CALLERS }, async () => {
    const error = await retryOnLock(() => slowly(1)).catch((thrown: unknown) => thrown);
    return [(error as { code?: string }).code, performance.now() - begun] as const;
  });
  let answers = 0;
  while (performance.now() - begun < CANCELLED_MS) {
    const { rows } = await pool.query("select count(*)::int as others from others");
    expect(rows).toEqual([{ others: 1_000 }]);
    answers++;
  }
  expect(answers).toBeGreaterThan(20);
  const all = await Promise.race([Promise.all(refused), sleep(2 * BOUND_MS)]);
  for (const [code, ms] of all ?? []) {
    expect(code).toBe("INDEX_NOT_READY");
    expect(ms).toBeLessThan(BOUND_MS);
  }
  expect(all).toHaveLength(CALLERS);
});

test("a reader that is far behind says so, and checks twice a second, however much is replayed", async () => {
  let news = 0;
  const line = listen({
    databaseUrl: standby.url,
    channel: "journal",
    applicationName: "far",
    onNews: () => news++,
  });
  onTestFinished(() => line.stop());
  await vi.waitFor(() => expect(news).toBeGreaterThan(0), { timeout: 20_000 });
  await ask(standby.url, "select pg_wal_replay_pause()");
  for (let i = 0; i < 5; i++) await ask(primary.url, "insert into others select generate_series(1, 100000)");
  const db = drizzle(pool) as unknown as Db;
  const written = async () =>
    (await ask<{ at: string }>(primary.url, "select pg_current_wal_lsn()::text as at"))[0]?.at ?? null;
  await vi.waitFor(async () => expect(await readStandby(db, written)).toMatchObject({ isPaused: true }), {
    timeout: 20_000,
  });
  expect((await readStandby(db, written))?.lagBytes).toBeGreaterThan(20_000_000);
  const { rows } = await pool.query("select count(*)::int as others from others");
  expect(rows).toEqual([{ others: 1_000 }]);

  news = 0;
  const begun = performance.now();
  await ask(standby.url, "select pg_wal_replay_resume()");
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  onTestFinished(() => client.end());
  for (let i = 0; i < 500 || performance.now() - begun < 2_000; i++)
    await client.query("insert into others values (0)");
  await vi.waitFor(async () => expect((await readStandby(db, written))?.lagBytes).toBe(0), {
    timeout: 60_000,
    interval: 20,
  });
  expect(news).toBeGreaterThan(0);
  expect(news).toBeLessThanOrEqual((performance.now() - begun) / STANDBY_LOOK_MS + 1);
});

test("a standby promoted under load answers every query, from before or after the promotion", async () => {
  const counts: number[] = [];
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) counts.push((await retryOnLock(() => slowly(0.05))).rows[0].names);
  });
  await vi.waitUntil(() => counts.length > CALLERS, { timeout: 20_000 });
  const [before = 0] = counts;
  await primary.kill();
  await standby.promote();
  await ask(standby.url, "insert into names select generate_series(1, 7)");
  const seen = counts.length;
  await vi.waitUntil(() => counts.length > seen + 2 * CALLERS, { timeout: 20_000 });
  isOver = true;
  await Promise.all(callers);
  expect([...new Set(counts)]).toEqual([before, before + 7]);
});
