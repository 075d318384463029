import { AsyncLocalStorage } from "node:async_hooks";
import { ApiError } from "../schemas/errors.ts";
import type { Log } from "./log.ts";
import type { Meters } from "./meters.ts";

/** What of a connection pool is watched. */
export type Pool = { query: (...args: never[]) => unknown; ending?: boolean };

const SHOWN_CHARACTERS = 500;

/** An operation that is being answered, and how many queries of the watched pool it has asked. */
type Asking = { operation: string; queries: number };

const current = new AsyncLocalStorage<Asking>();

/** Runs what an operation does; its queries are known by its name. */
export const inOperation = <T>(operation: string, run: () => Promise<T>): Promise<T> =>
  current.run({ operation, queries: 0 }, run);

/** How many queries the operation that runs has asked of the watched pool; 0 outside of one. */
export const queriesAsked = (): number => current.getStore()?.queries ?? 0;

/**
 * Tells of queries that took longer than so many milliseconds, with the operation that asked and the statement without
 * its values. The pool is Ponder's, made before us, and has no hook for it; so its `query` is replaced by one that
 * looks at the clock.
 */
export function watchQueries(
  pool: Pool,
  { log, meters, slowMs }: { log: Log; meters: Meters; slowMs: number },
): void {
  const ask = pool.query.bind(pool) as (...args: unknown[]) => unknown;
  const tell = (first: unknown, begun: number) => {
    const ms = performance.now() - begun;
    if (ms < slowMs) return;
    const operation = current.getStore()?.operation ?? "none";
    meters.slowQueries.inc({ operation });
    log.warn({ operation, ms: Math.round(ms), sql: textOf(first).slice(0, SHOWN_CHARACTERS) }, "slow query");
  };
  pool.query = (...args: unknown[]) => {
    if (pool.ending) return Promise.reject(stopping());
    const begun = performance.now();
    const asking = current.getStore();
    if (asking) asking.queries++;
    const asked = ask(...args);
    if (asked instanceof Promise)
      asked.then(
        () => tell(args[0], begun),
        () => tell(args[0], begun),
      );
    return asked;
  };
}

/** Ponder closes the database as soon as it is told to stop, under requests that are still answered. */
const stopping = () =>
  new ApiError("INDEX_NOT_READY", "This server is stopping; another one, or the next, answers.", {
    headers: { "Retry-After": "1" },
  });

const textOf = (query: unknown): string =>
  typeof query === "string" ? query : String((query as { text?: unknown } | undefined)?.text ?? "");
