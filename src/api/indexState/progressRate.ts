/** Speed is taken over so long; a backfill is quick in quiet years and slow in busy ones. */
const WINDOW_MS = 10 * 60_000;
/** Less than this is no measure: batches of the backfill differ. */
const LEAST_MS = 5_000;

/** Watches a number grow, to tell when it will be there. */
export type ProgressRate = {
  note: (value: number) => void;
  /** Seconds until `target` at the speed of the last minutes; null while that is not known, or nothing moves. */
  secondsUntil: (target: number) => number | null;
};

/** @param clock milliseconds, from any beginning */
export function createProgressRate(clock: () => number = () => performance.now()): ProgressRate {
  let samples: { at: number; value: number }[] = [];
  return {
    note: (value) => {
      const at = clock();
      const last = samples.at(-1);
      if (last && value < last.value) samples = []; // A new build begins anew.
      if (last && at - last.at < LEAST_MS && value >= last.value) return;
      samples = [...samples.filter((sample) => at - sample.at <= WINDOW_MS), { at, value }];
    },
    secondsUntil: (target) => {
      const [first, last] = [samples[0], samples.at(-1)];
      if (!first || !last || last.value <= first.value) return null;
      const perSecond = (last.value - first.value) / ((last.at - first.at) / 1_000);
      return Math.max(0, Math.ceil((target - last.value) / perSecond));
    },
  };
}
