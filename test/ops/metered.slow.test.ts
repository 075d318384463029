import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DevnetGateway, startGateway } from "../../devnet/gateway.ts";
import { type LocalChain, startDemoChain } from "../../devnet/localChain.ts";
import { lookAfterViews } from "../../ops/release/keepViews.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";
import { keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { openStore } from "../../src/api/server/serviceDb/store.ts";
import { describeReplicas } from "../access/onMetered.ts";
import { describeObservation } from "../observe/onMetered.ts";
import { bareEnvironment } from "../support/environment.ts";
import { type Replica, type Stack, startStack } from "../support/stack.ts";

// Roles belong to the server, not to a database, so each run has its own names.
const prefix = `t${randomBytes(4).toString("hex")}`;
const program = fileURLToPath(new URL("../../ops/roles.ts", import.meta.url));

/** Runs the program as an operator does, and returns the connection strings it printed, by role. */
async function runRoles(databaseUrl: string, ...args: string[]) {
  const env = { ...bareEnvironment, DATABASE_URL: databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { env });
  const urls = [...stdout.matchAll(/DATABASE_URL=(\S+_(indexer|api|analyst):\S+)/g)];
  return { stdout, urls: Object.fromEntries(urls.map(([, url = "", role = ""]) => [role, url])) };
}

/*
 * A metered service as in production: restricted roles, one indexer, two replicas on its database.
 */
let local: LocalChain;
let gateway: DevnetGateway;
let stack: Stack;
let replicas: [Replica, Replica];
let urls: Record<string, string>;

beforeAll(async () => {
  gateway = await startGateway();
  local = await startDemoChain({ contracts: { gatewayUrl: gateway.url } });
  stack = await startStack({
    rpcUrl: local.anvil.url,
    deployment: local.deployment,
    env: {
      ACCESS: "metered",
      TRUSTED_PROXIES: "1",
      REQUEST_LOG: "all",
      SLOW_QUERY_MS: "1",
    },
    prepare: async (databaseUrl) => {
      ({ urls } = await runRoles(databaseUrl, "--prefix", prefix));
      return { DATABASE_URL: urls.indexer ?? "" };
    },
  });
  await stack.waitForHead(); // An index that lags behind the chain answers no requests.
  // As `npm start` does beside Ponder.
  await lookAfterViews({
    databaseUrl: urls.indexer ?? "",
    schema: "namedex_index",
    viewsSchema: "namedex",
    serviceSchema: "namedex_service",
    log: { info: () => {}, warn: () => {} },
  });
  const startReplica = () => stack.startReplica({ DATABASE_URL: urls.api ?? "" });
  replicas = await Promise.all([startReplica(), startReplica()]);
});

afterAll(async () => {
  await stack?.destroy();
  await local?.anvil.stop();
  await gateway?.stop();
});

/** One statement as a role. */
async function as(role: string, sql: string): Promise<pg.QueryResult> {
  return withClient({ connectionString: urls[role] }, (client) => client.query(sql));
}

test("three roles are created, each with its own password", () => {
  expect(Object.keys(urls)).toEqual(["indexer", "api", "analyst"]);
  expect(new Set(Object.values(urls).map((url) => new URL(url).password)).size).toBe(3);
});

describe("with roles that have only the rights they need", () => {
  test("the indexer has indexed the chain", async () => {
    const { rows } = await as("indexer", "SELECT count(*)::int AS count FROM namedex_index.domains");
    expect(rows[0].count).toBeGreaterThan(10);
  });

  test("a replica answers from the index and charges a key in the service's tables", async () => {
    const store = openStore({ databaseUrl: urls.api ?? "", schema: "namedex_service" });
    const { key } = await keysIn(store).create({ label: "k", owner: null, credits: 2, reason: "test" });
    for (const url of [replicas[0].url, stack.url]) {
      const reply = await fetch(`${url}/whois/alice.eth`, { headers: { "X-API-Key": key } });
      expect(reply.status).toBe(200);
      expect(((await reply.json()) as { availability_status: string }).availability_status).toBe(
        "registered",
      );
    }
    expect((await keysIn(store).find(key))?.credits).toBe(0);
    await store.close();
  });

  test("the service's tables belong to the API's role, no matter who created them", async () => {
    const { rows } = await as(
      "api",
      "SELECT DISTINCT tableowner AS owner FROM pg_tables WHERE schemaname = 'namedex_service'",
    );
    expect(rows).toEqual([{ owner: `${prefix}_api` }]);
  });

  test("analysts read the views", async () => {
    const { rows } = await as("analyst", "SELECT count(*)::int AS count FROM domains");
    expect(rows[0].count).toBeGreaterThan(10);
  });

  test.each([
    ["api", "DELETE FROM namedex_index.domains"],
    ["api", "UPDATE namedex_index.domains SET full_name = 'x'"],
    ["api", "DROP TABLE namedex_index.domains"],
    ["api", "CREATE SCHEMA mine"],
    ["api", "CREATE TABLE public.mine (a int)"],
    ["api", "CREATE TEMPORARY TABLE mine (a int)"],
    ["analyst", "SELECT * FROM namedex_index.domains"],
    ["analyst", "SELECT * FROM namedex_service.api_keys"],
    ["analyst", "SELECT * FROM namedex_cache.logs"],
    ["analyst", "SET default_transaction_read_only = off; DELETE FROM domains"],
    ["analyst", "SET default_transaction_read_only = off; CREATE TABLE namedex.mine (a int)"],
    ["indexer", "CREATE ROLE mine"],
    ["indexer", "CREATE TABLE public.mine (a int)"],
  ])("%s is denied: %s", async (role, sql) => {
    await expect(as(role, sql)).rejects.toThrow(/permission denied|must be owner|read-only/);
  });
});

test("a second run keeps the passwords and shows none", async () => {
  const again = await runRoles(stack.databaseUrl, "--prefix", prefix);
  expect(again.urls).toEqual({});
  expect(again.stdout).toMatch(/All three roles already exist with all their privileges/);
  expect((await as("analyst", "SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
});

test("a missing right on an index table is granted again, and named", async () => {
  await as("indexer", `REVOKE SELECT ON namedex_index.events FROM ${prefix}_api`);
  const { stdout } = await runRoles(stack.databaseUrl, "--prefix", prefix);
  expect(stdout).toContain(`- ${prefix}_api could not read namedex_index.events`);
  const { rows } = await as("api", "SELECT count(*) > 0 AS some FROM namedex_index.events");
  expect(rows).toEqual([{ some: true }]);
});

test("a user that may not create roles gets a message", async () => {
  await expect(runRoles(urls.api ?? "", "--prefix", `${prefix}x`)).rejects.toThrow(
    /The roles were not created\.\nPostgreSQL error: permission denied/,
  );
});

test.each([
  [["--prefix", "Bad Name"], /--prefix is "Bad Name"/],
  [["--nonsense"], /Usage: npm run roles/],
])("%j is refused with a reason", async (args, message) => {
  await expect(runRoles(stack.databaseUrl, ...args)).rejects.toThrow(message);
});

describeReplicas(
  () => stack,
  () => replicas,
);

describeObservation(
  () => stack,
  () => gateway,
);
