import { join } from "node:path";
import { measureFile } from "../../engine/sources/archiveManifest.ts";
import { syncPath } from "../files/durable.ts";
import { type FileFormat, fingerprintInDuckDb, quoted } from "./columns.ts";
import type { DuckDb } from "./duckDb.ts";
import { copyStatement, readFiles, readStaged } from "./formats.ts";
import type { ExportFile } from "./manifest.ts";
import type { View } from "./source.ts";

/** Where files go. */
export type Target = { duckDb: DuckDb; folder: string; format: FileFormat };

/** Rows that were staged, and how many PostgreSQL counted. */
export type Staged = { files: readonly string[]; rows: number };

/** What describes a file besides its rows. */
export type Named = Pick<ExportFile, "file" | "chain_id" | "first_block" | "last_block">;

/**
 * Sorts staged rows and writes them to files of at most `most` rows each; one empty file without rows.
 *
 * @param nameOf names the file of a number, from 0 on
 */
export async function writeSorted(
  { duckDb, folder, format }: Target,
  view: View,
  { staged, most, nameOf }: { staged: Staged; most: number; nameOf: (number: number) => Named },
): Promise<ExportFile[]> {
  const order = view.order.map((name) => `${quoted(name)} nulls first`).join(", ");
  await duckDb.run(
    `create or replace table sorted as select * from ${readStaged(staged.files, view.columns)} order by ${order}`,
  );
  await requireRows(duckDb, view, staged.rows);
  const files: ExportFile[] = [];
  for (let from = 0; from === 0 || from < staged.rows; from += most) {
    const select = `select * from sorted where rowid >= ${from} and rowid < ${from + most}`;
    const named = nameOf(files.length);
    const path = join(folder, named.file);
    await duckDb.run(copyStatement(select, path, format));
    await syncPath(path);
    files.push({
      ...named,
      ...(await readBack({ duckDb, format }, view, path)),
      ...(await measureFile(path)),
    });
  }
  await duckDb.run("drop table sorted");
  requireSum(view, staged.rows, files);
  return files;
}

/** Rows and fingerprint of a file, as one that reads it sees them. */
export async function readBack(
  { duckDb, format }: Pick<Target, "duckDb" | "format">,
  { columns }: Pick<View, "columns">,
  path: string,
): Promise<Pick<ExportFile, "rows" | "fingerprint">> {
  const names = columns.map(({ name }) => name);
  const [row] = await duckDb.read<{ rows: string; fingerprint: string }>(
    `select count(*)::text as rows, ${fingerprintInDuckDb(names)} as fingerprint from ${readFiles([path], columns, format)}`,
  );
  return { rows: Number(row?.rows), fingerprint: row?.fingerprint ?? "" };
}

async function requireRows(duckDb: DuckDb, { name }: View, expected: number): Promise<void> {
  const [row] = await duckDb.read<{ rows: string }>("select count(*)::text as rows from sorted");
  if (Number(row?.rows) === expected) return;
  throw new Error(`${name}: PostgreSQL sent ${expected} rows, and DuckDB has ${row?.rows}`);
}

function requireSum({ name }: View, expected: number, files: readonly ExportFile[]): void {
  const written = files.reduce((sum, { rows }) => sum + rows, 0);
  if (written === expected) return;
  throw new Error(`${name}: ${expected} rows were sorted, and the files have ${written}`);
}
