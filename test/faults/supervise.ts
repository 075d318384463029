import { setTimeout as sleep } from "node:timers/promises";
import type { Stack } from "../support/stack.ts";

/** The work of a supervisor. */
export type Supervision = {
  /** How each run of the indexer ended. */
  ends: (number | NodeJS.Signals | null)[];
  stop: () => Promise<void>;
};

const PAUSE_MS = 250;

/** Starts an indexer again whenever it ends, as systemd or Docker would. */
export function supervise(stack: Stack): Supervision {
  const ends: Supervision["ends"] = [];
  let isOver = false;
  const watch = async () => {
    while (!isOver) {
      const end = stack.ended();
      if (end !== null) {
        ends.push(end);
        await sleep(PAUSE_MS);
        if (!isOver) stack.restart();
      }
      await sleep(PAUSE_MS);
    }
  };
  const watching = watch();
  return {
    ends,
    stop: async () => {
      isOver = true;
      await watching;
    },
  };
}
