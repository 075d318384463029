import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { readDdl } from "../../test/query/tables.ts";
import { stateTableStatements, writeCheckpoint, writeState } from "../../test/support/ponderState.ts";
import { generateWorld } from "./world.ts";
import { blockAt, type Put } from "./worldLog.ts";
import { WORLD_TIME } from "./worldTime.ts";

/** Schema of the generated tables. */
export const SCHEMA = "namedex_index";

/** How many names of the main chain there are, and of Base. */
export type WorldSize = { names: number; base: number };

/** What decides about the rows. */
const sources = [
  "chance",
  "words",
  "world",
  "worldAgents",
  "worldBase",
  "worldContracts",
  "worldLog",
  "worldTime",
].map((file) => `./${file}.ts`);

/** Which world a database holds; one with another mark, made by another generator or for other tables, is generated again. */
export const WORLD_MARK = [...sources, "../../ponder.schema.ts"]
  .reduce((hash, file) => hash.update(readFileSync(new URL(file, import.meta.url))), createHash("sha256"))
  .digest("hex");

/** Builds the index's tables as Ponder does: enums, tables, rows, then the indexes, and the rows that say it is ready. */
export async function fillDatabase(
  pool: pg.Pool,
  { names, base, say }: WorldSize & { say: (text: string) => void },
): Promise<void> {
  const { enums, tables, views, indexes } = await readDdl();
  const client = await pool.connect();
  try {
    await client.query(
      `drop schema if exists ${SCHEMA} cascade; create schema ${SCHEMA}; set search_path to ${SCHEMA}, public`,
    );
    for (const statement of [...enums, ...tables, ...views, ...stateTableStatements])
      await client.query(statement);
    say(`generating ${names.toLocaleString("en")} names, and ${base.toLocaleString("en")} of Base`);
    await copyWorld(client, { names, base });
    say("bringing logs and changes into the order of the chain, in which an indexer writes them");
    for (const table of ["events", "ownership_changes", "resolver_changes", "primary_name_changes"]) {
      await client.query(`cluster ${table} using ${await primaryKeyOf(client, table)}`);
    }
    say("building the indexes");
    for (const statement of indexes) await client.query(statement);
    await client.query("vacuum analyze");
    await writeState(client, {
      buildId: WORLD_MARK,
      chainName: "mainnet",
      chainId: 1,
      block: blockAt(WORLD_TIME),
      time: WORLD_TIME,
    });
    if (base > 0) {
      const place = { chainId: 8453, block: 41_000_000, time: WORLD_TIME };
      await writeCheckpoint(client, { chainName: "base", ...place });
    }
  } finally {
    client.release();
  }
}

async function primaryKeyOf(client: pg.PoolClient, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    "select indexrelid::regclass::text as name from pg_index where indrelid = $1::regclass and indisprimary",
    [table],
  );
  return rows[0]?.name ?? "";
}

/** Writes each table to a file, and has PostgreSQL read the files. */
async function copyWorld(client: pg.PoolClient, size: WorldSize): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "namedex-bench-"));
  chmodSync(folder, 0o755);
  try {
    const files = await openFiles(client, folder);
    const put: Put = (table, row) => files.get(table)?.write(row);
    generateWorld({ ...size, put });
    for (const [table, file] of files) {
      file.close();
      await client.query(`copy ${table} from '${file.path}'`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type CopyFile = { path: string; write: (row: Record<string, unknown>) => void; close: () => void };

async function openFiles(client: pg.PoolClient, folder: string): Promise<Map<string, CopyFile>> {
  mkdirSync(folder, { recursive: true });
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select table_name as "table", array_agg(column_name::text order by ordinal_position) as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = $1 and table_type = 'BASE TABLE' and table_name not like '\\_%' group by 1`,
    [SCHEMA],
  );
  return new Map(rows.map(({ table, columns }) => [table, openFile(join(folder, table), columns)]));
}

const FLUSH_LENGTH = 1 << 20;

function openFile(path: string, columns: string[]): CopyFile {
  const file = openSync(path, "w", 0o644);
  let text = "";
  const flush = () => {
    writeSync(file, text);
    text = "";
  };
  return {
    path,
    write: (row) => {
      text += `${columns.map((column) => cellOf(row[column])).join("\t")}\n`;
      if (text.length > FLUSH_LENGTH) flush();
    },
    close: () => {
      flush();
      closeSync(file);
    },
  };
}

const cellOf = (value: unknown): string => (value === null || value === undefined ? "\\N" : String(value));
