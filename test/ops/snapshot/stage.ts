import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { mineBlocks } from "../../../devnet/acts.ts";
import { type LocalChain, startDemoChain } from "../../../devnet/localChain.ts";
import { metaTable } from "../../../engine/ponderInternals.ts";
import { RESTORE_MARK } from "../../../ops/checks/halfRestored.ts";
import type { Manifest } from "../../../ops/snapshot/manifest.ts";
import { keysIn } from "../../../src/api/server/serviceDb/keys.ts";
import { openStore } from "../../../src/api/server/serviceDb/store.ts";
import { readTables, type Tables } from "../../chain/tables.ts";
import { ask } from "../../support/database.ts";
import { type Outcome, runProgram } from "../programs.ts";
import { waitFor } from "../versions.ts";
import { type Followed, prepareFollowed } from "./followed.ts";

/** An index of the demo, a snapshot of it, and a folder for more. */
export type SnapshotStage = {
  folder: string;
  local: LocalChain;
  source: Followed;
  /** A snapshot of the demo with its cache. All of it is final. */
  demo: string;
  demoTables: Tables;
  /** The programs' environment. DATABASE_URL points to this database. */
  environment: (databaseUrl: string) => Record<string, string>;
  /** Runs `npm run snapshot` on a database. */
  snapshot: (databaseUrl: string, ...args: string[]) => Promise<Outcome>;
  close: () => Promise<void>;
};

export const PATIENCE_MS = 600_000;

/** Texts in the service's own tables. */
export const secrets = ["a label that only the service knows", "5e".repeat(20)] as const;

/** Ponder treats a block as final once 30 follow, and checks once twice as many do. */
export const SETTLING_BLOCKS = 70;

export async function openSnapshotStage(): Promise<SnapshotStage> {
  const folder = mkdtempSync(join(tmpdir(), "namedex-snapshots-"));
  const local = await startDemoChain({ balance: 1_000_000_000, contracts: { layer2ReverseRegistrar: true } });
  const source = await prepareFollowed(local);
  const deployment = join(folder, "deployment.json");
  writeFileSync(deployment, JSON.stringify(local.deployment));
  const environment = (databaseUrl: string) => ({
    ENS_DEPLOYMENT: deployment,
    RPC_URL_31337: local.anvil.url,
    DATABASE_URL: databaseUrl,
  });
  const snapshot = (databaseUrl: string, ...args: string[]) =>
    runProgram("snapshot.ts", args, environment(databaseUrl));
  const close = async () => {
    await source.close();
    await local.anvil.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const demo = join(folder, "demo");
  const stage = { folder, local, source, demo, environment, snapshot, close };
  try {
    await indexDemo(stage);
    return { ...stage, demoTables: await readTables(source) };
  } catch (error) {
    await close();
    throw error;
  }
}

async function indexDemo(stage: Omit<SnapshotStage, "demoTables">): Promise<void> {
  const { source, local, demo, snapshot } = stage;
  source.version.start();
  await source.version.ready();
  const store = openStore({ databaseUrl: source.databaseUrl, schema: "namedex_service" });
  const [label, owner] = secrets;
  await keysIn(store).create({ label, owner: `0x${owner}`, credits: 50, reason: "gift" });
  await store.close();
  await mineBlocks(local.chain, { count: SETTLING_BLOCKS });
  await source.waitForHead();
  await waitFor(() => isTended(source.databaseUrl), source.version.output);
  await ask(source.databaseUrl, foundContracts);
  expectEnd(await snapshot(source.databaseUrl, "create", demo, "--with-cache"));
}

/** A chain that shares the cache but is not in the snapshot. */
export const OTHER_CHAIN = 424_242;

/**
 * Contracts found in this chain's logs, as Ponder caches them, and those of a chain that is not in
 * the snapshot.
 */
const foundContracts = `
  insert into namedex_cache.factories (factory) values ('{"chainId": 31337}'), ('{"chainId": ${OTHER_CHAIN}}');
  insert into namedex_cache.factory_addresses (factory_id, chain_id, block_number, address)
  select id, (factory ->> 'chainId')::bigint, 7, '0x' || repeat('ab', 20) from namedex_cache.factories`;

export function expectEnd(outcome: Outcome): void {
  expect(outcome.code, outcome.stderr).toBe(0);
}

/** Whether an index has everything made beside its tables: views, large indexes, counts. */
export async function isTended(databaseUrl: string): Promise<boolean> {
  const [state] = await ask<{ is: boolean }>(
    databaseUrl,
    `select to_regclass('namedex.${metaTable}') is not null and to_regclass('namedex_index.domains_name_trgm') is not null
       and to_regclass('namedex_index.figures_state') is not null and to_regclass('namedex_index.feed_state') is not null
       and to_regclass('namedex_index.figures_days_state') is not null as is`,
  );
  return state?.is ?? false;
}

/** Whether programs take the schema for an index. */
export const hasIndex = (databaseUrl: string): Promise<boolean> => hasTable(databaseUrl, metaTable);

/** Whether a restore into it has begun and not ended. */
export const isBegun = (databaseUrl: string): Promise<boolean> => hasTable(databaseUrl, RESTORE_MARK);

async function hasTable(databaseUrl: string, table: string): Promise<boolean> {
  const [state] = await ask<{ is: boolean }>(
    databaseUrl,
    `select to_regclass('namedex_index.${table}') is not null as is`,
  );
  return state?.is ?? false;
}

export const readManifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
