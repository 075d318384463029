import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { rpc } from "../../../devnet/acts.ts";
import { differencesOf, readTables } from "../../chain/tables.ts";
import { startRpcProxy } from "../../live/rpcProxy.ts";
import { ask } from "../../support/database.ts";
import { historiesOf, playSteps } from "../../truth/steps.ts";
import { judgeStack } from "../../truth/trial.ts";
import { waitFor } from "../versions.ts";
import { definitionsOf, rowsOf } from "./definitions.ts";
import { type Followed, prepareFollowed } from "./followed.ts";
import {
  expectEnd,
  isTended,
  OTHER_CHAIN,
  PATIENCE_MS,
  readManifestOf,
  type SnapshotStage,
  secrets,
} from "./stage.ts";

const SEED = 71_077;
const SCHEMAS = ["namedex_index", "namedex", "namedex_cache"];
const CACHED = [
  "blocks",
  "transactions",
  "logs",
  "rpc_request_results",
  "factories",
  "factory_addresses",
  "intervals",
];

export function restoresWhole(stageOf: () => SnapshotStage): void {
  describe("a snapshot of a finished index", () => {
    test("has every table, and nothing of the service", async () => {
      const { snapshot, demo, demoTables } = stageOf();
      const { stdout } = await snapshot("postgresql://user@127.0.0.1:1/none", "inspect", demo);
      for (const [table, { length }] of demoTables) {
        if (length > 0) expect(stdout).toMatch(new RegExp(`^${table} +${length.toLocaleString("en")} `, "m"));
      }
      expect(stdout).toMatch(/^cache: logs +\d/m);
      expect(stdout).toContain("domains_name_trgm");
      const parts = readdirSync(demo).filter((file) => file.endsWith(".zst"));
      const text = parts
        .map((file) => zstdDecompressSync(readFileSync(join(demo, file))).toString())
        .join("");
      expect(text.includes("alice.eth")).toBe(true);
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
      const tables = [...demoTables.keys(), "blocks", ...CACHED.map((table) => `cache_${table}`)];
      expect(parts.filter((file) => !tables.includes(file.replace(/-\d+\.zst$/, "")))).toEqual([]);
    });

    test("has the journal up to the snapshot's block, with its hash", () => {
      const { demo } = stageOf();
      const [chain] = readManifestOf(demo).chains;
      const files = readdirSync(demo).filter((file) => /^blocks-\d+\.zst$/.test(file));
      const rows = files
        .flatMap((file) =>
          zstdDecompressSync(readFileSync(join(demo, file)))
            .toString()
            .trim()
            .split("\n"),
        )
        .map((line) => line.split("\t"))
        .sort((a, b) => Number(a[1]) - Number(b[1]));
      expect(rows.at(-1)?.slice(0, 3)).toEqual([
        String(chain?.chain_id),
        String(chain?.block_number),
        chain?.block_hash,
      ]);
    });

    test(
      "restored into an empty database has every row of the index and of the cache",
      async () => {
        const restored = await prepareFollowed(stageOf().local);
        try {
          await expectRestored(stageOf(), restored);
        } finally {
          await restored.close();
        }
      },
      PATIENCE_MS,
    );
  });
}

/**
 * Restores the demo into an empty database. It has the rows of the index and of the cache, and
 * continues its sequences from there.
 */
async function expectRestored(
  { snapshot, demo, demoTables, source }: SnapshotStage,
  restored: Followed,
): Promise<void> {
  const { databaseUrl } = restored;
  expectEnd(await snapshot(databaseUrl, "restore", demo));
  expect(differencesOf(await readTables(restored), demoTables)).toEqual([]);
  const ofSource = await rowsOf(source.databaseUrl, "namedex_cache", CACHED);
  for (const [table, rows] of ofSource) {
    ofSource.set(
      table,
      rows.filter((row) => !row.includes(String(OTHER_CHAIN))),
    );
  }
  expect(differencesOf(await rowsOf(databaseUrl, "namedex_cache", CACHED), ofSource)).toEqual([]);
  const [last] = await ask<{ id: number }>(
    databaseUrl,
    "select max(id)::int as id from namedex_cache.factories",
  );
  const [inserted] = await ask<{ id: number }>(
    databaseUrl,
    "insert into namedex_cache.factories (factory) values ('{}') returning id",
  );
  expect(inserted?.id).toBe((last?.id ?? 0) + 1);
}

/** A restored index as operators continue with it. The chain must have no later blocks yet. */
export function followsRestored(stageOf: () => SnapshotStage): void {
  test(
    "npm start follows the chain on a restored index and finds every definition there",
    async () => {
      const { local, demoTables, source } = stageOf();
      const restored = await prepareFollowed(local);
      try {
        await expectRestored(stageOf(), restored);
        restored.version.start();
        await restored.version.ready();
        await restored.waitForHead();
        await waitFor(() => isTended(restored.databaseUrl), restored.version.output);
        expect(differencesOf(await readTables(restored), demoTables)).toEqual([]);
        const definitions = await definitionsOf(restored.databaseUrl, SCHEMAS);
        expect(definitions).toEqual(await definitionsOf(source.databaseUrl, SCHEMAS));
        expect(restored.version.output()).not.toContain("Building index");
        expect(restored.version.output()).not.toContain("Counted all names");
      } finally {
        await restored.close();
      }
    },
    PATIENCE_MS,
  );
}

/** A snapshot of blocks that are reverted later, and an indexer that continues from it. */
export function outlivesReorganisations(stageOf: () => SnapshotStage): void {
  test(
    "a reorganisation of the source's last blocks leaves no traces, whether before or after the start",
    async () => {
      const { local, snapshot, source, folder } = stageOf();
      const histories = historiesOf({ seed: SEED, runs: 3, steps: 45 });
      const [first = [], second = [], third = []] = histories;
      await playSteps(local.chain, "joint", first);
      await source.waitForHead();
      const rows = await source.sql<{ rows: number }>("select count(*)::int as rows from _reorg__events");
      expect(rows[0]?.rows, "the source has rows that are not final").toBeGreaterThan(20);
      const joint = join(folder, "joint");
      expectEnd(await snapshot(source.databaseUrl, "create", joint));
      const place = readManifestOf(joint).chains[0]?.block_number ?? Number.NaN;
      const node = await startRpcProxy(local.anvil.url);
      const restored = await prepareFollowed(local, { RPC_URL_31337: node.url });
      try {
        expectEnd(await snapshot(restored.databaseUrl, "restore", joint));
        const last = await restored.sql<{ block: number }>(
          "select max(block_number)::int as block from events",
        );
        expect(last[0]?.block).toBeLessThanOrEqual(place);
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
        // Without the cache, no log that the tables have is requested again.
        const asked = node.recorded.flatMap(({ fromBlock }) =>
          fromBlock === undefined ? [] : [Number(fromBlock)],
        );
        expect(asked.length).toBeGreaterThan(0);
        expect(Math.min(...asked)).toBeGreaterThanOrEqual(place);
      } finally {
        await restored.close();
        await node.kill();
      }
    },
    PATIENCE_MS,
  );
}
