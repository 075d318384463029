import pg from "pg";
import { inTransaction, type Queries, queriesOf } from "../postgres/client.ts";
import { migrate } from "./migrations.ts";

/** The service's own tables: they survive every re-indexing, and all replicas share them. */
export type Store = Queries & {
  /** Does the work in one transaction. If `work` throws, everything is rolled back and the error is thrown on. */
  transaction: <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

/** Connections of one pool, unless a caller wants fewer. */
const MAX_CONNECTIONS = 8;
/** Also how long a request waits for a free connection of the pool. */
const CONNECT_TIMEOUT_MS = 15_000;
/** All queries here are look-ups by key; a request cannot wait longer for one. */
const STATEMENT_TIMEOUT_MS = 5_000;

/**
 * Opens the store. The first query creates its schema or migrates it. If that fails, the query fails and the next one
 * tries again: a database that was away for a moment requires no restart.
 */
export function openStore({
  databaseUrl,
  schema,
  connections = MAX_CONNECTIONS,
}: {
  databaseUrl: string;
  schema: string;
  connections?: number;
}): Store {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    options: `-c search_path=${schema}`,
    allowExitOnIdle: true,
  });
  // A connection may end at any time: the next query opens another one, or fails.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  let ready: Promise<void> | undefined;
  const prepare = () => {
    ready ??= withPooledClient(pool, (client) => migrate(client, schema)).catch((error) => {
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
    transaction: async (work) => {
      await prepare();
      return withPooledClient(pool, (client) => inTransaction(client, () => work(queriesOf(client))));
    },
    close: () => pool.end(),
  };
}

async function withPooledClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}
