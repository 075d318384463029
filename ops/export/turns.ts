import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

// PostgreSQL reads rows for an export with the priority of all its queries, however low that of this program is. So where the
// machine has other work, rows are taken for a tenth of the time: PostgreSQL waits while none are taken.

/** The part of the time in which rows are taken beside other work. */
const SHARE = 0.1;
/** How long rows are taken between two looks at the machine: beside other work, and without. */
const WORK_MS = { busy: 100, free: 2_000 };
/** How long a look is; the system counts in steps of 10 ms. */
const LOOK_MS = 100;
/** From which part of the machine's processors on others count as work. */
const BUSY = 0.4;

/** What an export leaves to other programs of the machine: idle time alone for itself, or the same as they have. */
export const priorities = ["low", "normal"] as const;
export type Priority = (typeof priorities)[number];

export type Machine = {
  /** Milliseconds that others have worked on all processors, and all that were possible; only differences say something. */
  times: () => { others: number; all: number };
  now: () => number;
  wait: (ms: number) => Promise<unknown>;
};

const thisMachine: Machine = { times: readTimes, now: () => performance.now(), wait: (ms) => sleep(ms) };

/** `nice` is what this program and others of low priority used. */
function readTimes(): ReturnType<Machine["times"]> {
  let [others, all] = [0, 0];
  for (const { times } of cpus()) {
    others += times.user + times.sys + times.irq;
    all += times.user + times.sys + times.irq + times.nice + times.idle;
  }
  return { others, all };
}

/** @returns what is to be waited for after each piece of rows: of normal priority, nothing */
export const turnsOf = (priority: Priority): (() => Promise<void>) =>
  priority === "low" ? createTurns() : async () => {};

/** @returns the same of low priority */
export function createTurns({ times, now, wait }: Machine = thisMachine): () => Promise<void> {
  let workMs = WORK_MS.busy;
  let since = now();
  return async () => {
    if (now() - since < workMs) return;
    const before = times();
    await wait(LOOK_MS);
    const after = times();
    const isBusy = after.others - before.others > BUSY * (after.all - before.all);
    if (isBusy) await wait(WORK_MS.busy / SHARE - WORK_MS.busy - LOOK_MS);
    workMs = isBusy ? WORK_MS.busy : WORK_MS.free;
    since = now();
  };
}
