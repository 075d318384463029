import { LRUCache } from "lru-cache";
import type { Ctx } from "../http/context.ts";
import type { Db } from "../query/db.ts";

/** Figures with the time they were taken, in unix seconds. */
export type Cached<T> = { figures: T; takenAt: number };

/** Figures are answered while new ones are taken, until they are this many times as old as they should be. */
const MAX_AGE = 2;

/**
 * Takes figures at most once in so many seconds for each index, however many ask: who comes after that has the old
 * ones while new ones are taken, and where taking them fails. Time is that of the question, so that a chain of
 * developers whose clock is put forward has new figures at once.
 *
 * @throws what `take` throws, where there are no figures or they are too old to be shown
 */
export function cachedFor<T>(
  seconds: number,
  take: (ctx: Ctx) => Promise<T>,
): (ctx: Ctx) => Promise<Cached<T>> {
  const keepers = new WeakMap<Db, Cache<T>>();
  return (ctx) => {
    const keeper = keepers.get(ctx.db) ?? createCache(seconds, take);
    keepers.set(ctx.db, keeper);
    return keeper(ctx);
  };
}

type Cache<T> = (ctx: Ctx) => Promise<Cached<T>>;

const KEY = "figures";

function createCache<T>(seconds: number, take: (ctx: Ctx) => Promise<T>): Cache<T> {
  const clock = { now: 0 };
  let takenAt = 0;
  const cache = new LRUCache<string, Cached<T>, Ctx>({
    max: 1,
    ttl: seconds * 1_000,
    ttlResolution: 0,
    perf: { now: () => clock.now * 1_000 },
    noDeleteOnFetchRejection: true,
    fetchMethod: async (_key, _old, { context }) => {
      const figures = await take(context).catch((error: unknown) => {
        console.error("Statistics could not be taken:", error); // Old figures may hide it from who asked.
        throw error;
      });
      takenAt = context.now;
      return { figures, takenAt };
    },
  });
  return async (ctx) => {
    clock.now = ctx.now;
    const isUsable = ctx.now - takenAt <= MAX_AGE * seconds;
    const kept = await cache.fetch(KEY, {
      context: ctx,
      allowStale: isUsable,
      allowStaleOnFetchRejection: isUsable,
    });
    if (kept === undefined) throw new Error("Statistics were given up while they were taken");
    return kept;
  };
}
