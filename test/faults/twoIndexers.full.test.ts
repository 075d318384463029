import pg from "pg";
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from "vitest";
import { isReady } from "../../devnet/ponder.ts";
import { metaTable } from "../../engine/ponderInternals.ts";
import { differencesOf, readTables } from "../chain/tables.ts";
import { openPool } from "../support/database.ts";
import type { Rival, Stack } from "../support/stack.ts";
import { judgeStack } from "../truth/trial.ts";
import type { FaultChain } from "./pulse.ts";
import { type FaultStage, openFaultStage } from "./stage.ts";

// Two indexers on one schema. The test uses Ponder's own command, because `npm start` refuses the second one before Ponder
// starts.

const TIMEOUT_MS = 300_000;

let stage: FaultStage;
let chain: FaultChain;
let stack: Stack;

beforeAll(async () => {
  stage = await openFaultStage({ seed: inject("seed"), past: 60 });
  ({ chain, stack } = stage);
});
afterAll(() => stage?.close());

const readLock = async () => {
  const [row] = await stack.sql<{ owner: string; locked: number }>(
    `select value ->> 'owner' as owner, (value ->> 'is_locked')::int as locked from ${metaTable} where key = 'app'`,
  );
  return row;
};

const untilIt = (rival: Rival, holds: () => boolean | Promise<boolean>) =>
  vi.waitFor(async () => expect(await holds(), rival.output()).toBe(true), {
    timeout: TIMEOUT_MS,
    interval: 100,
  });

/** Replaces the newest blocks, continues, and compares the index with the contracts. */
async function reorganise(depth: number): Promise<void> {
  const ends = chain.timeline.slice(-2) as [number, number];
  for (let block = 0; block < depth; block++) await chain.beat();
  await stack.waitForHead();
  await chain.rollback(depth, ends);
  for (let block = 0; block <= depth; block++) await chain.beat();
}

/** Rows of blocks that the chain does not have belong to transactions without a receipt. */
async function listOrphans(): Promise<string[]> {
  const { client } = chain.local.chain;
  const rows = await stack.sql<{ hash: `0x${string}` }>(
    "select distinct transaction_hash as hash from events",
  );
  const found = await Promise.all(
    rows.map(({ hash }) =>
      client.getTransactionReceipt({ hash }).then(
        () => [],
        () => [hash],
      ),
    ),
  );
  return found.flat();
}

async function expectTruth(): Promise<void> {
  await stack.waitForHead();
  expect(await listOrphans()).toEqual([]);
  expect((await judgeStack(stack, chain.local)).differences).toEqual([]);
}

test.each(["a stop", "a kill", "giving up"])(
  "a second indexer that ends by %s leaves the lock to the first one",
  async (end) => {
    const before = await readLock();
    expect(before?.locked).toBe(1);
    const rival = await stack.startRival();
    if (end === "a stop") await rival.stop();
    if (end === "a kill") await rival.kill();
    if (end === "giving up") {
      expect(await rival.exit).toBe(1);
      expect(rival.output()).toContain("Failed to acquire lock on schema");
    }
    expect(await readLock()).toEqual(before);
    await reorganise(3);
    await expectTruth();
  },
);

test("another build on the schema ends, and leaves the lock to the first one", async () => {
  const before = await readLock();
  const rival = await stack.startRival({ ARCHIVE_READS: "off" });
  expect(await rival.exit).toBe(1);
  expect(rival.output()).toContain("was previously used by a different Ponder app");
  expect(await readLock()).toEqual(before);
  await reorganise(2);
  await expectTruth();
});

/** Ends what a test opened on the index, even if it fails. */
async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {}); // Stopping the server ends it.
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

/** Tables of the index that a test locks: one that the indexer writes, and one that the feed's writer does. */
type Held = "events" | "feed_chains";

/** Database process ids that wait to write a table. */
async function listWaiting(table: Held, schema = stack.schema): Promise<number[]> {
  const rows = await stack.sql<{ pid: number }>(
    "select pid from pg_locks where relation = to_regclass($1) and not granted",
    [`${schema}.${table}`],
  );
  return rows.map(({ pid }) => pid);
}

/** Blocks all writes of a table. Returns a function that unblocks them. */
async function hold(table: Held, schema = stack.schema): Promise<() => Promise<void>> {
  const client = await connect(stack.databaseUrl);
  await client.query(`begin; lock table "${schema}".${table} in exclusive mode`);
  return () => client.end();
}

const untilWaiting = (holds: (pids: number[]) => boolean, table: Held = "events", schema = stack.schema) =>
  vi.waitFor(async () => expect(await listWaiting(table, schema)).toSatisfy(holds), {
    timeout: TIMEOUT_MS,
    interval: 50,
  });

/** Stops the process between two blocks. */
async function pauseBetweenTransactions() {
  await chain.beat();
  await stack.waitForHead();
  process.kill(stack.pid(), "SIGSTOP");
  return async () => {};
}

/** Stops the process while one of its transactions is open. The successor ends it, and reaches the same table. */
async function pauseInsideTransaction() {
  const release = await hold("events");
  await chain.beat();
  await untilWaiting((pids) => pids.length > 0);
  const held = await listWaiting("events");
  process.kill(stack.pid(), "SIGSTOP");
  return async () => {
    await untilWaiting((pids) => pids.length > 0 && pids.every((pid) => !held.includes(pid)));
    await release();
  };
}

/** Stops the process while its feed has an open transaction, which locks tables that the successor has to change. */
async function pauseInsideFeed() {
  const release = await hold("feed_chains");
  await chain.beat();
  await untilWaiting((pids) => pids.length > 0, "feed_chains");
  process.kill(stack.pid(), "SIGSTOP");
  await release();
  return async () => {};
}

test.each([
  ["between its transactions", pauseBetweenTransactions],
  ["inside a transaction", pauseInsideTransaction],
  ["inside a transaction of its feed", pauseInsideFeed],
] as const)(
  "an indexer suspended %s for longer than its lock lives writes nothing when it resumes, and ends with 75",
  async (_, pause) => {
    const before = await readLock();
    const release = await pause();
    onTestFinished(() => void process.kill(stack.pid(), "SIGCONT"));
    const rival = await stack.startRival();
    await release();
    await untilIt(rival, () => isReady(rival.url));
    const taken = await readLock();
    expect(taken?.owner).not.toBe(before?.owner);
    for (let block = 0; block < 3; block++) await chain.beat();
    process.kill(stack.pid(), "SIGCONT");
    await vi.waitFor(() => expect(stack.ended()).toBe(75), { timeout: TIMEOUT_MS });
    expect(stack.log()).toContain("Another indexer took over the schema");
    expect(await readLock()).toEqual(taken);
    await rival.stop();
    await comeBack();
  },
);

/** The first indexer starts again, once the last one has released the lock. */
async function comeBack(): Promise<void> {
  expect((await readLock())?.locked).toBe(0);
  stack.restart();
  await stack.ready();
  await reorganise(2);
  await expectTruth();
}

/** Another indexer follows a killed one, and keeps the lock until it is stopped. */
async function expectFollower(killed: { owner: string } | undefined): Promise<void> {
  const rival = await stack.startRival();
  await untilIt(rival, () => isReady(rival.url));
  const taken = await readLock();
  expect(taken?.locked).toBe(1);
  expect(taken?.owner).not.toBe(killed?.owner);
  await rival.stop();
  await comeBack();
}

test("a killed indexer is followed by one that starts after it and waits for its lock", async () => {
  await chain.beat();
  const before = await readLock();
  await stack.kill();
  await expectFollower(before);
});

test("one killed while it reverts the last one's writes has taken nothing over", async () => {
  const before = await readLock();
  await stack.kill();
  const release = await hold("events");
  await stack.expireLock();
  const rival = await stack.startRival();
  await untilWaiting((pids) => pids.length > 0);
  await rival.kill();
  await release();
  await untilWaiting((pids) => pids.length === 0);
  expect((await readLock())?.owner).toBe(before?.owner);
  await stack.expireLock();
  await expectFollower(before);
});

test("one killed right after it took over is also replaced", async () => {
  const before = await readLock();
  await chain.beat();
  await stack.waitForHead();
  await stack.kill();
  await stack.expireLock();
  const rival = await stack.startRival();
  await untilIt(rival, async () => (await readLock())?.owner !== before?.owner);
  await rival.kill();
  await stack.expireLock();
  await expectFollower(await readLock());
});

test("one killed during a backfill is followed by one that has the same tables", async () => {
  const other = "other_index";
  const started = await stack.startRival({ DATABASE_SCHEMA: other });
  const isThere = "select to_regclass($1) is not null as is_there";
  await untilIt(started, async () => (await stack.sql(isThere, [`${other}.events`]))[0]?.is_there === true);
  const release = await hold("events", other);
  await untilWaiting((pids) => pids.length > 0, "events", other);
  await started.kill();
  await release();
  const rival = await stack.startRival({ DATABASE_SCHEMA: other });
  await untilIt(rival, () => isReady(rival.url));
  await stack.waitForHead();
  const pool = openPool({ connectionString: stack.databaseUrl, options: `-c search_path=${other},public` });
  onTestFinished(() => pool.end());
  const sql: Stack["sql"] = async (text, values) => (await pool.query(text, values)).rows;
  expect(differencesOf(await readTables({ sql, schema: other }), await readTables(stack))).toEqual([]);
  await rival.stop();
});

test("a takeover ends no transaction in a copy of the database, whose tables have the same numbers", async () => {
  await stack.kill();
  const original = new URL(stack.databaseUrl);
  const name = `${original.pathname.slice(1)}_copy`;
  const server = await connect(new URL("/postgres", original).href);
  // Copying needs the original without connections; those of the killed indexer end by themselves.
  const copy = () => server.query(`create database "${name}" template "${original.pathname.slice(1)}"`);
  await vi.waitFor(copy, { timeout: TIMEOUT_MS, interval: 1_000 });
  onTestFinished(async () => {
    await server.query(`drop database if exists "${name}" with (force)`);
  });
  const writer = await connect(new URL(`/${name}`, original).href);
  const meta = `"${stack.schema}".${metaTable}`;
  const numberOf = "select $1::regclass::oid::int as oid";
  const { rows } = await writer.query(numberOf, [meta]);
  expect(rows).toEqual(await stack.sql(numberOf, [meta]));
  await writer.query(`begin; select key from ${meta} for key share`);
  await stack.expireLock();
  stack.restart();
  await stack.ready();
  expect((await writer.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await writer.query("rollback");
  await reorganise(2);
  await expectTruth();
});
