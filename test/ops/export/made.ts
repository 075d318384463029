import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkExport } from "../../../ops/export/check.ts";
import { createExport, type ExportPlan } from "../../../ops/export/create.ts";
import type { ExportFile, Manifest } from "../../../ops/export/manifest.ts";
import type { Report } from "../../../ops/export/report.ts";
import { readTables } from "../../query/dictionary.ts";
import { fillWithMany } from "../../query/manyRows.ts";
import { CHAIN_ID } from "../../query/rows.ts";
import { createTables, type Tables } from "../../query/tables.ts";
import { startBlockNode } from "../../support/blockNode.ts";
import { setTableNames, settleAt, writeState } from "../../support/ponderState.ts";

// An index of generated rows without an indexer. Some are final and some not, recorded as Ponder
// does.

const BUILD = "0123456789";
export const FINAL_BLOCK = 2_000;
const SILENT = { write: () => {} };

/** The views of the documentation. */
export const views = readTables();
export const names: string[] = views.map(({ name }) => name);

/** An index, with everything its exports need. */
export type MadeIndex = {
  tables: Tables;
  /** An export into a new folder or the given one. */
  write: (plan?: Partial<ExportPlan>) => Promise<{ folder: string; manifest: Manifest }>;
  plan: (plan?: Partial<ExportPlan>) => ExportPlan;
  newFolder: () => string;
  close: () => Promise<void>;
};

export async function openMadeIndex(): Promise<MadeIndex> {
  const tables = await createTables({ fill: fillWithMany(FINAL_BLOCK) });
  const { pool } = tables;
  for (const name of names) {
    await pool.query(
      `create table "_reorg__${name}" (like "${name}", operation_id int, operation int, checkpoint varchar(75))`,
    );
  }
  const index = {
    buildId: BUILD,
    chainName: "devnet",
    chainId: CHAIN_ID,
    block: FINAL_BLOCK,
    time: 1_700_000_000,
  };
  await writeState(pool, index);
  await setTableNames(pool, names);
  await pool.query("delete from primary_names where block_number > $1", [FINAL_BLOCK]);
  await pool.query("analyze");
  const node = await startBlockNode();
  const top = mkdtempSync(join(tmpdir(), "namedex-export-"));
  let folders = 0;
  const newFolder = () => join(top, String(++folders));
  const plan = (more: Partial<ExportPlan> = {}): ExportPlan => ({
    settings: {
      databaseUrl: tables.databaseUrl,
      schema: "public",
      network: "devnet",
      rpcUrls: { [CHAIN_ID]: [node.url] },
    },
    folder: newFolder(),
    tables: ["all"],
    format: "parquet",
    since: null,
    screen: SILENT,
    priority: "normal",
    ...more,
  });
  return {
    tables,
    plan,
    newFolder,
    write: async (more) => {
      const made = plan(more);
      return { folder: made.folder, manifest: await createExport(made) };
    },
    close: async () => {
      node.close();
      rmSync(top, { recursive: true, force: true });
      await tables.drop();
    },
  };
}

/** Marks blocks up to this one as final. */
export const setFinal = ({ tables }: MadeIndex, block: number) =>
  settleAt(tables.pool, { chainId: CHAIN_ID, block, time: 1_700_000_000 + block });

/** Rows of a table as text, in order. */
export type Rows = string[];

/** The result of `npm run export -- --check`. */
export const check = (index: MadeIndex, folder: string): Promise<Report> => {
  const { settings } = index.plan();
  return checkExport({ settings, folder, screen: SILENT });
};

export const readManifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));

export const writeManifest = (folder: string, manifest: Manifest): void =>
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));

export function tableOf({ tables }: Manifest, name: string): Manifest["tables"][number] {
  const table = tables.find((one) => one.name === name);
  if (table === undefined) throw new Error(`the export has no ${name}`);
  return table;
}

export function fileOf(manifest: Manifest, name: string): ExportFile {
  const [file] = tableOf(manifest, name).files;
  if (file === undefined) throw new Error(`${name} has no file`);
  return file;
}
