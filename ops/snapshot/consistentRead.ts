import type pg from "pg";
import { inTransaction } from "../../src/api/server/postgres/client.ts";

// How files of a running index are all of one state of it: one transaction holds the state, short ones read it.

/**
 * Keeps what is visible now visible to the transactions that read it. This transaction itself reads nothing, so it
 * locks no table: a reorganisation would wait for it, and everybody else for the reorganisation.
 */
export async function exportSnapshot(client: pg.Client): Promise<string> {
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  const { rows } = await client.query<{ snapshot: string }>("SELECT pg_export_snapshot() AS snapshot");
  return rows[0]?.snapshot ?? "";
}

/** Reads in a short transaction that sees what the snapshot sees. */
export const atSnapshot = <T>(client: pg.Client, snapshot: string, work: () => Promise<T>): Promise<T> =>
  inTransaction(client, async () => {
    await client.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await client.query(`SET TRANSACTION SNAPSHOT '${snapshot}'`);
    // PostgreSQL has no statistics about rows that are not final. A plan that expects none would read them for each row.
    await client.query("SET LOCAL enable_nestloop = off");
    return work();
  });
