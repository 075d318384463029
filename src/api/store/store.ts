import pg from "pg";
import { migrate } from "./migrations.ts";

/** The service's own tables: what must outlive the index, shared by all replicas. */
export type Store = {
  /** A query on the service's tables, once they are there. */
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  close: () => Promise<void>;
};

const MAX_CONNECTIONS = 4;
const CONNECT_TIMEOUT_MS = 5_000;
/** These are point look-ups; one that takes longer is of no use to a request. */
const STATEMENT_TIMEOUT_MS = 5_000;

/**
 * Opens the store. Its schema is made or brought up to date before the first query; if that fails, the query fails and
 * the next one tries again, so that a database that was away is no reason to restart.
 */
export function openStore({ databaseUrl, schema }: { databaseUrl: string; schema: string }): Store {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    options: `-c search_path=${schema}`,
    allowExitOnIdle: true,
  });
  pool.on("error", () => {}); // An idle connection may end at any time; the next query opens another.
  let ready: Promise<void> | undefined;
  const prepare = () => {
    ready ??= migrateOn(pool, schema).catch((error) => {
      ready = undefined;
      throw error;
    });
    return ready;
  };
  return {
    query: async (text, values) => {
      await prepare();
      return (await pool.query(text, values)).rows;
    },
    close: () => pool.end(),
  };
}

async function migrateOn(pool: pg.Pool, schema: string): Promise<void> {
  const client = await pool.connect();
  try {
    await migrate(client, schema);
  } finally {
    client.release();
  }
}
