/** Connections of the program that asks. */
export const CONNECTIONS = 256;

/** An answer that is compared after the clock. */
export type Kept = { path: string; body?: string; text: string };

/** What came of requests at a fixed rate; times in milliseconds, from the moment a request was due to its answer's last byte. */
export type Seen = {
  p50: number;
  p95: number;
  p99: number;
  /** Right answers a second. */
  answered: number;
  /** Requests without an answer or with an error, those that were not sent for too many others waiting among them. */
  failed: number;
  kept: Kept[];
};

/** The longest times that a route may take, in milliseconds. */
export type Goal = { p50: number; p95: number; p99: number };

/** The share of a second's requests that must be answered. */
const LEAST_ANSWERED = 0.975;

/** Why a rate is not held, in words; null if it is. */
export function whyNotHeld(
  { perSecond, goal }: { perSecond: number; goal: Goal },
  seen: Seen,
): string | null {
  if (seen.failed > 0) return `${seen.failed} requests failed`;
  if (seen.answered < perSecond * LEAST_ANSWERED)
    return `${seen.answered.toFixed(0)} of ${perSecond} a second`;
  const late = (["p50", "p95", "p99"] as const).find((one) => seen[one] > goal[one]);
  return late === undefined ? null : `${late} of ${seen[late].toFixed(1)} ms, goal ${goal[late]} ms`;
}
