import { retryLater } from "../errors/errors.ts";
import { CANCELLED_BY_REPLICATION, findDatabaseError } from "../postgres/databaseErrors.ts";
import type { IndexPool } from "../postgres/drizzleInternals.ts";
import { noteStatement } from "../postgres/seenState.ts";

/** How long a connection is used: what it has prepared is given up with it. */
export const CONNECTION_SECONDS = 600;

/** How long a query is asked again that replication cancels on a standby. */
export const CANCELLED_MS = 2_000;

/**
 * Counts the statements of each reading (`seenState.ts`), and asks again for what replication cancels: a query that reads, outside
 * of transactions. Refuses queries with INDEX_NOT_READY once Ponder closes the pool: Ponder closes the database as soon as it has
 * to stop, while requests are still being answered. Ponder makes the pool before our code runs and offers no hook, so its `query`
 * is replaced.
 */
export function prepareIndexPool(pool: IndexPool): void {
  if (pool.options) pool.options.maxLifetimeSeconds = CONNECTION_SECONDS;
  const query = pool.query.bind(pool) as (...args: unknown[]) => unknown;
  pool.query = (...args: unknown[]) => {
    if (pool.ending) return Promise.reject(stopping());
    noteStatement();
    const begun = performance.now();
    const ask = (): unknown => {
      const result = query(...args);
      return result instanceof Promise ? result.catch(again) : result;
    };
    const again = (error: unknown): unknown => {
      const isOver = pool.ending || performance.now() - begun > CANCELLED_MS;
      if (isOver || findDatabaseError(error, [CANCELLED_BY_REPLICATION]) === null) throw error;
      return ask();
    };
    return ask();
  };
}

const stopping = () => retryLater("INDEX_NOT_READY", "This server is stopping; retry the request.", 1);
