import { availableParallelism } from "node:os";
import type { DuckDBConnection } from "@duckdb/node-api";
import { CommandError } from "../commandLine/command.ts";

// DuckDB sorts rows beyond its memory, writes and reads all three forms of files, and is a library of this process. It is
// loaded by this program alone. It may load no extension: it would fetch one from the network.

/** What DuckDB may take. Its process, with Node.js and its buffers, then stays below 1 GiB. */
const MEMORY_LIMIT = "352MiB";
/** Half of the machine's processors, and not more than this. */
const MAX_THREADS = 4;

/** A database of DuckDB for the time of one piece of work. */
export type DuckDb = {
  run: (sql: string) => Promise<void>;
  /** Gives rows with all values as text; null stays null. */
  read: <Row extends Record<string, string | null>>(sql: string) => Promise<Row[]>;
};

/**
 * Opens a database, does the work, and closes it.
 *
 * @param folder where it puts what does not fit into its memory
 * @throws CommandError if DuckDB cannot run on this machine
 */
export async function withDuckDb<T>(folder: string, work: (duckDb: DuckDb) => Promise<T>): Promise<T> {
  const { DuckDBInstance } = await load();
  const instance = await DuckDBInstance.create(`${folder}/rows.duckdb`, {
    memory_limit: MEMORY_LIMIT,
    threads: String(threads()),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    temp_directory: `${folder}/spill`,
  });
  const connection = await instance.connect();
  try {
    return await work(queriesOf(connection));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const threads = () => Math.max(1, Math.min(MAX_THREADS, Math.floor(availableParallelism() / 2)));

const queriesOf = (connection: DuckDBConnection): DuckDb => ({
  run: async (sql) => {
    await connection.run(sql);
  },
  read: async <Row extends Record<string, string | null>>(sql: string) => {
    const reader = await connection.runAndReadAll(asJson(sql));
    return reader.getRowsJson().map(([row]) => JSON.parse(String(row)) as Row);
  },
});

/** Each row as JSON: of a text alone, the library would leave out a byte order mark at its beginning. */
const asJson = (sql: string): string =>
  `select to_json(texts)::varchar from (select columns(*)::varchar from (${sql}) as found) as texts`;

const load = () =>
  import("@duckdb/node-api").catch((error: Error) => {
    const [reason] = error.message.split("\n");
    throw new CommandError(
      `Cannot load DuckDB, which reads and writes the files: ${reason} It needs Linux with glibc 2.28 or later, macOS or Windows. Install it with \`npm ci\`, without --omit=optional.`,
    );
  });

/** A text in SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
