// Part of the patch ownLock: an index has one writer, which Ponder's row about the index names by a token.

import { randomUUID } from "node:crypto";
import { type Connection, executeAs } from "./connection.ts";
import { metaTable, workerName } from "./ponderInternals.ts";

type Work = (tx: Connection) => Promise<unknown>;
/** A query builder of Ponder; options and logger come before and after the work of a transaction. */
type Builder = { transaction: (...args: unknown[]) => Promise<unknown> };

type Common = {
  logger: { error: (line: { msg: string; schema: string }) => void };
  shutdown: { readonly isKilled: boolean };
};

const execute = executeAs("own_lock");

/** The code with which a supervisor starts a program again. */
const TRY_AGAIN = 75;

/** Unix milliseconds by the database's clock: those of two machines can differ by more than a lock lives. */
const NOW = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** The lock of one run of Ponder on a schema. */
export function createOwnLock(schema: string, { logger, shutdown }: Common) {
  const token = randomUUID();
  const meta = `"${schema}".${metaTable}`;
  const workers = (["feed", "upkeep", "transactions"] as const)
    .map((work) => `'${workerName(schema, work)}'`)
    .join(", ");
  const isOurs = `key = 'app' and value ->> 'owner' = '${token}'`;

  function requireOwned(rows: readonly unknown[]): void {
    if (rows.length > 0) return;
    const msg = "Another indexer took over the schema. This one writes nothing more and ends";
    if (shutdown.isKilled) throw new Error(msg);
    logger.error({ msg, schema });
    process.exit(TRY_AGAIN);
  }

  const setAlive = `value || jsonb_build_object('is_locked', 1, 'owner', '${token}', 'heartbeat_at', ${NOW})`;

  return {
    token,

    /** Lets one program at a time look for the owner of the schema. Returns the database's time. */
    async begin(tx: Connection): Promise<number> {
      const [row] = await execute<{ now: string }>(
        tx,
        `select ${NOW} as now, pg_advisory_xact_lock(hashtext('${meta}'))`,
      );
      return Number(row?.now);
    },

    /**
     * Takes over from an owner without a heartbeat since `heartbeat_at`, and terminates its transactions and those of
     * its feed and upkeep: a frozen process would hold them and their locks for good. False if the owner woke up
     * meanwhile.
     */
    async take(tx: Connection, previous: { heartbeat_at: number }): Promise<boolean> {
      await execute(
        tx,
        // A copy of a database has the same numbers of tables.
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and pg_has_role(usesysid, 'usage') and (application_name in (${workers})
           or pid in (select pid from pg_locks where locktype = 'relation' and relation = '${meta}'::regclass
             and database = (select oid from pg_database where datname = current_database()) and mode = 'RowShareLock'))`,
      );
      const rows = await execute(
        tx,
        `update ${meta} set value = ${setAlive}
         where key = (select key from ${meta} where key = 'app' for update)
           and (value ->> 'heartbeat_at')::numeric = ${Number(previous.heartbeat_at)} returning key`,
      );
      return rows.length > 0;
    },

    /** Gives the sign of life. */
    async beat(connection: Connection): Promise<void> {
      requireOwned(
        await execute(connection, `update ${meta} set value = ${setAlive} where ${isOurs} returning key`),
      );
    },

    /**
     * From here on each transaction begins with a look at the token. Until it ends no one can take over, as `take` waits for the
     * row; the owner's own signs of life do not.
     */
    guard(...builders: Builder[]): void {
      for (const builder of builders) {
        const { transaction } = builder;
        builder.transaction = (...args) => {
          const guarded = args.map((arg) => {
            if (typeof arg !== "function") return arg;
            return async (tx: Connection) => {
              requireOwned(await execute(tx, `select key from ${meta} where ${isOurs} for key share`));
              return (arg as Work)(tx);
            };
          });
          return transaction(...guarded);
        };
      }
    },
  };
}
