import type pg from "pg";
import { databaseLocks } from "../../src/api/server/postgres/advisoryLocks.ts";
import { inTransaction, type Queries, queriesOf, withClient } from "../../src/api/server/postgres/client.ts";
import { migrate } from "../../src/api/server/serviceDb/migrations.ts";

/** Long enough for a lock that is held for a moment; shorter than PostgreSQL's deadlock timeout, which ends a query. */
const LOCK_TIMEOUT_MS = 500;

/** A connection to the database; its search path is the service's own schema. */
export type Connection = Queries & {
  client: pg.ClientBase;
  /**
   * Does the work in one transaction; one at a time in the whole database. Fails with the code 55P03 where another
   * session locks a table or view for longer than half a second: a session that waits for a lock blocks all later ones.
   */
  transaction: (work: () => Promise<void>) => Promise<void>;
};

/** Connects, brings the service's own schema up to date, does the work and ends the connection. */
export async function withConnection<T>(
  { databaseUrl, serviceSchema }: { databaseUrl: string; serviceSchema: string },
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const config = {
    connectionString: databaseUrl,
    options: `-c search_path=${serviceSchema}`,
    application_name: "namedex_release",
  };
  return withClient(config, async (client) => {
    await migrate(client, serviceSchema);
    return work({
      client,
      ...queriesOf(client),
      transaction: (inside) => transact(client, inside),
    });
  });
}

const transact = (client: pg.Client, work: () => Promise<void>): Promise<void> =>
  inTransaction(client, async () => {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query("SELECT pg_advisory_xact_lock($1)", [databaseLocks.moveOfReaders]);
    await work();
  });
