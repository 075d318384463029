import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { rpc } from "../../devnet/acts.ts";
import type { LocalChain } from "../../devnet/localChain.ts";
import { totals } from "../../src/api/names/counts/totals.ts";
import { noEnsv2, type Scope } from "../../src/api/names/query/scope.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { openStore } from "../../src/api/server/serviceDb/store.ts";
import { ownIndexes } from "../../src/api/upkeep/indexes.ts";
import { startUpkeep } from "../../src/api/upkeep/upkeep.ts";
import { expectExactCounters } from "../counts/exactCounters.ts";
import { openPool } from "../support/database.ts";
import schema from "../support/ponderSchema.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { historiesOf, playSteps } from "../truth/steps.ts";
import { startHistoryChain } from "../truth/trial.ts";

const SEED = 909;
const YEAR = 31_536_000;
const LEDGER_DAYS = 91;
const [past = [], present = []] = historiesOf({ seed: SEED, runs: 2, steps: 150 });

let local: LocalChain;
let stack: Stack;
let pool: pg.Pool;
let db: Db;

beforeAll(async () => {
  local = await startHistoryChain();
  await playSteps(local.chain, "past", past.slice(0, 90));
  const env = { LEDGER_DAYS: String(LEDGER_DAYS) };
  stack = await startStack({
    rpcUrl: local.anvil.url,
    deployment: local.deployment,
    env,
    prepare: fillLedger, // Before the start, because the upkeep checks the ledger only every 30 seconds.
  });
  const options = `-c search_path=${stack.schema}`;
  pool = openPool({ connectionString: stack.databaseUrl, options });
  db = drizzle(pool, { schema, casing: "snake_case" }) as unknown as Db;
});

afterAll(async () => {
  await pool?.end();
  await stack?.destroy();
  await local?.anvil.stop();
});

/** A ledger with a row on each side of the limit. */
async function fillLedger(databaseUrl: string): Promise<Record<string, string>> {
  const store = openStore({ databaseUrl, schema: "namedex_service" });
  try {
    const { id } = await keysIn(store).create({ label: "k", owner: null, credits: 5, reason: "gift" });
    await store.query(
      `INSERT INTO ledger (key_id, noted_at, credits, balance, reason)
      SELECT $1, now() - make_interval(days => age), 0, 5, age FROM unnest($2::int[]) age`,
      [id, [LEDGER_DAYS + 1, LEDGER_DAYS - 1]],
    );
  } finally {
    await store.close();
  }
  return {};
}

const waitUntil = (look: () => Promise<boolean>) => vi.waitUntil(look, { timeout: 180_000, interval: 50 });

const mainChain = (): Scope => ({ ids: [local.deployment.chainId], reach: "main", ensv2: noEnsv2 });
const at = (now: number) => ({ chains: mainChain(), now });
const isCounted = async () => (await totals.fromCounters(db, at(0))) !== null;

/** Completed days with sales. */
async function countKeptDays(): Promise<number> {
  const { rows } = await pool.query<{ days: number }>(
    "select count(distinct day)::int as days from figures_days",
  );
  return rows[0]?.days ?? 0;
}

/** Number and state of each index, by name; an index that was built again has another number. */
async function readIndexes(): Promise<Map<string, { id: string; valid: boolean }>> {
  const { rows } = await pool.query<{ name: string; id: string; valid: boolean }>(
    `select relname as name, indexrelid::text as id, indisvalid as valid from pg_index join pg_class on oid = indexrelid
     where relnamespace = $1::regnamespace`,
    [stack.schema],
  );
  return new Map(rows.map(({ name, ...index }) => [name, index]));
}

async function expectKept(): Promise<void> {
  await stack.waitForHead();
  const { timestamp } = await rpc<{ timestamp: string }>(local.chain, "eth_getBlockByNumber", [
    "latest",
    false,
  ]);
  for (const later of [0, 89 * 86_400, YEAR]) await expectExactCounters(db, at(Number(timestamp) + later));
}

test("once the index is ready, its large indexes are built and its names counted", async () => {
  await waitUntil(isCounted);
  const indexes = await readIndexes();
  for (const { name } of ownIndexes) expect(indexes.get(name)?.valid, name).toBe(true);
  expect((await totals.fromCounters(db, at(0)))?.total).toBeGreaterThan(5);
  await waitUntil(async () => (await countKeptDays()) > 0);
  await expectKept();
});

test("the counts follow the chain and its reorganisations", async () => {
  await playSteps(local.chain, "present", present.slice(0, 40));
  await expectKept();
  await rpc(local.chain, "anvil_rollback", [8]);
  await playSteps(local.chain, "present", present.slice(40, 70));
  await expectKept();
  expect(await isCounted()).toBe(true);
});

test("a killed and restarted indexer leaves the large indexes and the counts unchanged", async () => {
  const before = await readIndexes();
  await stack.kill();
  await playSteps(local.chain, "present", present.slice(70, 100));
  await stack.expireLock();
  stack.restart();
  await stack.ready();
  await expectKept();
  const after = await readIndexes();
  for (const { name } of ownIndexes) expect(after.get(name), name).toEqual(before.get(name));
  expect(after.get("domains_node")?.id, "Ponder builds its own again").not.toBe(
    before.get("domains_node")?.id,
  );
});

test("the ledger of credits drops rows older than its days", async () => {
  const store = openStore({ databaseUrl: stack.databaseUrl, schema: "namedex_service" });
  const reasons = async () =>
    (await store.query<{ reason: string }>("SELECT reason FROM ledger ORDER BY id")).map(
      ({ reason }) => reason,
    );
  try {
    await waitUntil(async () => (await reasons()).length < 3);
    expect(await reasons()).toEqual(["gift", String(LEDGER_DAYS - 1)]);
  } finally {
    await store.close();
  }
});

test("a build killed halfway is dropped and repeated, once for all processes", async () => {
  await stack.stop();
  const [index] = ownIndexes.slice(-1);
  const name = index?.name ?? "";
  await pool.query(`drop index "${name}"`);
  const reader = await pool.connect();
  // A build waits for all readers: this one is killed while it waits.
  await reader.query("begin isolation level repeatable read; select count(*) from domains");
  const logged: string[] = [];
  const plan = {
    databaseUrl: stack.databaseUrl,
    schema: stack.schema,
    isReady: async () => true,
    now: async () => 1_900_000_000,
    log: (line: string) => void logged.push(line),
    chores: async () => {},
    chains: [mainChain()],
    finalTime: async () => 0,
  };
  const first = startUpkeep(plan);
  await waitUntil(async () => (await readIndexes()).get(name)?.valid === false);
  await pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like '%_upkeep' and datname = current_database()",
  );
  await first.stop();
  expect((await readIndexes()).get(name)?.valid).toBe(false);
  await reader.query("rollback");
  reader.release();
  logged.length = 0;
  const several = [startUpkeep(plan), startUpkeep(plan), startUpkeep(plan)];
  await waitUntil(async () => (await readIndexes()).get(name)?.valid === true);
  await Promise.all(several.map(({ stop }) => stop()));
  expect(logged.filter((line) => line.startsWith(`Built index ${name}`))).toHaveLength(1);
});
