import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { type BreakablePostgres, startBreakablePostgres } from "../faults/breakablePostgres.ts";
import { startLoad } from "../faults/load.ts";
import { type FaultChain, PULSE, startFaultChain } from "../faults/pulse.ts";
import { primarySettings, type StandbyPostgres, startStandby } from "../faults/standbyPostgres.ts";
import { tell } from "../faults/tell.ts";
import { ask } from "../support/database.ts";
import { type Replica, type Stack, startStack } from "../support/stack.ts";

/*
 * An indexer on a primary, and replicas that read its two hot standbys and charge keys on the
 * primary. The tests build on each other: the last ones kill the primary.
 */

const SERVICE = "namedex_service";
const CREDITS = 1_000_000;
/** How long replay waits for conflicting queries. */
const PATIENCE_MS = 100;

let chain: FaultChain;
let primary: BreakablePostgres;
let standbys: [StandbyPostgres, StandbyPostgres];
let stack: Stack;
let replicas: [Replica, Replica];
let store: Store;
let key: { id: number; key: string };

/** The stack's database on another server. */
const onServer = ({ url }: { url: string }): string =>
  Object.assign(new URL(url), { pathname: new URL(stack.databaseUrl).pathname }).href;

const servers = () => [stack.databaseUrl, ...standbys.map(onServer)];

beforeAll(async () => {
  chain = await startFaultChain({ seed: 34, past: 40 });
  primary = await startBreakablePostgres(primarySettings);
  stack = await startStack({
    rpcUrl: chain.local.anvil.url,
    deployment: chain.local.deployment,
    databaseServer: primary.url,
    env: { ACCESS: "metered", MAX_LAG_SECONDS: "60" },
  });
  await stack.waitForHead();
  const settings = ["-c", `max_standby_streaming_delay=${PATIENCE_MS}ms`];
  standbys = [await startStandby(primary, settings), await startStandby(primary, settings)];
  const startReplica = (standby: StandbyPostgres) =>
    stack.startReplica({ DATABASE_URL: onServer(standby), SERVICE_DATABASE_URL: servers().join(",") });
  replicas = [await startReplica(standbys[0]), await startReplica(standbys[1])];
  store = openStore({ databaseUrl: servers(), schema: SERVICE });
  key = await newKey();
});

afterAll(async () => {
  await store?.close();
  await stack?.destroy();
  for (const server of [...(standbys ?? []), primary]) await server?.destroy();
  await chain?.stop();
});

const newKey = () =>
  keysIn(store).create({ label: "standby", owner: null, credits: CREDITS, reason: "for a test" });

const creditsOf = async (text = key.key): Promise<number> => (await keysIn(store).find(text))?.credits ?? -1;

type Reply = { status: number; body: Record<string, unknown>; left: string | null };

async function askReplica({ url }: { url: string }, path: string, paidBy = key.key): Promise<Reply> {
  const reply = await fetch(`${url}${path}`, { headers: { "X-API-Key": paidBy } });
  return {
    status: reply.status,
    body: (await reply.json()) as Record<string, unknown>,
    left: reply.headers.get("x-credits-remaining"),
  };
}

/** The beat a process answers with, or null if it refuses. */
async function beatOf(process: { url: string }): Promise<number | null> {
  const { status, body } = await askReplica(process, `/domain/${PULSE}/records/text/one`);
  return status === 200 ? Number(body.value) : null;
}

const newestBeat = () => chain.timeline.at(-1);

const untilNewest = (process: { url: string }) =>
  vi.waitFor(async () => expect(await beatOf(process)).toBe(newestBeat()), {
    timeout: 60_000,
    interval: 100,
  });

const statusOf = async ({ url }: { url: string }) =>
  (await (await fetch(`${url}/indexing-status`)).json()) as {
    ready: boolean;
    reason: string | null;
    database: string;
    standby: { lag_seconds: number | null; lag_bytes: number | null; paused: boolean } | null;
  };

/** Paying callers during `disturb`: each right answer costs a credit, and nothing else does. */
async function underLoad(name: string, replica: Replica, disturb: () => Promise<void>) {
  const { key: text } = await newKey();
  const { url } = replica;
  const load = startLoad({ url: () => url, timeline: chain.timeline, headers: { "X-API-Key": text } });
  await load.nextAnswer();
  await disturb();
  await untilNewest(replica);
  await load.nextAnswer();
  const seen = await load.stop();
  tell(name, seen);
  expect(seen.wrong).toEqual([]);
  expect(CREDITS - (await creditsOf(text))).toBe(seen.answers);
  return seen;
}

test("a replica of a standby answers with what the primary wrote, and charges a key on the primary once", async () => {
  const [replica] = replicas;
  await chain.beat();
  await untilNewest(replica);
  const before = await creditsOf();
  const { status, body, left } = await askReplica(replica, `/whois/${PULSE}`);
  expect([status, body.availability_status, left]).toEqual([200, "registered", String(before - 1)]);
  expect(await creditsOf()).toBe(before - 1);
  const ledger = await ask<{ rows: number }>(
    stack.databaseUrl,
    `select count(*)::int as rows from ${SERVICE}.ledger where key_id = ${key.id} and balance = ${before - 1}`,
  );
  expect(ledger).toEqual([{ rows: 1 }]);
});

test("heartbeats and reverted blocks are seen through a standby, each answer at one block", async () => {
  const seen = await underLoad("standby: beats and reorganisations", replicas[0], async () => {
    for (let i = 0; i < 4; i++) await chain.beat();
    await chain.play(2);
    const [before, last] = [chain.timeline.at(-2) ?? 0, chain.timeline.at(-1) ?? 0];
    await chain.beat();
    await untilNewest(replicas[0]);
    await chain.rollback(1, [before, last]);
    await chain.beat();
  });
  expect(seen.answers).toBeGreaterThan(10);
});

test("processes on a standby leave indexes, counts, feed, webhooks and labels to the primary's processes", () => {
  for (const { output } of replicas) {
    expect(output()).not.toMatch(/read-only|cannot execute|during recovery|Index upkeep failed/);
  }
});

test("while replay is paused, answers get older, then are refused with the reason", async () => {
  const [replica] = replicas;
  const [standby] = standbys;
  expect((await statusOf(replica)).standby).toMatchObject({ paused: false });
  expect((await statusOf(stack)).standby).toBeNull();
  await ask(standby.url, "select pg_wal_replay_pause()");
  const old = newestBeat();
  await chain.beat();
  await stack.waitForHead();
  expect(await beatOf(replica)).toBe(old); // Its own block's lag, which is still allowed.
  expect(await beatOf(stack)).toBe(newestBeat());
  const position = await vi.waitFor(
    async () => {
      const { body: newest } = await askReplica(stack, "/changes?after=newest");
      const ahead = await askReplica(replica, `/changes?after=${newest.next_position}`);
      expect([ahead.status, ahead.body.error]).toMatchObject([503, { code: "INDEX_NOT_READY" }]);
      return newest.next_position;
    },
    { timeout: 20_000, interval: 200 },
  );
  for (let i = 0; i < 6; i++) await chain.beat();
  await stack.waitForHead();
  const refused = await vi.waitFor(async () => {
    const reply = await askReplica(replica, `/whois/${PULSE}`);
    expect(reply.status).toBe(503);
    return reply;
  }, 10_000);
  expect(refused.body).toMatchObject({
    error: { code: "INDEX_NOT_READY", message: expect.stringContaining("a standby whose replay is paused") },
  });
  const status = await statusOf(replica);
  expect(status).toMatchObject({ ready: false, reason: "late", database: "reachable" });
  expect(status.standby).toMatchObject({ paused: true, lag_bytes: expect.any(Number) });
  expect(status.standby?.lag_bytes).toBeGreaterThan(0);
  await ask(standby.url, "select pg_wal_replay_resume()");
  await untilNewest(replica);
  expect((await askReplica(replica, `/changes?after=${position}`)).status).toBe(200);
  await vi.waitFor(async () => expect((await statusOf(replica)).standby).toMatchObject({ lag_seconds: 0 }), {
    timeout: 20_000,
    interval: 50,
  });
});

test("a standby that is killed and restarted costs time, never correctness", async () => {
  const seen = await underLoad("standby: killed and started", replicas[0], async () => {
    await standbys[0].kill();
    await chain.beat();
    await vi.waitFor(async () => expect((await statusOf(replicas[0])).database).toBe("unreachable"), {
      timeout: 20_000,
      interval: 100,
    });
    await standbys[0].start();
  });
  expect(Object.keys(seen.refused)).toEqual(["INDEX_NOT_READY"]);
});

/** The last action of a process's journal connection on a server. */
const journalOn = async (server: { url: string }) =>
  (
    await ask<{ query: string }>(
      server.url,
      `select query from pg_stat_activity where application_name = '${stack.schema}_journal'`,
    )
  ).map(({ query }) => query);

test("a promoted standby is followed without a restart, for reads and for charges", async () => {
  const [first, second] = standbys;
  const [replica, other] = replicas;
  // The previous test ended its connection.
  await vi.waitFor(async () => expect((await journalOn(first)).join()).toContain("pg_is_in_recovery"), {
    timeout: 20_000,
    interval: 100,
  });
  await stack.stop();
  await primary.kill();
  const free = await statusOf(replica);
  expect(free).toMatchObject({ database: "reachable", standby: { lag_bytes: null, lag_seconds: null } });
  const refused = await askReplica(replica, `/whois/${PULSE}`);
  expect([refused.status, refused.body.error]).toMatchObject([503, { code: "INDEX_NOT_READY" }]);

  await first.promote();
  await second.follow(first);
  const charged = await vi.waitFor(
    async () => {
      const before = await creditsOf();
      const reply = await askReplica(replica, `/whois/${PULSE}`);
      expect([reply.status, await creditsOf()]).toEqual([200, before - 1]);
      return before - 1;
    },
    { timeout: 30_000, interval: 200 },
  );
  expect((await statusOf(replica)).standby).toBeNull();
  await vi.waitFor(async () => expect((await journalOn(first)).join()).toMatch(/LISTEN/), {
    timeout: 10_000,
    interval: 100,
  });

  stack.restart({ DATABASE_URL: onServer(first) });
  await stack.ready();
  await chain.beat();
  await untilNewest(replica);
  await untilNewest(other); // Through the new primary's standby.
  expect(await creditsOf()).toBeLessThan(charged);
});

test("the restarted old primary is charged nothing: the later timeline counts", async () => {
  const before = await creditsOf();
  await primary.start();
  const rounds = 3;
  for (let round = 0; round < rounds; round++) {
    await sleep(3_000); // Longer than the pause between two checks of the servers: one check's result counts for the next round.
    for (const replica of replicas) {
      const reply = await askReplica(replica, `/whois/${PULSE}`);
      expect(reply.status).toBe(200);
    }
  }
  const spent = await ask<{ credits: number }>(
    onServer(standbys[0]),
    `select credits::float8 as credits from ${SERVICE}.api_keys where id = ${key.id}`,
  );
  expect(spent).toEqual([{ credits: before - rounds * replicas.length }]);
});
