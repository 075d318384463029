import { fairPlaces } from "./places.ts";

/** Runs a task as soon as there is room for it, in the order of the calls. */
export type InTurn = <Result>(signal: AbortSignal, task: () => Promise<Result>) => Promise<Result>;

/** Bounds concurrency to `most` tasks. A task whose signal is aborted while it waits fails and is not started. */
export function limiter(most: number): InTurn {
  const endless = { most: Number.POSITIVE_INFINITY, each: Number.POSITIVE_INFINITY };
  const refuse = () => new Error("Invariant(scheduling): nothing is refused here");
  const places = fairPlaces({ running: { most, each: most }, waiting: endless, refuse });
  return (signal, task) => places("everyone", signal, task);
}
