import { LRUCache } from "lru-cache";
import type { Ctx } from "../../server/http/context.ts";
import type { Db } from "../../server/postgres/db.ts";
import { mainChain, type Scope } from "../query/scope.ts";

/** Statistics, and the time they were taken, in Unix seconds. */
export type Cached<T> = { statistics: T; takenAt: number };

/** Takes statistics of some chains. */
export type Take<T> = (ctx: Ctx, chains: Scope) => Promise<T>;

/** Stale statistics are served while new ones are taken, up to this multiple of their intended age. */
const MAX_AGE = 2;

/**
 * Takes statistics at most once in `seconds` for each index and set of chains, however many requests arrive. After that time, a
 * request gets the old ones while new ones are taken, and also if taking them fails. The time is the request's, so on a
 * development chain whose clock is set ahead new statistics are taken at once.
 *
 * @throws the error of `take`, if no statistics are cached or they are too old to be shown
 * @example
 * const takeTotals = cachedFor(300, ({ db, now }, chains) => readTotals(db, { chains, now }));
 * const { statistics, takenAt } = await takeTotals(ctx);
 */
export function cachedFor<T>(seconds: number, take: Take<T>): Taker<T> {
  const known = takers.get(take) as Taker<T> | undefined;
  if (known !== undefined) return known;
  const taker = createTaker(seconds, take);
  takers.set(take, taker);
  return taker;
}

type Taker<T> = (ctx: Ctx, chains?: Scope) => Promise<Cached<T>>;

/** Keyed by the function that takes them, so that operations with the same function share its results. */
const takers = new WeakMap<Take<unknown>, Taker<unknown>>();

function createTaker<T>(seconds: number, take: Take<T>): Taker<T> {
  const caches = new WeakMap<Db, Map<string, Cache<T>>>();
  return (ctx, chains = mainChain(ctx.contracts)) => {
    const ofIndex = caches.get(ctx.db) ?? new Map<string, Cache<T>>();
    caches.set(ctx.db, ofIndex);
    const key = chains.ids.join(); // A deployment has few chains, so there are few sets.
    const cache = ofIndex.get(key) ?? createCache(seconds, (at: Ctx) => take(at, chains));
    ofIndex.set(key, cache);
    return cache(ctx);
  };
}

type Cache<T> = (ctx: Ctx) => Promise<Cached<T>>;

const KEY = "statistics";

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
      const statistics = await take(context).catch((error: unknown) => {
        console.error("Statistics could not be taken:", error); // Serving old statistics may hide the error from callers.
        throw error;
      });
      takenAt = context.now;
      return { statistics, takenAt };
    },
  });
  return async (ctx) => {
    clock.now = ctx.now;
    const isUsable = ctx.now - takenAt <= MAX_AGE * seconds;
    const cached = await cache.fetch(KEY, {
      context: ctx,
      allowStale: isUsable,
      allowStaleOnFetchRejection: isUsable,
    });
    if (cached === undefined) throw new Error("Statistics were given up while they were taken");
    return cached;
  };
}
