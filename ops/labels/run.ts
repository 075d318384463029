import { basename } from "node:path";
import pg from "pg";
import type { DatabaseSettings } from "../../settings/database.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { CommandError } from "../commandLine/command.ts";
import { counted } from "../commandLine/counted.ts";
import { describeBytes, startProgress } from "../commandLine/progress.ts";
import type { Result } from "../commandLine/runProgram.ts";
import { DamagedRecord, type LabelSet } from "./forms/record.ts";
import { importTable, type Outcome } from "./importTable.ts";
import { type Lacking, readLacking } from "./lacking.ts";
import { findTable, formOf, type Table } from "./openTable.ts";
import type { ImportOptions } from "./options.ts";
import { importRowsIn } from "./store.ts";

type Run = { options: ImportOptions; settings: DatabaseSettings; signal: AbortSignal };

/** Imports the files in order. Exit code 1 if interrupted. */
export async function importTables({ options, settings, signal }: Run): Promise<Result> {
  const { databaseUrl, serviceDatabaseUrls, schema, serviceSchema } = settings;
  const tables = await Promise.all(options.files.map(findTable));
  const store = openStore({ databaseUrl: serviceDatabaseUrls, schema: serviceSchema });
  try {
    const lines: string[] = [];
    for (const table of tables) {
      const lacking = await withClient(databaseUrl, (client) => readLacking(client, schema));
      const outcome = await importOne(table, { options, lacking, store, signal });
      lines.push(`${table.path}: ${describeOutcome(outcome, lacking)}`);
      if (signal.aborted)
        return { text: [...lines, "Interrupted. Run the same command again to resume."].join("\n"), code: 1 };
    }
    return { text: lines.join("\n") };
  } finally {
    await store.close();
  }
}

async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

type Parts = { options: ImportOptions; lacking: Lacking; store: Store; signal: AbortSignal };

async function importOne(table: Table, { options, lacking, store, signal }: Parts): Promise<Outcome> {
  const form = await formOf(table, options.form);
  const progress = startProgress(process.stderr, {
    title: table.path,
    whole: table.bytes,
    show: describeBytes,
  });
  try {
    return await importTable({
      table,
      form,
      lacking,
      signal,
      set: setOf(table, options),
      rows: importRowsIn(store),
      onRead: progress.add,
    });
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error;
    throw new CommandError(
      `${table.path} is damaged at byte ${error.byte}${table.compression === "none" ? "" : " of its unpacked text"}: ${error.message}.\nIt was read as "${form.name}". Labels before that point are stored. Download the file again, or set its format with --form.`,
    );
  } finally {
    progress.end();
  }
}

const setOf = (table: Table, { id, version }: ImportOptions): LabelSet => ({
  id: id ?? (idIn(basename(table.path)) || "table"),
  version,
});

/** A file's name as the name of a table. */
const idIn = (name: string): string =>
  name
    .toLowerCase()
    .split(".", 1)
    .join()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .slice(0, 50);

function describeOutcome({ records, stored, wrong, unusable }: Outcome, { count }: Lacking): string {
  const more = [
    wrong > 0 && `${wrong} had a wrong hash`,
    unusable > 0 && `${unusable} cannot be part of a name`,
  ].filter(Boolean);
  return [
    `${counted(records, "record")}, ${counted(stored, "label")} stored of ${count} missing in the index`,
    ...more,
  ].join("; ");
}
