import pg from "pg";
import { inTransaction } from "./client.ts";
import { migrate } from "./migrations.ts";

/** What can be asked of the service's tables: by the store, or inside one transaction. */
export type Queries = {
  /** A query on the service's tables, once they are there. */
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
};

/** The service's own tables: what must outlive the index, shared by all replicas. */
export type Store = Queries & {
  /** Queries that are done all or not at all; whatever `work` throws undoes them and is thrown on. */
  transaction: <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

const MAX_CONNECTIONS = 8;
/** Also how long a request waits for a free connection: a crowd of them takes a while. */
const CONNECT_TIMEOUT_MS = 15_000;
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
  // A connection may end at any time, idle or between two queries: the next one opens another, or fails by itself.
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
      return withPooledClient(pool, (client) =>
        inTransaction(client, () =>
          work({ query: async (text, values) => (await client.query(text, values)).rows }),
        ),
      );
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
