import { LRUCache } from "lru-cache";
import { ApiError } from "../errors/errors.ts";
import { networkOf } from "./address.ts";

/**
 * Requests of one address in a minute that nothing paid for: free operations, documents, invalid requests, messages over
 * MCP of any method. A person, a page or a program with a mistake stays far below; one who means to keep the server busy
 * does not.
 */
export const UNPAID = { requests: 600, seconds: 60 };

/** Addresses that are remembered: those that asked last. */
const MAX_ADDRESSES = 50_000;

export type RequestCount = ReturnType<typeof createRequestCount>;

type Window = { requests: number; endsAt: number };

/**
 * Counts requests by address, in memory: it spares this process work, and a question to the database would be more work than many a request.
 * The window opens with an address's first request.
 */
export function createRequestCount(now: () => number = Date.now) {
  const windows = new LRUCache<string, Window>({ max: MAX_ADDRESSES });
  const windowOf = (network: string): Window => {
    const known = windows.get(network);
    if (known !== undefined && known.endsAt > now()) return known;
    const opened = { requests: 0, endsAt: now() + UNPAID.seconds * 1_000 };
    windows.set(network, opened);
    return opened;
  };
  return {
    /** Counts requests before anything is done for them. @throws ApiError RATE_LIMITED */
    take: (address: string, requests = 1): void => {
      const window = windowOf(networkOf(address));
      window.requests += requests;
      if (window.requests > UNPAID.requests) throw tooMany(Math.ceil((window.endsAt - now()) / 1_000));
    },
    /** A request was paid for: it no longer counts. */
    refund: (address: string): void => {
      const window = windowOf(networkOf(address));
      if (window.requests > 0) window.requests--;
    },
  };
}

const tooMany = (seconds: number): ApiError =>
  new ApiError(
    "RATE_LIMITED",
    `This address exceeded ${UNPAID.requests} unpaid requests a minute; wait ${seconds} s.`,
    {
      headers: {
        "RateLimit-Policy": `"unpaid";q=${UNPAID.requests};w=${UNPAID.seconds}`,
        "Retry-After": String(seconds),
      },
    },
  );
