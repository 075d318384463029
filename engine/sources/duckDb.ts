// DuckDB, as a library of this process, for Parquet files.

import type { DuckDBConnection } from "@duckdb/node-api";
import { SourceError } from "./logSource.ts";

/** What it may take beside the indexer. */
export const MEMORY_LIMIT = "256MiB";

/** A database in memory. It may load no extension: it would fetch one from the network. */
export async function openDuckDb(): Promise<DuckDBConnection> {
  const { DuckDBInstance } = await import("@duckdb/node-api").catch((error: Error) => {
    throw new SourceError(`an archive needs DuckDB, which cannot be loaded: ${error.message.split("\n")[0]}`);
  });
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: MEMORY_LIMIT,
    threads: "2",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
  });
  return instance.connect();
}

/** A text in SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Gives the columns of some thousand rows at a time. */
export async function* readColumns(connection: DuckDBConnection, sql: string): AsyncIterable<unknown[][]> {
  const result = await connection.stream(sql);
  for (
    let chunk = await result.fetchChunk();
    chunk !== null && chunk.rowCount > 0;
    chunk = await result.fetchChunk()
  ) {
    yield chunk.getColumns() as unknown[][];
  }
}
