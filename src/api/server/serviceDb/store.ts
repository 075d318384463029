import { inTransaction, type Queries, queriesOf } from "../postgres/client.ts";
import { openPrimaryPool } from "../postgres/primaryPool.ts";
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
  /** With several servers, the primary is used. */
  databaseUrl: string | readonly string[];
  schema: string;
  connections?: number;
}): Store {
  const primary = openPrimaryPool({
    urls: [databaseUrl].flat(),
    config: {
      max: connections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      options: `-c search_path=${schema}`,
      allowExitOnIdle: true,
    },
    prepare: (client) => migrate(client, schema),
  });
  return {
    query: (text, values) => primary.use(async (client) => (await client.query(text, values)).rows),
    transaction: (work) => primary.use((client) => inTransaction(client, () => work(queriesOf(client)))),
    close: () => primary.close(),
  };
}
