import { NamedexError } from "./errors.ts";

/** How often, and how long, failed requests are retried. */
export type RetryLimits = {
  /** Further attempts after the first. 0: none. Default: 2. */
  retries?: number;
  /** Longest wait before a further attempt, in seconds. If the server asks for a longer one, its error is thrown. Default: 30. */
  maxWaitSeconds?: number;
};

/** Two more attempts outlast a restart of a server, and end before a person gives up. */
const RETRIES = 2;
/** As long as people wait, and as proxies keep a connection. */
const MAX_WAIT_SECONDS = 30;
/** The wait if the server names none; it doubles with each attempt. */
const FIRST_WAIT_SECONDS = 0.5;

/** Codes after which a retry may succeed. The failed request changed nothing, so it is safe to repeat. */
const passing = [
  "RATE_LIMITED",
  "INDEX_NOT_READY",
  "NO_INDEXERS_AVAILABLE",
  "INDEXER_UNREACHABLE",
  "NO_ANSWER",
];
/** Statuses of proxies in front of an unreachable server. */
const passingStatuses = [429, 502, 503, 504];

/** Whether a retry may succeed. */
export const isPassing = ({ code, status = 0 }: NamedexError): boolean =>
  passing.includes(code) || (code === "UNREADABLE_ANSWER" && passingStatuses.includes(status));

/** Retries after passing errors, waiting as long as `Retry-After` asks. */
export async function withRetries<T>(
  ask: () => Promise<T>,
  { retries = RETRIES, maxWaitSeconds = MAX_WAIT_SECONDS }: RetryLimits,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof NamedexError) || !isPassing(error) || attempt >= retries) throw error;
      const seconds = error.retryAfter ?? waitBefore(attempt);
      if (seconds > maxWaitSeconds) throw error;
      await sleep(seconds * 1_000, signal);
    }
  }
}

/** Half of the wait is random, so that clients that failed together do not return together. */
export const waitBefore = (attempt: number): number =>
  FIRST_WAIT_SECONDS * 2 ** attempt * (0.5 + Math.random() / 2);

/** Waits; rejects with the signal's reason if it aborts. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
