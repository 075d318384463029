import { setTimeout as sleep } from "node:timers/promises";
import { workInTurns } from "../../server/scheduling/repeated.ts";
import type { SharedLabels } from "../../server/serviceDb/sharedLabels.ts";

export type SharingPlan = {
  shared: SharedLabels;
  /** Whether the index has all that is past: before that most labels are still to be spelled out. */
  mayShare: () => Promise<boolean>;
  /** Does the work if no other process does; `ended` is aborted once this one may not go on. */
  alone: (stopped: AbortSignal, work: (ended: AbortSignal) => Promise<void>) => Promise<void>;
  warn: (line: string) => void;
  /** In milliseconds: after all names were gone through, and between two pages of them. */
  times?: { round: number; page: number };
};

/**
 * Gives a chain the labels that the logs of another one spelled out: they go the way of all labels that others than the chain's
 * own logs gave, so that lists, searches and counts know them, too.
 */
export const startSharing = ({
  shared,
  mayShare,
  alone,
  warn,
  times = { round: 60_000, page: 100 },
}: SharingPlan): { stop: () => Promise<void> } =>
  workInTurns({
    pauseMs: times.round,
    onError: ({ message }) => warn(`Labels of other chains cannot be shared: ${message}`),
    turn: async (stopped) => {
      if (await mayShare()) await alone(stopped, (ended) => shareAll(shared, { ended, pauseMs: times.page }));
    },
  });

async function shareAll(shared: SharedLabels, { ended, pauseMs }: { ended: AbortSignal; pauseMs: number }) {
  for (
    let last = await shared.share(null);
    last !== null && !ended.aborted;
    last = await shared.share(last)
  ) {
    await sleep(pauseMs, undefined, { signal: ended, ref: false }).catch(() => {});
  }
}
