import { join } from "node:path";
import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import type { Screen } from "../commandLine/progress.ts";
import { type ChainSettings, checkChains } from "./checkChain.ts";
import { checkBytes, checkRows } from "./checkFiles.ts";
import { checkIndex } from "./checkIndex.ts";
import { withDuckDb } from "./duckDb.ts";
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
  await withDuckDb(null, async (duckDb) => {
    const checking = { folder, manifest, duckDb, report, screen };
    if (!(await checkBytes(checking))) {
      report.left.push("rows: read only if all files are those of the manifest");
      return;
    }
    await checkRows(checking);
    await checkIndex(checking, settings).catch((error: unknown) => {
      report.left.push(`with the index "${settings.schema}": ${reasonOf(error)}`);
    });
    await checkChains(checking, { settings, ...sampling });
  });
  return report;
}

/** @throws what is no fault of the database */
function reasonOf(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  const { code, message } = error as { code?: string; message?: string };
  if (code === undefined) throw error;
  return onOneLine(message || code);
}
