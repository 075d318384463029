import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import type { Screen } from "../commandLine/progress.ts";
import { type ChainSettings, checkChains, type Sampling } from "./checkChain.ts";
import { type Checking, checkBytes, checkRows } from "./checkFiles.ts";
import { checkIndex } from "./checkIndex.ts";
import { type DuckDb, withDuckDb } from "./duckDb.ts";
import { MANIFEST_FILE, readManifest } from "./manifest.ts";
import { emptyReport, type Report } from "./report.ts";

export type CheckPlan = {
  settings: ChainSettings;
  folder: string;
  samples: number;
  seed: number;
  screen: Screen;
};

/**
 * Compares an export with its manifest, with itself, with the index and with the contracts. Rows are read only if all files
 * are whole: what others wrote into one of them need not be read by anything.
 *
 * @throws CommandError if the folder has no export
 */
export async function checkExport({ settings, folder, screen, ...sampling }: CheckPlan): Promise<Report> {
  const manifest = await readManifest(join(folder, MANIFEST_FILE));
  const report = emptyReport();
  await withRoom((duckDb) => check({ folder, manifest, duckDb, report, screen }, { settings, ...sampling }));
  return report;
}

/** A new folder for what does not fit into memory: the one that is checked may be read-only. */
async function withRoom<T>(work: (duckDb: DuckDb) => Promise<T>): Promise<T> {
  const room = await mkdtemp(join(tmpdir(), "namedex-check-"));
  try {
    return await withDuckDb(room, work);
  } finally {
    await rm(room, { recursive: true, force: true });
  }
}

async function check(checking: Checking, sampling: Sampling): Promise<void> {
  const { report } = checking;
  const { settings } = sampling;
  if (!(await checkBytes(checking))) {
    report.left.push("rows: read only if all files are those of the manifest");
    return;
  }
  const isSound = await checkRows(checking);
  await checkIndex(checking, settings).catch((error: unknown) => {
    report.left.push(`with the index "${settings.schema}": ${reasonOf(error)}`);
  });
  if (isSound) await checkChains(checking, sampling);
  else report.left.push("with the contracts: only rows that are those of the manifest");
}

/** @throws what is no fault of the database */
function reasonOf(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  const { code, message } = error as { code?: string; message?: string };
  if (code === undefined) throw error;
  return onOneLine(message || code);
}
