import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Deployment } from "../../../abis/deployments.ts";
import { type Chain, mineBlocks } from "../../../devnet/acts.ts";
import { JOURNAL } from "../../../engine/ponderInternals.ts";
import { listRestorePoints } from "../../../engine/restorePoint.ts";
import { checkExport } from "../../../ops/export/check.ts";
import { createExport } from "../../../ops/export/create.ts";
import type { Manifest } from "../../../ops/export/manifest.ts";
import { openPool } from "../../support/database.ts";
import type { Stack } from "../../support/stack.ts";
import { names } from "./made.ts";
import { rowsInFiles, rowsInPostgres } from "./read.ts";

/** Ponder treats a block as final once 30 or 65 follow, and checks once twice as many do. */
const SETTLING_BLOCKS = 140;
const PATIENCE = { timeout: 300_000, interval: 200 };
const SILENT = { write: () => {} };

/** An indexed chain and the URL of its node. */
export type ExportedChain = { chainId: number; chain: Chain; url: string };

export type ExportedIndex = {
  stack: Stack;
  deployment: Deployment;
  chains: readonly ExportedChain[];
};

/**
 * Exports all views of an index of several chains, once all that happened is final, and compares each with PostgreSQL.
 * Blocks are added to the chains: it comes last.
 *
 * @param wanted views that must have rows of these chains
 */
export function exportsOfChains(
  indexOf: () => ExportedIndex,
  wanted: Readonly<Record<string, readonly number[]>>,
): void {
  describe("an export of all chains", () => {
    let top: string;
    let folder: string;
    let manifest: Manifest;
    let pool: ReturnType<typeof openPool>;

    const settings = () => {
      const { stack, deployment, chains } = indexOf();
      return {
        databaseUrl: stack.databaseUrl,
        schema: stack.schema,
        network: "devnet" as const,
        deployment,
        rpcUrls: Object.fromEntries(chains.map(({ chainId, url }) => [chainId, [url]])),
        liveRpcUrls: [],
        liveRequestsPerSecond: 1_000,
      };
    };

    beforeAll(async () => {
      top = mkdtempSync(join(tmpdir(), "namedex-chains-"));
      folder = join(top, "all");
      const { stack } = indexOf();
      pool = openPool({
        connectionString: stack.databaseUrl,
        options: `-c search_path=${stack.schema},public`,
      });
      await settle(indexOf());
      manifest = await createExport({
        settings: settings(),
        folder,
        tables: ["all"],
        format: "parquet",
        since: null,
        priority: "normal",
        screen: SILENT,
      });
    });

    afterAll(async () => {
      await pool?.end();
      if (top !== undefined) rmSync(top, { recursive: true, force: true });
    });

    test.each(names)("%s: DuckDB has the rows that PostgreSQL has", async (name) => {
      const rows = await rowsInFiles(folder, name);
      expect(rows).toEqual(
        await rowsInPostgres(pool, name, name === JOURNAL ? finalBlocks(manifest) : "true"),
      );
    });

    test.each(Object.entries(wanted))("%s has rows of each of the chains %j", async (name, chainIds) => {
      const { rows } = await pool.query<{ chain_id: number }>(
        `select distinct chain_id from "${name}" order by chain_id`,
      );
      expect(rows.map(({ chain_id }) => chain_id)).toEqual(expect.arrayContaining([...chainIds]));
    });

    test("the check finds it equal to the index", async () => {
      const report = await checkExport({
        settings: settings(),
        folder,
        screen: SILENT,
      });
      expect([report.faults, report.left]).toEqual([[], []]);
    });
  });
}

/** The export's blocks. The journal also has later ones. */
const finalBlocks = ({ chains }: Manifest): string =>
  chains
    .map(({ chain_id, block_number }) => `chain_id = ${chain_id} and number <= ${block_number}`)
    .join(" or ");

/** Makes everything so far final: each chain's restore point is not before its last log. */
async function settle({ stack, chains }: ExportedIndex): Promise<void> {
  for (const { chain } of chains) await mineBlocks(chain, { count: SETTLING_BLOCKS });
  const last = await stack.sql<{ chain_id: number; block: number }>(
    "select chain_id, max(block_number) as block from events group by 1",
  );
  const lastOf = new Map(last.map(({ chain_id, block }) => [chain_id, block]));
  await vi.waitFor(async () => {
    for (const { chainId, blockNumber } of await listRestorePoints(stack.sql, stack.schema))
      expect(blockNumber, `of ${chainId}`).toBeGreaterThanOrEqual(lastOf.get(chainId) ?? 0);
  }, PATIENCE);
}
