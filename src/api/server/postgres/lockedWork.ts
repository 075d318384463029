import type pg from "pg";
import { type Queries, queriesOf, withClient } from "./client.ts";

/* What the programs have in common that one process of many runs, by a lock that its connection holds. */

/** A connection for work that lasts. `stopped` ends the work. */
export type ConnectionPlan = {
  databaseUrl: string;
  applicationName: string;
  stopped: AbortSignal;
  options?: string;
};

/** Work of one process: the two parts of the lock are a number of `pairLocks` and what it locks. */
export type LockedPlan = ConnectionPlan & { lock: readonly [number, string] };

const CONNECT_MS = 10_000;

/**
 * Does work on a connection of its own. `ended` is aborted when this process is to stop, and when the connection ends.
 *
 * @throws Error of PostgreSQL if it cannot be reached
 */
export const onOwnConnection = (
  { databaseUrl, applicationName, stopped, options }: ConnectionPlan,
  work: (client: pg.Client, ended: AbortSignal) => Promise<void>,
): Promise<void> =>
  withClient(
    {
      connectionString: databaseUrl,
      application_name: applicationName,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      ...(options !== undefined && { options }),
    },
    (client) => {
      const lost = new AbortController();
      for (const event of ["error", "end"]) client.on(event as "end", () => lost.abort());
      return work(client, AbortSignal.any([stopped, lost.signal]));
    },
  );

/** Takes a lock for as long as the connection lasts. @returns false if another connection has it */
export async function takeLock({ query }: Queries, [number, locked]: LockedPlan["lock"]): Promise<boolean> {
  const [row] = await query<{ taken: boolean }>("select pg_try_advisory_lock($1, hashtext($2)) as taken", [
    number,
    locked,
  ]);
  return row?.taken ?? false;
}

/** Does the work if no other process does. Another may begin once the connection with the lock has ended. */
export const workAlone = (
  { lock, ...connection }: LockedPlan,
  work: (client: pg.Client, ended: AbortSignal) => Promise<void>,
): Promise<void> =>
  onOwnConnection(connection, async (client, ended) => {
    if (await takeLock(queriesOf(client), lock)) await work(client, ended);
  });

/** Waits for a notification, for some time, or for the end. */
export function createBell(
  client: pg.Client,
  signal: AbortSignal,
): { next: (most: number) => Promise<void> } {
  let rung = false;
  let wake = () => {};
  const ring = () => {
    rung = true;
    wake();
  };
  for (const event of ["notification", "end"]) client.on(event as "end", ring);
  signal.addEventListener("abort", ring);
  return {
    next: (most) => {
      rung = false;
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, most);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (rung) wake();
      });
    },
  };
}
