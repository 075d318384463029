const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];

/** Seconds before each further attempt; the last one holds for all later ones. */
export const WAITS = [5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 6 * HOUR];

/** A webhook that has failed for this long is disabled. */
export const GIVE_UP_SECONDS = 3 * DAY;

/** The longest wait that a receiver may ask for. */
export const MAX_RETRY_AFTER = HOUR;

/** Parts of a wait by which it may be shorter or longer, so that those that failed together do not come back together. */
const JITTER = 0.2;

/** Statuses by which a receiver says that it is asked too much. Source: Standard Webhooks 1.0. */
const BUSY = [429, 502, 503, 504];

type Failure = { failures: number; status: number | null; retryAfter: string | null };

/**
 * Seconds to wait after a failure: by the number of failures in a row, or as long as a busy receiver asks, within bounds.
 *
 * @param random from 0 to 1
 */
export function waitAfter({ failures, status, retryAfter }: Failure, random = Math.random()): number {
  const usual = (WAITS[Math.min(failures, WAITS.length) - 1] ?? 0) * (1 - JITTER + 2 * JITTER * random);
  const asked = BUSY.includes(status ?? 0) ? secondsOf(retryAfter) : null;
  return asked === null ? usual : Math.max(usual, Math.min(asked, MAX_RETRY_AFTER));
}

/** `Retry-After` in seconds, or as a date; null where it is neither. */
function secondsOf(text: string | null): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : Math.max(0, (time - Date.now()) / 1_000);
}
