import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { mineBlocks, revertTo, takeSnapshot, warp } from "../../devnet/acts.ts";
import { type LocalChain, startDemoChain } from "../../devnet/localChain.ts";
import { readStatus } from "../../devnet/ponder.ts";
import {
  checkpointTable,
  countConnections,
  declaredIndex,
  listProgress,
  listSchemas,
  listTables,
  listWrittenBlocks,
  metaTable,
  type Query,
  readIndexer,
  tablesVersionOf,
} from "../../engine/ponderInternals.ts";
import * as schema from "../../ponder.schema.ts";
import { type Stack, startStack } from "../support/stack.ts";

// Everything that engine/ponderInternals.ts states about Ponder, compared with a running Ponder.

let local: LocalChain;
let stack: Stack;

const query: Query = (text) => stack.sql(text);

beforeAll(async () => {
  local = await startDemoChain();
  stack = await startStack({ rpcUrl: local.anvil.url, deployment: local.deployment });
});
afterAll(async () => {
  await stack?.destroy();
  await local?.anvil.stop();
});

async function areCountersMade(): Promise<boolean> {
  const [state] = await stack.sql<{ are: boolean }>(
    "select to_regclass('figures_state') is not null and to_regclass('figures_days_state') is not null as are",
  );
  return state?.are ?? false;
}

const head = async () => Number(await local.chain.client.getBlockNumber());

test("a running indexer says so, with its build and its tables", async () => {
  const indexer = await readIndexer(query, stack.schema);
  expect(indexer).toMatchObject({ isReady: true, isRunning: true, schema: stack.schema });
  expect(indexer?.buildId).toMatch(/^[0-9a-f]{10}$/);
  expect(await readIndexer(query)).toEqual(indexer);
  const tables = await listTables(query, stack.schema);
  expect(tables).toEqual(expect.arrayContaining(["domains", "events"]));
  const state = [...tables, metaTable, checkpointTable].map((table) => `'${table}'`).join(", ");
  const [found] = await stack.sql<{ count: number }>(
    `select count(*)::int from pg_class where relkind = 'r'
       and relnamespace = '${stack.schema}'::regnamespace and relname in (${state})`,
  );
  expect(found?.count).toBe(tables.length + 2);
});

test("its schema is found, and its connections are counted", async () => {
  expect(await listSchemas(query)).toEqual([stack.schema]);
  expect(await countConnections(query, stack.schema)).toBeGreaterThan(0);
  expect(await countConnections(query, "namedex")).toBe(0);
});

test("progress equals that of Ponder's own /status", async () => {
  const status = await readStatus(stack.url);
  const { chainId, name } = local.deployment;
  const expected = { chainId, chainName: name, blockNumber: await head() };
  const [progress, ...others] = await listProgress(query, stack.schema);
  expect(others).toEqual([]);
  expect(progress).toMatchObject({ ...expected, blockTimestamp: status?.[name]?.timestamp });
  expect(progress?.finalizedBlock).toBeLessThanOrEqual(await head());
  expect(progress?.finalizedBlock).toBeGreaterThan(0);
  expect(await listProgress(query)).toEqual([progress]);
  expect(await listWrittenBlocks(query, { schema: stack.schema, withinMs: 30_000 })).toEqual([expected]);
  expect(await listWrittenBlocks(query, { schema: stack.schema, withinMs: -60_000 })).toEqual([]);
});

test("the version of the tables changes with a block or a reorganisation, and not otherwise", async () => {
  const read = async () => {
    const [row] = await query<{ version: string }>(`select ${tablesVersionOf("domains")} as version`);
    return row?.version ?? "";
  };
  const triggersOf = (version: string) => version.split(" ")[1];
  // Counters are triggers, too, and the API makes them a moment after the index is ready.
  await vi.waitUntil(areCountersMade, { timeout: 120_000, interval: 100 });
  const before = await read();
  expect(await read()).toBe(before);
  const snapshot = await takeSnapshot(local.chain);
  await mineBlocks(local.chain, { count: 1 });
  await stack.waitForHead();
  const after = await read();
  expect(after).not.toBe(before);
  expect(triggersOf(after)).toBe(triggersOf(before));
  await revertTo(local.chain, { snapshot });
  await warp(local.chain, { seconds: 100n });
  await mineBlocks(local.chain, { count: 1 });
  await stack.waitForHead();
  expect(triggersOf(await read())).not.toBe(triggersOf(after));
});

test("the index that Ponder builds at each start is declared in the schema and exists", async () => {
  const exported: unknown[] = Object.values(schema);
  const declared = exported
    .filter((one) => one instanceof PgTable)
    .flatMap((table) => getTableConfig(table).indexes.map(({ config }) => config.name));
  expect(declared).toContain(declaredIndex());
  const [built] = await stack.sql<{ isThere: boolean }>(
    `select to_regclass('${declaredIndex()}') is not null as "isThere"`,
  );
  expect(built).toEqual({ isThere: true });
});

test("the lock is free after the end, and a new start has the former tables with their position", async () => {
  const before = await readIndexer(query, stack.schema);
  await stack.stop();
  expect(await readIndexer(query, stack.schema)).toEqual({ ...before, isRunning: false });
  await vi.waitFor(async () => expect(await countConnections(query, stack.schema)).toBe(0), 30_000);
  stack.restart();
  await vi.waitFor(
    async () => expect(await readIndexer(query, stack.schema)).toMatchObject({ isReady: false }),
    { timeout: 60_000, interval: 20 },
  );
  const [taken] = await listProgress(query, stack.schema);
  expect(taken?.blockNumber).toBe(taken?.finalizedBlock);
  expect(await listWrittenBlocks(query, { schema: stack.schema, withinMs: 30_000 })).toEqual([]);
  await stack.ready();
  const after = await readIndexer(query, stack.schema);
  expect(after).toEqual({ ...before, startId: expect.any(String) });
  expect(after?.startId).not.toBe(before?.startId);
  await stack.waitForBlock(await head());
});
