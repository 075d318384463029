import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Settings } from "../../settings/settings.ts";
import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import type { Screen } from "../commandLine/progress.ts";
import { type Checking, checkBytes, checkRows } from "./checkFiles.ts";
import { checkIndex } from "./checkIndex.ts";
import { type DuckDb, withDuckDb } from "./duckDb.ts";
import { MANIFEST_FILE, readManifest } from "./manifest.ts";
import { emptyReport, type Report } from "./report.ts";

export type CheckPlan = {
  settings: Pick<Settings, "databaseUrl" | "schema">;
  folder: string;
  screen: Screen;
};

/**
 * Compares an export with its manifest, with itself and with the index. Rows are read only if all files are whole: nothing has to read
 * what others wrote into one of them. `npm run verify` compares an index with the contracts.
 *
 * @throws CommandError if the folder has no export
 */
export async function checkExport({ settings, folder, screen }: CheckPlan): Promise<Report> {
  const manifest = await readManifest(join(folder, MANIFEST_FILE));
  const report = emptyReport();
  await withRoom((duckDb) => check({ folder, manifest, duckDb, report, screen }, settings));
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

async function check(checking: Checking, settings: CheckPlan["settings"]): Promise<void> {
  const { report } = checking;
  if (!(await checkBytes(checking))) {
    report.left.push("rows: read only if all files match the manifest");
    return;
  }
  await checkRows(checking);
  await checkIndex(checking, settings).catch((error: unknown) => {
    report.left.push(`with the index "${settings.schema}": ${reasonOf(error)}`);
  });
}

/** @throws what is no fault of the database */
function reasonOf(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  const { code, message } = error as { code?: string; message?: string };
  if (code === undefined) throw error;
  return onOneLine(message || code);
}
