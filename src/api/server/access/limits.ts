import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Queries } from "../postgres/client.ts";
import { networkOf } from "./address.ts";

/** How many requests of one address are allowed in how many seconds. `name` identifies the policy, also in headers. */
export type Policy = { name: string; requests: number; seconds: number };

/** How much of its limit an address has used. */
export type LimitState = {
  /** True if this request is over the limit. */
  isOver: boolean;
  /** Requests left in this window. */
  left: number;
  /** `RateLimit-Policy`, `RateLimit`, and over the limit `Retry-After` (draft-ietf-httpapi-ratelimit-headers). */
  headers: Record<string, string>;
};

/** Counts requests by client address, over all replicas. Throws if the database does not answer: no request goes uncounted. */
export type Limiter = {
  /** Counts a request. */
  take: (address: string) => Promise<LimitState>;
  /** The state before the next request; counts nothing. */
  look: (address: string) => Promise<LimitState>;
};

/** The limits by address: of free requests, and of wrong keys or payments. */
export type Limits = { free: Limiter; failures: Limiter };

/** Section 5 of the contract: five requests a minute without a key. */
export const FREE: Policy = { name: "anon", requests: 5, seconds: 60 };
/** Wrong keys or payments. Guessing a key of 192 bits is hopeless; this only limits the load. */
const FAILURES: Policy = { name: "failures", requests: 20, seconds: 60 };

/** The limits of the service, in its store. */
export function limitsIn(store: Queries): Limits {
  return { free: limiterIn(store, FREE), failures: limiterIn(store, FAILURES) };
}

/** A limiter of one policy, in the store. The window opens with an address's first request. */
export function limiterIn(store: Queries, policy: Policy): Limiter {
  const limiter = new RateLimiterPostgres({
    storeClient: clientOf(store),
    storeType: "pool",
    tableName: "rate_limits",
    tableCreated: true,
    keyPrefix: policy.name,
    points: policy.requests,
    duration: policy.seconds,
    // Until the window ends, an address over its limit is refused without asking the database.
    inMemoryBlockOnConsumed: policy.requests,
  });
  const unseen = { remainingPoints: policy.requests, msBeforeNext: policy.seconds * 1_000 };
  return {
    take: async (address) => {
      try {
        return limitStateOf(policy, await limiter.consume(networkOf(address)), false);
      } catch (thrown) {
        if (thrown instanceof RateLimiterRes) return limitStateOf(policy, thrown, true);
        throw thrown;
      }
    },
    look: async (address) => {
      const seen = (await limiter.get(networkOf(address))) ?? unseen;
      return limitStateOf(policy, seen, seen.remainingPoints < 1);
    },
  };
}

/** The store in the form of a pool, which the limiter's library expects. */
const clientOf = (store: Queries) => ({
  query: async ({ text, values }: { text: string; values: unknown[] }) => {
    const rows = await store.query(text, values);
    return { rows, rowCount: rows.length };
  },
});

type Counted = Pick<RateLimiterRes, "remainingPoints" | "msBeforeNext">;

function limitStateOf(
  policy: Policy,
  { remainingPoints, msBeforeNext }: Counted,
  isOver: boolean,
): LimitState {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return {
    isOver,
    left: remainingPoints,
    headers: {
      "RateLimit-Policy": `"${policy.name}";q=${policy.requests};w=${policy.seconds}`,
      RateLimit: `"${policy.name}";r=${remainingPoints};t=${seconds}`,
      ...(isOver && { "Retry-After": String(seconds) }),
    },
  };
}
