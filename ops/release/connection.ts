import type pg from "pg";
import { inTransaction, withClient } from "../../src/api/serviceDb/client.ts";
import { migrate } from "../../src/api/serviceDb/migrations.ts";
import type { Queries } from "../../src/api/serviceDb/store.ts";

/** Long enough for a lock that is held for a moment; shorter than PostgreSQL's search for deadlocks, which ends sessions. */
const LOCK_TIMEOUT_MS = 500;
/** Number of the lock under which one process at a time changes what readers are sent to; any that nobody else uses. */
const LOCK = 6_263_922_018;

/** A connection to the database; unqualified names are those of the service's own schema. */
export type Connection = Queries & {
  client: pg.ClientBase;
  /**
   * Queries that are done all or not at all, one such at a time in the whole database. Fails with the code 55P03 where
   * somebody holds a table or view for longer than half a second: whoever waits for locks holds up all that come after.
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
      query: async (text, values) => (await client.query(text, values)).rows,
      transaction: (inside) => transact(client, inside),
    });
  });
}

const transact = (client: pg.Client, work: () => Promise<void>): Promise<void> =>
  inTransaction(client, async () => {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    await work();
  });
