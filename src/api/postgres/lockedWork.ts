import pg from "pg";

/* What the programs have in common that one process of many runs, by a lock that its connection holds. */

/** Work in turns: each begins some time after the one before has ended, whatever ended it. */
export type TurnsPlan = {
  turn: (ended: AbortSignal) => Promise<void>;
  /** Hears why a turn failed, unless it was stopped. */
  onError: (error: Error) => void;
  pauseMs: number;
};

/** Begins at once, and goes on until it is stopped. `stop` resolves when the last turn has ended. */
export function workInTurns({ turn, onError, pauseMs }: TurnsPlan): { stop: () => Promise<void> } {
  const end = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const once = async () => {
    try {
      await turn(end.signal);
    } catch (error) {
      if (!end.signal.aborted) onError(error as Error);
    }
    if (!end.signal.aborted) timer = setTimeout(start, pauseMs).unref();
  };
  const start = () => {
    running = once();
  };
  start();
  return {
    stop: async () => {
      end.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** Work of one process: the two parts of the lock are a number of `pairLocks` and what it locks. */
export type LockedPlan = {
  databaseUrl: string;
  applicationName: string;
  lock: readonly [number, string];
  stopped: AbortSignal;
};

const CONNECT_MS = 10_000;

/**
 * Does the work if no other process does. `ended` is aborted when this process is to stop, and when the connection with the lock
 * ends: another process may then begin.
 *
 * @throws Error of PostgreSQL if it cannot be reached
 */
export async function workAlone(
  { databaseUrl, applicationName, lock, stopped }: LockedPlan,
  work: (client: pg.Client, ended: AbortSignal) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({
    ...{ connectionString: databaseUrl, application_name: applicationName },
    ...{ connectionTimeoutMillis: CONNECT_MS, keepAlive: true },
  });
  const lost = new AbortController();
  for (const event of ["error", "end"]) client.on(event as "end", () => lost.abort());
  try {
    await client.connect();
    const { rows } = await client.query<{ got: boolean }>(
      "select pg_try_advisory_lock($1, hashtext($2)) as got",
      [...lock],
    );
    if (rows[0]?.got) await work(client, AbortSignal.any([stopped, lost.signal]));
  } finally {
    await client.end().catch(() => {});
  }
}

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
