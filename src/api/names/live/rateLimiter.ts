import { setTimeout as sleep } from "node:timers/promises";
import { LiveFailure } from "./failure.ts";

/** Waits until one more request may be sent. @throws LiveFailure if too many are waiting, or the signal's error */
export type TakeTurn = (signal: AbortSignal) => Promise<void>;

/** Requests not sent in one second may be sent in the next. */
const BURST_MS = 1_000;
/** The time limit of one answer. A request that would wait longer fails at once instead of too late. */
export const MAX_WAIT_MS = 10_000;

/** Limits requests to `perSecond` on average, in order of arrival. */
export function rateLimiter(perSecond: number): TakeTurn {
  let nextAt = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    const now = performance.now();
    const at = Math.max(nextAt, now - BURST_MS);
    if (at - now > MAX_WAIT_MS) throw tooMany();
    nextAt = at + 1_000 / perSecond;
    if (at > now) await sleep(at - now, undefined, { signal });
  };
}

const tooMany = () =>
  new LiveFailure("rpc", "Too many questions wait for the chain at the moment: ask again in some seconds.");
