import { AsyncLocalStorage } from "node:async_hooks";
import type { Log } from "./log.ts";
import type { Meters } from "./meters.ts";

/** What of a connection pool is watched. */
export type WatchedPool = { query: (...args: never[]) => unknown };

const SHOWN_CHARACTERS = 500;

const current = new AsyncLocalStorage<string>();

/** Runs an operation; its slow queries are logged under its name. */
export const inOperation = <T>(operation: string, run: () => Promise<T>): Promise<T> =>
  current.run(operation, run);

/**
 * Logs and counts queries that take at least `slowMs` milliseconds, with the operation that sent them and the statement
 * without its values. Ponder makes the pool before our code runs and offers no hook, so its `query` is replaced by one
 * that measures the time.
 */
export function watchQueries(
  pool: WatchedPool,
  { log, meters, slowMs }: { log: Log; meters: Meters; slowMs: number },
): void {
  const query = pool.query.bind(pool) as (...args: unknown[]) => unknown;
  const report = (first: unknown, startedAt: number) => {
    const ms = performance.now() - startedAt;
    if (ms < slowMs) return;
    const operation = current.getStore() ?? "none";
    meters.slowQueries.inc({ operation });
    log.warn({ operation, ms: Math.round(ms), sql: textOf(first).slice(0, SHOWN_CHARACTERS) }, "slow query");
  };
  pool.query = (...args: unknown[]) => {
    const startedAt = performance.now();
    const result = query(...args);
    if (result instanceof Promise)
      result.then(
        () => report(args[0], startedAt),
        () => report(args[0], startedAt),
      );
    return result;
  };
}

const textOf = (query: unknown): string =>
  typeof query === "string" ? query : String((query as { text?: unknown } | undefined)?.text ?? "");
