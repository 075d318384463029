import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type pg from "pg";
import { type Rows, views } from "./made.ts";

/** All rows of a table, or those matching a condition, as text in a deterministic order. */
export async function rowsInPostgres(
  pool: Pick<pg.Pool, "query">,
  name: string,
  where = "true",
): Promise<Rows> {
  const columns = columnsOf(name).map((column) => `"${column}"::text`);
  const { rows } = await pool.query<{ row: string }>(
    `select json_build_array(${columns.join(", ")})::text as row from "${name}" where ${where}`,
  );
  return rows.map(({ row }) => JSON.stringify(JSON.parse(row))).sort();
}

const columnsOf = (name: string): string[] =>
  views.find((view) => view.name === name)?.columns.map((column) => column.name) ?? [];

const readers = {
  parquet: (files: string) => `read_parquet(${files})`,
  csv: (files: string, types: string) =>
    `read_csv(${files}, header = true, allow_quoted_nulls = false, delim = ',', quote = '"', escape = '"', auto_detect = false, max_line_size = 10000000, buffer_size = 40000000, columns = ${types})`,
  ndjson: (files: string, types: string) =>
    `read_json(${files}, maximum_object_size = 20000000, columns = ${types})`,
};

/** The same rows as an analyst's DuckDB reads them from files. */
export async function rowsInFiles(
  folder: string,
  name: string,
  format: keyof typeof readers = "parquet",
): Promise<Rows> {
  const columns = columnsOf(name);
  const files = readdirSync(join(folder, name)).map((file) => `'${join(folder, name, file)}'`);
  const types = `{${columns.map((column) => `"${column}": 'VARCHAR'`).join(", ")}}`;
  const from = readers[format](`[${files.join(", ")}]`, types);
  // As JSON, because the library drops a leading byte order mark from plain text.
  const rows = await ask(
    `select json_array(${columns.map((column) => `"${column}"::varchar`).join(", ")})::varchar from ${from}`,
  );
  return rows.map(([row]) => JSON.stringify(JSON.parse(row ?? ""))).sort();
}

/** Queries an empty DuckDB, as an analyst does. */
export async function ask(sql: string, ...before: string[]): Promise<(string | null)[][]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    for (const statement of before) await connection.run(statement);
    const reader = await connection.runAndReadAll(sql);
    return reader.getRowsJson().map((row) => row.map((value) => (value === null ? null : String(value))));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
