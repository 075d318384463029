import type pg from "pg";
import { pairLocks } from "../../src/api/server/postgres/advisoryLocks.ts";
import { CommandError } from "../commandLine/command.ts";

/** PostgreSQL ends what a killed program had asked for, where the server's system can tell. */
const CHECK_CLIENT = "set client_connection_check_interval = '1s'";

/** How long to wait for another restore, and for what one that was killed has still at work. */
const PATIENCE = { another: "10s", killed: "60s" };

/**
 * Lets one restore into a schema work at a time, and waits until the connections of one that was killed have ended.
 *
 * @throws CommandError if another restore is at work, or if such connections do not end
 */
export async function takeRestoreLock(
  client: pg.Client,
  schema: string,
  patience: typeof PATIENCE = PATIENCE,
): Promise<void> {
  await client.query(CHECK_CLIENT).catch(() => {});
  await lockWithin(client, patience.another, {
    lock: [pairLocks.restore, schema],
    orElse: `Another restore into "${schema}" is running. Wait for it to finish.`,
  });
  await lockWithin(client, patience.killed, {
    lock: [pairLocks.restoreWork, schema],
    orElse: `Connections of an interrupted restore into "${schema}" are still at work. Wait, or end them: SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${schema}_restore'; Then run the same command again.`,
  });
  await client.query("select pg_advisory_unlock($1, hashtext($2))", [pairLocks.restoreWork, schema]);
  await client.query("set lock_timeout = 0");
}

async function lockWithin(
  client: pg.Client,
  patience: string,
  { lock, orElse }: { lock: [number, string]; orElse: string },
): Promise<void> {
  await client.query(`set lock_timeout = '${patience}'`);
  await client.query("select pg_advisory_lock($1, hashtext($2))", lock).catch((error) => {
    if ((error as { code?: string }).code !== "55P03") throw error; // lock_not_available
    throw new CommandError(orElse);
  });
}

/** Each connection that works for a restore holds this, so that the next one can wait for its end. */
export async function noteWork(client: pg.Client, schema: string): Promise<void> {
  await client.query(CHECK_CLIENT).catch(() => {});
  await client.query("select pg_advisory_lock_shared($1, hashtext($2))", [pairLocks.restoreWork, schema]);
}
