import { setTimeout as sleep } from "node:timers/promises";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { requireServers } from "../../ops/checks/servers.ts";
import { CONNECTION_SECONDS, prepareIndexPool } from "../../src/api/server/indexState/indexPool.ts";
import { readStandby, readWritten } from "../../src/api/server/indexState/standby.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { listen, STANDBY_LOOK_MS } from "../../src/api/server/postgres/listen.ts";
import { PRIMARY_LOOK_MS } from "../../src/api/server/postgres/primaryPool.ts";
import { keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { type BreakablePostgres, startBreakablePostgres } from "../faults/breakablePostgres.ts";
import { primarySettings, type StandbyPostgres, startStandby } from "../faults/standbyPostgres.ts";
import { ask, openPool } from "../support/database.ts";

/*
 * A primary and its hot standby, without an index. The tests build on each other: the last ones
 * promote the standby.
 */

/** How long replay waits for conflicting queries. */
const PATIENCE_MS = 100;

let primary: BreakablePostgres;
let standby: StandbyPostgres;
let store: Store;
let pool: pg.Pool;
let db: Db;

beforeAll(async () => {
  primary = await startBreakablePostgres(primarySettings);
  await ask(primary.url, "create table names as select generate_series(1, 1000) as id");
  standby = await startStandby(primary, ["-c", `max_standby_streaming_delay=${PATIENCE_MS}ms`]);
  store = openStore({ databaseUrl: [standby.url, primary.url], schema: "service" });
  pool = openPool({ connectionString: standby.url });
  db = drizzle(pool) as unknown as Db;
});

afterAll(async () => {
  await store?.close();
  await pool?.end();
  await standby?.destroy();
  await primary?.destroy();
});

const lag = () => readStandby(db, () => readWritten(store));

test("a service writes to the primary among the servers, and the standby shows it", async () => {
  const { id, key } = await keysIn(store).create({ label: "k", owner: null, credits: 5, reason: "test" });
  expect(await keysIn(store).charge(id, { credits: 2, operation: "whois" })).toBe(3);
  expect(await keysIn(store).find(key)).toMatchObject({ credits: 3 });
  await vi.waitFor(
    async () => {
      for (const { url } of [primary, standby]) {
        const rows = await ask(url, `select credits::int as credits from service.api_keys where id = ${id}`);
        expect(rows).toEqual([{ credits: 3 }]);
      }
    },
    { timeout: 10_000, interval: 20 },
  );
});

test("a standby reports its lag behind its primary, and a primary reports none", async () => {
  const ofPrimary = openPool({ connectionString: primary.url });
  onTestFinished(() => ofPrimary.end());
  expect(await readStandby(drizzle(ofPrimary) as unknown as Db, () => readWritten(store))).toBeNull();
  const abreast = { lagBytes: 0, lagSeconds: 0, isPaused: false };
  await vi.waitFor(async () => expect(await lag()).toEqual(abreast), { timeout: 10_000, interval: 20 });
  await ask(standby.url, "select pg_wal_replay_pause()");
  await ask(primary.url, "insert into names values (0)");
  await vi.waitFor(async () => expect(await lag()).toMatchObject({ isPaused: true }), { timeout: 10_000 });
  const behind = await lag();
  expect(behind?.lagBytes).toBeGreaterThan(0);
  await vi.waitFor(async () => expect((await lag())?.lagSeconds).toBeGreaterThan(0), { timeout: 10_000 });
  expect(await readStandby(db, async () => null)).toEqual({
    lagBytes: null,
    lagSeconds: null,
    isPaused: true,
  });
  await ask(standby.url, "select pg_wal_replay_resume()");
  await vi.waitFor(async () => expect(await lag()).toEqual(abreast), { timeout: 10_000, interval: 20 });
});

test("a query cancelled by replication is retried for two seconds; other queries are not", async () => {
  const own = new pg.Pool({ connectionString: standby.url, max: 2 });
  own.on("error", () => {});
  onTestFinished(() => own.end());
  const cancelled: string[] = [];
  const query = own.query.bind(own) as (...args: unknown[]) => Promise<pg.QueryResult>;
  const noted = (...args: unknown[]) =>
    query(...args).catch((error: { code: string }) => {
      cancelled.push(error.code);
      throw error;
    });
  const index = { query: noted as (...args: never[]) => unknown, options: {} };
  prepareIndexPool(index);
  expect(index.options).toEqual({ maxLifetimeSeconds: CONNECTION_SECONDS });
  const asked = (seconds: number) =>
    index.query(
      ...([`select count(*)::int as names, pg_sleep(${seconds})::text from names`] as never[]),
    ) as Promise<pg.QueryResult>;
  const disturb = () =>
    ask(
      primary.url,
      "begin; lock table names in access exclusive mode; insert into names values (0); commit",
    );

  const answer = asked(0.6);
  await sleep(200);
  await disturb();
  expect((await answer).rows[0].names).toBeGreaterThan(1_000);
  expect(cancelled).toEqual(["40001"]);

  const late = expect(asked(5)).rejects.toMatchObject({ code: "40001" }); // It may fail before the disturbance ends.
  await sleep(2_300);
  await disturb();
  await late;
  await expect(
    index.query(...(["select 1 / 0"] as never[])) as Promise<pg.QueryResult>,
  ).rejects.toMatchObject({ code: "22012" });
  expect(cancelled).toEqual(["40001", "40001", "22012"]);
});

test("a start names what is wrong with the servers and how to fix it", async () => {
  const start = (command: "start" | "serve", databaseUrl: string, serviceDatabaseUrls = [databaseUrl]) =>
    requireServers(command, { databaseUrl, serviceDatabaseUrls });
  const both = [primary.url, standby.url];
  await start("start", primary.url);
  await start("start", primary.url, both);
  await start("serve", primary.url);
  await start("serve", standby.url, both);
  await expect(start("start", standby.url)).rejects.toThrow(
    /^DATABASE_URL: \S+ is a standby, which is read-only: npm start needs the primary/,
  );
  await expect(start("serve", standby.url)).rejects.toThrow(
    /^SERVICE_DATABASE_URL is not set: DATABASE_URL \(\S+ is a standby.*for example SERVICE_DATABASE_URL=postgresql:/,
  );
  await expect(start("serve", standby.url, [standby.url, standby.url])).rejects.toThrow(
    /^SERVICE_DATABASE_URL: no primary among \S+ \S+ \(all of them are standbys\)$/,
  );
  await ask(primary.url, "create database other");
  const other = Object.assign(new URL(primary.url), { pathname: "/other" }).href;
  await expect(start("serve", standby.url, [other])).rejects.toThrow(
    /^SERVICE_DATABASE_URL: \S+\/other is not the primary of DATABASE_URL \(\S+\/postgres\): set its primary/,
  );
});

test("a role without privileges may ask what kind a server is", async () => {
  await ask(primary.url, "create role guest login");
  const asGuest = ({ url }: { url: string }) => Object.assign(new URL(url), { username: "guest" }).href;
  await vi.waitFor(() => ask(asGuest(standby), "select 1"), { timeout: 10_000, interval: 20 });
  await requireServers("serve", {
    databaseUrl: asGuest(standby),
    serviceDatabaseUrls: [asGuest(primary), asGuest(standby)],
  });
});

test("a listener polls a standby, hears what is replayed, and listens once it is promoted", async () => {
  const news: number[] = [];
  const onNews = () => void news.push(performance.now());
  const line = listen({ databaseUrl: standby.url, channel: "journal", applicationName: "listener", onNews });
  onTestFinished(() => line.stop());
  await vi.waitFor(() => expect(news.length).toBeGreaterThan(0), 10_000);
  for (let i = 0; i < 3; i++) {
    const before = news.length;
    const written = performance.now();
    await ask(primary.url, "insert into names values (0)");
    await vi.waitFor(() => expect(news.length).toBeGreaterThan(before), { timeout: 10_000, interval: 5 });
    expect((news.at(-1) ?? 0) - written).toBeLessThan(4 * STANDBY_LOOK_MS);
  }

  await primary.kill();
  await expect(store.query("select 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  await standby.promote();
  await vi.waitFor(
    async () => {
      const [row] = await ask<{ query: string }>(
        standby.url,
        "select query from pg_stat_activity where application_name = 'listener'",
      );
      expect(row?.query).toBe('LISTEN "journal"');
    },
    { timeout: 10_000, interval: 20 },
  );
  const before = news.length;
  await ask(standby.url, "notify journal");
  await vi.waitFor(() => expect(news.length).toBeGreaterThan(before), { timeout: 10_000, interval: 5 });
});

test("the promoted server receives the writes; the restarted old primary does not", async () => {
  const { id } = await vi.waitFor(
    () => keysIn(store).create({ label: "after", owner: null, credits: 9, reason: "test" }),
    { timeout: 10_000, interval: 50 },
  );
  await primary.start();
  for (let i = 1; i <= 3; i++) {
    await sleep(PRIMARY_LOOK_MS + 100); // Each check may choose another server.
    expect(await keysIn(store).charge(id, { credits: 1, operation: "whois" })).toBe(9 - i);
  }
  const labels = (url: string) => ask(url, "select label from service.api_keys order by id");
  expect(await labels(primary.url)).toEqual([{ label: "k" }]);
  expect(await labels(standby.url)).toEqual([{ label: "k" }, { label: "after" }]);
  // A process that starts now chooses the same server.
  const fresh = openStore({ databaseUrl: [primary.url, standby.url], schema: "service" });
  expect(await keysIn(fresh).charge(id, { credits: 1, operation: "whois" })).toBe(5);
  await fresh.close();
});
