import pg from "pg";

/**
 * Connects, does the work and ends the connection. For programs, and for work that needs a connection now and then.
 *
 * @example await withClient({ connectionString: databaseUrl }, (client) => client.query("SELECT 1"))
 */
export async function withClient<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config);
  client.on("error", () => {}); // The server may close the connection at any time: the running query then fails.
  await client.connect().catch((error: unknown) => {
    throw firstOf(error);
  });
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Where a host has several addresses, Node puts their errors into one error that has no message of its own. */
const firstOf = (error: unknown): unknown => (error instanceof AggregateError ? error.errors[0] : error);

/** Something that can be queried: a pool, one connection, or one transaction. */
export type Queries = {
  /** Gives the rows. */
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
};

/** Queries on one connection. */
export const queriesOf = (client: pg.ClientBase): Queries => ({
  query: async (text, values) => (await client.query(text, values)).rows,
});

/** Queries on one connection that several parts share: each is sent when the one before has ended. */
export function queriesInOrder(client: pg.ClientBase): Queries {
  const { query } = queriesOf(client);
  let last: Promise<unknown> = Promise.resolve();
  return {
    query: (text, values) => {
      const next = last.then(() => query(text, values)) as ReturnType<Queries["query"]>;
      last = next.catch(() => {});
      return next as never;
    },
  };
}

/**
 * Does the work in one transaction: all of it or nothing. If `work` throws, everything is rolled back and the error is
 * thrown on.
 *
 * @example await inTransaction(client, () => client.query("INSERT …"))
 */
export async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query("BEGIN");
  try {
    const result = await work();
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {}); // The first error says more.
    throw error;
  }
}
