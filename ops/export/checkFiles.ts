import { stat } from "node:fs/promises";
import { join } from "node:path";
import { measureFile } from "../../engine/sources/archiveManifest.ts";
import { describeBytes, type Screen, startProgress } from "../commandLine/progress.ts";
import { type Column, quoted } from "./columns.ts";
import type { DuckDb } from "./duckDb.ts";
import { listFiles } from "./folder.ts";
import { readFiles } from "./formats.ts";
import { type ExportFile, type ExportTable, MANIFEST_FILE, type Manifest } from "./manifest.ts";
import type { Report } from "./report.ts";
import { readBack } from "./write.ts";

/** A folder whose files are checked. */
export type Checking = {
  folder: string;
  manifest: Manifest;
  duckDb: DuckDb;
  report: Report;
  screen: Screen;
};

/** Compares the folder's files with the manifest, byte by byte. @returns whether all are there and whole */
export async function checkBytes({ folder, manifest, report, screen }: Checking): Promise<boolean> {
  const before = report.faults.length;
  const files = manifest.tables.flatMap((table) => table.files);
  const wanted = new Set([...files.map(({ file }) => file), MANIFEST_FILE]);
  for (const file of await listFiles(folder)) {
    if (!wanted.has(file)) report.faults.push(`${file} is not in the manifest: it belongs to another export`);
  }
  const whole = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = startProgress(screen, { title: "Reading files", whole, show: describeBytes });
  for (const file of files) {
    const fault = await faultOf(folder, file, progress.add);
    if (fault !== null) report.faults.push(`${file.file} ${fault}`);
  }
  progress.end();
  const isWhole = report.faults.length === before;
  if (isWhole) {
    report.equal.push(
      `${files.length} files, ${describeBytes(whole)}: sizes and checksums match the manifest`,
    );
  }
  return isWhole;
}

async function faultOf(
  folder: string,
  { file, bytes, sha256 }: ExportFile,
  onBytes: (bytes: number) => void,
): Promise<string | null> {
  const path = join(folder, file);
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) return "is missing";
  if (found.size !== bytes) return `has ${found.size} bytes; the manifest says ${bytes}`;
  const read = await measureFile(path, onBytes);
  return read.sha256 === sha256 ? null : "was changed: its checksum differs from the manifest";
}

/** Compares the rows of all files with the manifest, and with each other. */
export async function checkRows(checking: Checking): Promise<void> {
  const { manifest, report } = checking;
  const before = report.faults.length;
  for (const table of manifest.tables) {
    checkRanges(table, manifest, report);
    for (const file of table.files) await checkFile(checking, table, file);
    await checkPosition(checking, table);
  }
  await checkEvents(checking);
  if (report.faults.length > before) return;
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  report.equal.push(
    `${rows.toLocaleString("en")} rows of ${manifest.tables.length} tables: columns, counts and sums match the manifest; no row is from a later block`,
  );
}

/** Ranges of a log table follow each other, and end with the position. */
function checkRanges(
  { name, kind, rows, files }: ExportTable,
  { chains, since }: Manifest,
  report: Report,
): void {
  const counted = files.reduce((sum, file) => sum + file.rows, 0);
  if (counted !== rows)
    report.faults.push(`${name} has ${rows} rows in the manifest, but ${counted} in its files`);
  if (files.length === 0) report.faults.push(`${name} has no file`);
  if (kind === "state") return;
  for (const { chain_id, block_number } of chains) {
    let after = since?.find((chain) => chain.chain_id === chain_id)?.block_number ?? -1;
    for (const { file, first_block, last_block } of files.filter((one) => one.chain_id === chain_id)) {
      const [first, last] = [first_block ?? -1, last_block ?? -1];
      if (first <= after || last < first || last > block_number) {
        report.faults.push(`${file} covers blocks ${first} to ${last}, which the export does not have there`);
      }
      after = last;
    }
  }
}

async function checkFile(
  { folder, manifest, duckDb, report }: Checking,
  table: ExportTable,
  file: ExportFile,
) {
  const path = join(folder, file.file);
  const format = manifest.file_format;
  try {
    const rows = readFiles([path], table.columns, format);
    const columns = await describe(duckDb, rows);
    if (JSON.stringify(columns) !== JSON.stringify(table.columns)) {
      report.faults.push(`${file.file} has different columns than the manifest says`);
      return;
    }
    const read = await readBack({ duckDb, format }, table, path);
    if (read.rows !== file.rows || read.fingerprint !== file.fingerprint) {
      report.faults.push(
        `${file.file} has different rows than the manifest says (${read.rows} instead of ${file.rows})`,
      );
    }
    if (file.chain_id !== null) await checkBlocks(duckDb, { rows, file, report });
  } catch (error) {
    report.faults.push(`cannot read ${file.file}: ${(error as Error).message}`);
  }
}

const describe = (duckDb: DuckDb, rows: string): Promise<Column[]> =>
  duckDb.read<Column>(
    `select column_name as name, column_type as type from (describe select * from ${rows})`,
  );

async function checkBlocks(
  duckDb: DuckDb,
  { rows, file, report }: { rows: string; file: ExportFile; report: Report },
): Promise<void> {
  const [found] = await duckDb.read<{ strange: string }>(
    `select count(*)::text as strange from ${rows}
     where chain_id <> ${file.chain_id} or block_number < ${file.first_block} or block_number > ${file.last_block}`,
  );
  if (found?.strange === "0") return;
  report.faults.push(`${file.file} has ${found?.strange} rows of blocks outside its range`);
}

/** Columns that name a row's block, in any table that has them. */
const blockColumns = ["block_number", "created_block_number", "last_owned_block_number"];

async function checkPosition(checking: Checking, table: ExportTable): Promise<void> {
  const { manifest, report } = checking;
  const names = table.columns.map(({ name }) => name);
  const own = blockColumns.filter((name) => names.includes(name));
  if (own.length === 0 || !names.includes("chain_id")) return;
  const later = manifest.chains.map(
    ({ chain_id, block_number }) =>
      `chain_id = ${chain_id} and greatest(${own.map(quoted).join(", ")}) > ${block_number}`,
  );
  const ids = manifest.chains.map(({ chain_id }) => chain_id).join(", ");
  const where = `(${later.join(" or ")}) or chain_id not in (${ids})`;
  const strange = await countStrange(checking, table, `${rowsOf(checking, table)} where ${where}`);
  if (strange > 0)
    report.faults.push(`${table.name} has ${strange} rows of blocks after the export's position`);
}

/** Number of rows that must not exist. An unreadable file is a fault too. */
async function countStrange(
  { duckDb, report }: Checking,
  { name }: ExportTable,
  from: string,
): Promise<number> {
  try {
    const [found] = await duckDb.read<{ strange: string }>(`select count(*)::text as strange from ${from}`);
    return Number(found?.strange);
  } catch (error) {
    report.faults.push(`cannot read ${name}: ${(error as Error).message}`);
    return 0;
  }
}

/**
 * Each row of a change belongs to a log, which is in `events`: files of two exports do not fit together. Of both, one range of
 * blocks is looked at at a time.
 */
async function checkEvents(checking: Checking): Promise<void> {
  const { manifest, report } = checking;
  const events = manifest.tables.find(({ name }) => name === "events");
  const changes = manifest.tables.filter(({ name, kind }) => kind === "log" && name !== "events");
  if (changes.length === 0) return;
  if (events === undefined) {
    report.left.push("changes with their events: the export has no events");
    return;
  }
  const before = report.faults.length;
  for (const table of changes) {
    for (const file of table.files.filter(({ chain_id }) => chain_id !== null)) {
      const inRange = `chain_id = ${file.chain_id} and block_number between ${file.first_block} and ${file.last_block}`;
      if (!(await putLogs(checking, events, inRange))) return;
      const own = rowsOf(checking, { ...table, files: [file] });
      const from = `${own} anti join logs using (chain_id, block_number, log_index)`;
      const strange = await countStrange(checking, table, from);
      if (strange > 0) report.faults.push(`${table.name} has ${strange} rows whose event is not in events`);
    }
  }
  if (report.faults.length === before) report.equal.push("each change has its event");
}

/**
 * Puts the logs of a range into the table `logs`: one reader of files works at a time, because each has buffers for the largest
 * row.
 *
 * @returns whether they can be read
 */
async function putLogs(checking: Checking, events: ExportTable, where: string): Promise<boolean> {
  const select = `select chain_id, block_number, log_index from ${rowsOf(checking, events)} where ${where}`;
  try {
    await checking.duckDb.run(`create or replace table logs as ${select}`);
    return true;
  } catch (error) {
    checking.report.faults.push(`cannot read events: ${(error as Error).message}`);
    return false;
  }
}

/** SQL for the rows of a table. */
const rowsOf = ({ folder, manifest }: Pick<Checking, "folder" | "manifest">, table: ExportTable): string =>
  readFiles(
    table.files.map(({ file }) => join(folder, file)),
    table.columns,
    manifest.file_format,
  );
