import { checkPart } from "../../engine/sources/archive.ts";
import { filesOf, type Manifest, readManifest, requireFiles } from "../../engine/sources/archiveManifest.ts";
import { openDuckDb } from "../../engine/sources/duckDb.ts";
import { SourceError } from "../../engine/sources/logSource.ts";
import type { Settings } from "../../settings/settings.ts";
import { CommandError } from "../commandLine/command.ts";
import { counted } from "../commandLine/counted.ts";
import { describeBytes, type Screen, startProgress } from "../commandLine/progress.ts";
import type { Result } from "../commandLine/runProgram.ts";
import { explain } from "../export/explain.ts";
import { chainOf } from "../verify/chains.ts";
import { createArchive } from "./create.ts";
import type { LogsOptions } from "./options.ts";

type Run = { settings: () => Settings; screen: Screen };

/** Does what the command line asks for. @throws CommandError that says what the operator can do */
export async function runLogs(options: LogsOptions, run: Run): Promise<Result> {
  try {
    if (options.what === "export") return { text: await write(options, run) };
    const { manifest } = await readManifest(options.folder);
    if (options.what === "check") await check(options.folder, manifest, run.screen);
    const text = summaryOf(options.folder, manifest);
    return { text: options.what === "check" ? `${text} All files match the manifest.` : text };
  } catch (error) {
    if (error instanceof SourceError) throw new CommandError(`${error.message}.`);
    throw error;
  }
}

async function write(
  { folder, chainId }: Extract<LogsOptions, { what: "export" }>,
  run: Run,
): Promise<string> {
  const settings = run.settings();
  const chain = chainOf(settings.deployment, chainId).chainId;
  const manifest = await createArchive({
    folder,
    chainId: chain,
    databaseUrl: settings.databaseUrl,
    screen: run.screen,
  }).catch((error: Error) => {
    throw error instanceof SourceError ? error : new CommandError(explain(error));
  });
  return summaryOf(folder, manifest);
}

async function check(folder: string, manifest: Manifest, screen: Screen): Promise<void> {
  await requireFiles(folder, manifest);
  const duckDb = await openDuckDb();
  const progress = startProgress(screen, {
    title: "Checking",
    whole: bytesOf(manifest),
    show: describeBytes,
  });
  for (const part of manifest.parts) {
    await checkPart(duckDb, folder, part);
    progress.add(filesOf(part).reduce((sum, { bytes }) => sum + bytes, 0));
  }
  progress.end();
  duckDb.closeSync();
}

const bytesOf = ({ parts }: Manifest): number =>
  parts.flatMap(filesOf).reduce((sum, { bytes }) => sum + bytes, 0);

function summaryOf(folder: string, manifest: Manifest): string {
  const { chain_id, first, last, filters, parts, created_at } = manifest;
  const rows = (table: "logs" | "transactions" | "blocks") =>
    parts.reduce((sum, part) => sum + part[table].rows, 0);
  const what = `${rows("logs").toLocaleString("en")} logs in ${rows("transactions").toLocaleString("en")} transactions and ${rows("blocks").toLocaleString("en")} blocks`;
  return `${folder} has ${what} of chain ${chain_id}, blocks ${first.number} to ${last.number}, for ${counted(Object.keys(filters).length, "filter")}: ${describeBytes(bytesOf(manifest))}, written ${created_at}.`;
}
