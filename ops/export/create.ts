import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import type { Settings } from "../../settings/settings.ts";
import { pairLocks } from "../../src/api/server/postgres/advisoryLocks.ts";
import { queriesOf, withClient } from "../../src/api/server/postgres/client.ts";
import { takeLock } from "../../src/api/server/postgres/lockedWork.ts";
import { CommandError } from "../commandLine/command.ts";
import { type Progress, type Screen, startProgress } from "../commandLine/progress.ts";
import { atSnapshot, exportSnapshot } from "../snapshot/consistentRead.ts";
import { readChains, readVersion } from "../snapshot/heading.ts";
import type { FileFormat } from "./columns.ts";
import { type DuckDb, withDuckDb } from "./duckDb.ts";
import { clearFolder, finishFolder, noteUnfinished, prepareFolder, stagingOf } from "./folder.ts";
import { requireSameRun, requireWritableOn, stillValid } from "./goOn.ts";
import { writeLog } from "./logs.ts";
import {
  type ExportFile,
  type Heading,
  type Manifest,
  type Position,
  readManifest,
  toManifest,
} from "./manifest.ts";
import { type Index, readIndex, type View } from "./source.ts";
import { writeState } from "./state.ts";
import { chooseTables } from "./tables.ts";
import type { Priority } from "./turns.ts";

/** What to write, and where. */
export type ExportPlan = {
  settings: Pick<Settings, "databaseUrl" | "schema" | "network" | "rpcUrls">;
  folder: string;
  /** Names of views; null for those that answer questions, or those of the older export. */
  tables: readonly string[] | null;
  format: FileFormat;
  /** The manifest of an older export to write on from; null to write all. */
  since: string | null;
  priority: Priority;
  screen: Screen;
};

/** An export at work. */
export type Exporting = {
  folder: string;
  format: FileFormat;
  duckDb: DuckDb;
  config: pg.ClientConfig;
  /** The state that all reads see. */
  snapshot: string;
  index: Index;
  since: Position | null;
  priority: Priority;
  /** Files that are complete, by table. */
  files: Map<string, ExportFile[]>;
  /** Notes on the disk that they are. */
  note: () => Promise<void>;
  progress: Progress;
};

/**
 * Writes views as files, all at the last final block of each chain, while the indexer continues. An interrupted export
 * resumes: complete files of log tables stay.
 *
 * @throws CommandError if there is no complete index, or the folder cannot be used
 */
export async function createExport(plan: ExportPlan): Promise<Manifest> {
  const { settings, folder, since } = plan;
  const older = since === null ? null : await readManifest(since);
  const config = configOf(settings);
  return withClient(config, async (keeper) => {
    await requireAlone(keeper, folder);
    const begun = await prepareFolder(folder);
    const snapshot = await exportSnapshot(keeper);
    const index = await withClient(config, (client) =>
      atSnapshot(client, snapshot, () => readIndex(client, { ...settings, ...plan })),
    );
    const heading = await readHeading(index, plan, older);
    if (older !== null) await requireWritableOn(older, { heading, rpcUrls: settings.rpcUrls });
    const views = viewsOf(index, plan, older);
    if (begun !== null) requireSameRun(begun, { heading, tables: views.map(({ name }) => name) });
    const files = begun === null ? new Map<string, ExportFile[]>() : await stillValid(folder, begun, heading);
    const manifest = () =>
      toManifest(
        heading,
        views.map((view) => tableOf(view, files.get(view.name) ?? [])),
      );
    await clearFolder(folder, manifest());
    await noteUnfinished(folder, manifest());
    const note = () => noteUnfinished(folder, manifest());
    await withDuckDb(stagingOf(folder), (duckDb) =>
      writeViews(views, {
        folder,
        format: plan.format,
        priority: plan.priority,
        duckDb,
        config,
        snapshot,
        index,
        since: heading.since,
        files,
        note,
        progress: progressOf(views, plan, heading),
      }),
    );
    const finished = manifest();
    await finishFolder(folder, finished);
    return finished;
  });
}

const configOf = ({ databaseUrl, schema }: ExportPlan["settings"]): pg.ClientConfig => ({
  connectionString: databaseUrl,
  application_name: `${schema}_export`,
  options: "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c jit=off",
});

async function requireAlone(client: pg.Client, folder: string): Promise<void> {
  if (await takeLock(queriesOf(client), [pairLocks.export, folder])) return;
  throw new CommandError(`Another export into ${folder} is running. Wait for it to finish.`);
}

async function readHeading(index: Index, plan: ExportPlan, older: Manifest | null): Promise<Heading> {
  const chains = await readChains(index, plan.settings);
  return {
    network: plan.settings.network,
    build_id: index.buildId,
    file_format: plan.format,
    versions: { namedex: await readVersion(), postgresql: index.postgresql },
    chains: chains.map(({ checkpoint: _, ...chain }) => chain),
    since: older?.chains ?? null,
  };
}

/** An older export is written on with the tables that it has. */
function viewsOf({ views }: Index, { tables }: ExportPlan, older: Manifest | null): View[] {
  const wanted = tables ?? older?.tables.map(({ name }) => name) ?? null;
  const chosen = chooseTables(
    views.map(({ name }) => name),
    wanted,
  );
  const added = older && chosen.find((name) => !older.tables.some((one) => one.name === name));
  if (added) {
    throw new CommandError(
      `--tables: the older export has no "${added}" to continue from. Export it without --since.`,
    );
  }
  return views.filter(({ name }) => chosen.includes(name));
}

const tableOf = ({ name, kind, columns, order }: View, files: ExportFile[]): Manifest["tables"][number] => ({
  name,
  kind,
  columns,
  sorted_by: [...order],
  files,
  rows: files.reduce((sum, { rows }) => sum + rows, 0),
});

const inRows = (rows: number): string => `${Math.round(rows).toLocaleString("en")} rows`;

/** An export that continues another one does not know its number of log rows. */
function progressOf(views: readonly View[], { screen }: ExportPlan, { since }: Heading): Progress {
  const counted = views.filter(({ kind }) => since === null || kind === "state");
  const whole = counted.reduce((sum, { expectedRows }) => sum + expectedRows, 0);
  return startProgress(screen, { title: "Writing rows", whole, show: inRows });
}

/** Log tables come first: if the export is interrupted, their files stay valid at any later position. */
async function writeViews(views: readonly View[], exporting: Exporting): Promise<void> {
  for (const view of views) await mkdir(join(exporting.folder, view.name), { recursive: true });
  for (const view of views.filter(({ kind }) => kind === "log")) await writeLog(exporting, view);
  for (const view of views.filter(({ kind }) => kind === "state")) await writeState(exporting, view);
  exporting.progress.finish();
}
