import ipaddr from "ipaddr.js";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Queries } from "../serviceDb/client.ts";

/** How many requests of one address are let through in how many seconds. `name` tells policies apart, in headers too. */
export type Policy = { name: string; requests: number; seconds: number };

/** Where an address stands. */
export type Standing = {
  /** True if this request is one too many. */
  isOver: boolean;
  /** `RateLimit-Policy`, `RateLimit`, and where it is over `Retry-After` (draft-ietf-httpapi-ratelimit-headers). */
  headers: Record<string, string>;
};

/** Counts requests by client address, over all replicas. Where the database is away it throws: nothing is let through uncounted. */
export type Limiter = {
  /** Counts a request. */
  take: (address: string) => Promise<Standing>;
  /** Where the next request would stand; counts nothing. */
  look: (address: string) => Promise<Standing>;
};

/** What is limited by address: free requests, and wrong keys or payments. */
export type Limits = { free: Limiter; failures: Limiter };

/** Section 5 of the contract: five requests a minute without a key. */
const FREE: Policy = { name: "anon", requests: 5, seconds: 60 };
/** Nobody mistypes a key so often, and a guess of 192 bits is hopeless: this keeps the noise down. */
const FAILURES: Policy = { name: "failures", requests: 20, seconds: 60 };

/** The limits of the service, kept in its store. */
export function limitsIn(store: Queries): Limits {
  return { free: limiterIn(store, FREE), failures: limiterIn(store, FAILURES) };
}

/** A limiter of one policy, kept in the store. The window opens with an address's first request. */
export function limiterIn(store: Queries, policy: Policy): Limiter {
  const limiter = new RateLimiterPostgres({
    storeClient: clientOf(store),
    storeType: "pool",
    tableName: "rate_limits",
    tableCreated: true,
    keyPrefix: policy.name,
    points: policy.requests,
    duration: policy.seconds,
    // Known to be over until the window ends: the database is not asked again.
    inMemoryBlockOnConsumed: policy.requests,
  });
  const unseen = { remainingPoints: policy.requests, msBeforeNext: policy.seconds * 1_000 };
  return {
    take: async (address) => {
      try {
        return standingOf(policy, await limiter.consume(networkOf(address)), false);
      } catch (thrown) {
        if (thrown instanceof RateLimiterRes) return standingOf(policy, thrown, true);
        throw thrown;
      }
    },
    look: async (address) => {
      const seen = (await limiter.get(networkOf(address))) ?? unseen;
      return standingOf(policy, seen, seen.remainingPoints === 0);
    },
  };
}

/** The store as the limiter's library wants a pool. */
const clientOf = (store: Queries) => ({
  query: async ({ text, values }: { text: string; values: unknown[] }) => {
    const rows = await store.query(text, values);
    return { rows, rowCount: rows.length };
  },
});

type Counted = Pick<RateLimiterRes, "remainingPoints" | "msBeforeNext">;

function standingOf(policy: Policy, { remainingPoints, msBeforeNext }: Counted, isOver: boolean): Standing {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return {
    isOver,
    headers: {
      "RateLimit-Policy": `"${policy.name}";q=${policy.requests};w=${policy.seconds}`,
      RateLimit: `"${policy.name}";r=${remainingPoints};t=${seconds}`,
      ...(isOver && { "Retry-After": String(seconds) }),
    },
  };
}

/** Whoever has one IPv6 address has 2^64 of them: the network counts. */
function networkOf(address: string): string {
  const parsed = ipaddr.parse(address);
  if (!(parsed instanceof ipaddr.IPv6)) return address;
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
