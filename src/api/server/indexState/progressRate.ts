/** Time over which the speed is measured. A backfill is quick in quiet years and slow in busy ones. */
const WINDOW_MS = 10 * 60_000;
/** Shortest time between samples: batches of the backfill differ too much for a shorter one. */
const LEAST_MS = 5_000;

export type ProgressRate = ReturnType<typeof createProgressRate>;

/**
 * Measures how fast a number grows, to estimate when it reaches a target.
 *
 * @param clock milliseconds since any moment
 */
export function createProgressRate(clock: () => number = () => performance.now()) {
  let samples: { at: number; value: number }[] = [];
  return {
    note: (value: number): void => {
      const at = clock();
      const last = samples.at(-1);
      if (last && value < last.value) samples = []; // A new build starts at the beginning.
      if (last && at - last.at < LEAST_MS && value >= last.value) return;
      samples = [...samples.filter((sample) => at - sample.at <= WINDOW_MS), { at, value }];
    },
    /** Seconds until `target` at the pace of the last minutes; null while unknown, or without progress. */
    secondsUntil: (target: number): number | null => {
      const [first, last] = [samples[0], samples.at(-1)];
      if (!first || !last || last.value <= first.value) return null;
      const perSecond = (last.value - first.value) / ((last.at - first.at) / 1_000);
      return Math.max(0, Math.ceil((target - last.value) / perSecond));
    },
  };
}
