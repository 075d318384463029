import type pg from "pg";
import { CommandError } from "../commandLine/command.ts";

/** Numbers of advisory locks that no other program uses; with the schema's hash they are of one restore. */
const [ONE_AT_A_TIME, AT_WORK] = [626_393, 626_394];

/** PostgreSQL ends what a killed program had asked for, where the server's system can tell. */
const CHECK_CLIENT = "set client_connection_check_interval = '1s'";

const PATIENCE = "10s";

/**
 * Lets one restore into a schema work at a time, and waits until the connections of one that was killed have ended.
 *
 * @throws CommandError if another restore is at work
 */
export async function takeRestoreLock(client: pg.Client, schema: string): Promise<void> {
  await client.query(CHECK_CLIENT).catch(() => {});
  await client.query(`set lock_timeout = '${PATIENCE}'`);
  await client.query("select pg_advisory_lock($1, hashtext($2))", [ONE_AT_A_TIME, schema]).catch((error) => {
    if ((error as { code?: string }).code !== "55P03") throw error; // lock_not_available
    throw new CommandError(`Another restore into "${schema}" is at work: wait until it has ended.`);
  });
  await client.query("set lock_timeout = 0");
  await client.query("select pg_advisory_lock($1, hashtext($2))", [AT_WORK, schema]);
  await client.query("select pg_advisory_unlock($1, hashtext($2))", [AT_WORK, schema]);
}

/** Each connection that works for a restore holds this, so that the next one can wait for its end. */
export async function noteWork(client: pg.Client, schema: string): Promise<void> {
  await client.query(CHECK_CLIENT).catch(() => {});
  await client.query("select pg_advisory_lock_shared($1, hashtext($2))", [AT_WORK, schema]);
}
