import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metaTable } from "../../engine/ponderInternals.ts";
import type { Manifest } from "../../ops/snapshot/manifest.ts";
import { keysIn } from "../../src/api/serviceDb/keys.ts";
import { openStore } from "../../src/api/serviceDb/store.ts";
import { differencesOf, readTables, type Tables } from "../chain/tables.ts";
import { mineBlocks, rpc } from "../devnet/acts.ts";
import { type LocalChain, startDemoChain } from "../devnet/localChain.ts";
import { startRpcProxy } from "../live/rpcProxy.ts";
import { ask } from "../support/database.ts";
import { historiesOf, playSteps } from "../truth/steps.ts";
import { judgeStack } from "../truth/trial.ts";
import { definitionsOf, rowsOf } from "./definitions.ts";
import { type Followed, prepareFollowed } from "./followed.ts";
import { type Outcome, runProgram, waitFor } from "./versions.ts";

const SEED = 71_077;
/** Ponder takes a block for final once 30 follow, and looks when twice as many do. */
const SETTLING_BLOCKS = 70;
const PATIENCE_MS = 600_000;

let folder: string;
let local: LocalChain;
let source: Followed;
/** A snapshot of the demo, all of it final. */
let demo: string;
let demoTables: Tables;
const SECRET = "a label that only the service knows";
const OWNER = "5e".repeat(20);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "namedex-snapshots-"));
  local = await startDemoChain({ balance: 1_000_000_000, contracts: { layer2ReverseRegistrar: true } });
  writeFileSync(join(folder, "deployment.json"), JSON.stringify(local.deployment));
  source = await prepareFollowed(local);
  source.version.start();
  await source.version.ready();
  const store = openStore({ databaseUrl: source.databaseUrl, schema: "namedex_service" });
  await keysIn(store).create({ label: SECRET, owner: `0x${OWNER}`, credits: 50, reason: "gift" });
  await store.close();
  await mineBlocks(local.chain, { count: SETTLING_BLOCKS });
  await source.waitForHead();
  await waitFor(() => isTended(source.databaseUrl), source.version.output);
  demo = join(folder, "demo");
  expectEnd(await snapshot(source.databaseUrl, "create", demo, "--with-cache"));
  demoTables = await readTables(source);
}, PATIENCE_MS);

afterAll(async () => {
  await source?.close();
  await local?.anvil.stop();
  rmSync(folder, { recursive: true, force: true });
});

const environment = (databaseUrl: string) => ({
  ENS_DEPLOYMENT: join(folder, "deployment.json"),
  RPC_URL_31337: local.anvil.url,
  DATABASE_URL: databaseUrl,
});

const snapshot = (databaseUrl: string, ...args: string[]): Promise<Outcome> =>
  runProgram("snapshot.ts", args, environment(databaseUrl));

function expectEnd(outcome: Outcome): void {
  expect(outcome.code, outcome.stderr).toBe(0);
}

/** Whether the index has all that is made beside its tables: views, large indexes, counts. */
async function isTended(databaseUrl: string): Promise<boolean> {
  const [state] = await ask<{ is: boolean }>(
    databaseUrl,
    `select to_regclass('namedex.${metaTable}') is not null and to_regclass('namedex_index.domains_name_trgm') is not null
       and to_regclass('namedex_index.figures_state') is not null as is`,
  );
  return state?.is ?? false;
}

const SCHEMAS = ["namedex_index", "namedex", "ponder_sync"];
const CACHED = ["blocks", "transactions", "logs", "rpc_request_results", "intervals"];

describe("a snapshot of a finished index", () => {
  test("has every table, and nothing of the service", async () => {
    const { stdout } = await snapshot("postgresql://nobody@127.0.0.1:1/none", "inspect", demo);
    for (const [table, { length }] of demoTables) {
      if (length > 0) expect(stdout).toMatch(new RegExp(`^${table} +${length.toLocaleString("en")} `, "m"));
    }
    expect(stdout).toMatch(/^cache: logs +\d/m);
    expect(stdout).toContain("domains_name_trgm");
    const parts = readdirSync(demo).filter((file) => file.endsWith(".zst"));
    const text = parts.map((file) => zstdDecompressSync(readFileSync(join(demo, file))).toString()).join("");
    expect(text.includes("alice.eth")).toBe(true);
    expect(text.includes(SECRET) || text.includes(OWNER)).toBe(false);
    const tables = [...demoTables.keys(), ...CACHED.map((table) => `cache_${table}`)];
    const strange = parts.filter((file) => !tables.includes(file.replace(/-\d+\.zst$/, "")));
    expect(strange).toEqual([]);
  });

  test(
    "restored into an empty database has every row and every definition, and npm start follows the chain",
    async () => {
      const restored = await prepareFollowed(local);
      try {
        expectEnd(await snapshot(restored.databaseUrl, "restore", demo));
        expect(differencesOf(await readTables(restored), demoTables)).toEqual([]);
        const caches = [restored, source].map(({ databaseUrl }) =>
          rowsOf(databaseUrl, "ponder_sync", CACHED),
        );
        const [cache = new Map(), should = new Map()] = await Promise.all(caches);
        expect(differencesOf(cache, should)).toEqual([]);
        restored.version.start();
        await restored.version.ready();
        await restored.waitForHead();
        await waitFor(() => isTended(restored.databaseUrl), restored.version.output);
        expect(differencesOf(await readTables(restored), demoTables)).toEqual([]);
        expect(await definitionsOf(restored.databaseUrl, SCHEMAS)).toEqual(
          await definitionsOf(source.databaseUrl, SCHEMAS),
        );
        expect(restored.version.output()).not.toContain("Building the index");
        expect(restored.version.output()).not.toContain("Counted all names");
      } finally {
        await restored.close();
      }
    },
    PATIENCE_MS,
  );
});

describe("at the joint", () => {
  test(
    "a reorganisation of blocks that the source had leaves nothing, before the start and after it",
    async () => {
      const [first = [], second = [], third = []] = historiesOf({ seed: SEED, runs: 3, steps: 60 });
      await playSteps(local.chain, "joint", first.slice(0, 45));
      await source.waitForHead();
      const [notFinal] = await source.sql<{ rows: number }>(
        `select count(*)::int as rows from _reorg__events`,
      );
      expect(notFinal?.rows).toBeGreaterThan(20);
      const joint = join(folder, "joint");
      expectEnd(await snapshot(source.databaseUrl, "create", joint));
      const [place] = (JSON.parse(readFileSync(join(joint, "manifest.json"), "utf8")) as Manifest).chains;
      const node = await startRpcProxy(local.anvil.url);
      const restored = await prepareFollowed(local, { RPC_URL_31337: node.url });
      try {
        expectEnd(await snapshot(restored.databaseUrl, "restore", joint));
        const [last] = await restored.sql<{ block: number }>(
          "select max(block_number)::int as block from events",
        );
        expect(last?.block).toBeLessThanOrEqual(place?.block_number ?? 0);
        await rpc(local.chain, "anvil_rollback", [15]);
        await playSteps(local.chain, "joint", second.slice(0, 40));
        restored.version.start();
        await restored.version.ready();
        await restored.waitForHead();
        await rpc(local.chain, "anvil_rollback", [5]);
        await playSteps(local.chain, "joint", third.slice(0, 20));
        expect((await judgeStack(restored, local)).differences).toEqual([]);
        await source.waitForHead();
        expect(differencesOf(await readTables(restored), await readTables(source))).toEqual([]);
        const asked = node.recorded.flatMap(({ fromBlock }) =>
          fromBlock === undefined ? [] : [Number(fromBlock)],
        );
        expect(asked.length).toBeGreaterThan(0);
        expect(Math.min(...asked)).toBeGreaterThanOrEqual(place?.block_number ?? 0);
      } finally {
        await restored.close();
        await node.kill();
      }
    },
    PATIENCE_MS,
  );
});
