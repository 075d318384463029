import type { Step } from "./steps.ts";

/**
 * The shortest part of a history that still fails, found within the time: ever smaller pieces are omitted, each if the rest still
 * fails without it. Any part of a history is a history, so nothing has to be kept together.
 */
export async function shrink(
  steps: readonly Step[],
  { fails, deadline }: { fails: (steps: readonly Step[]) => Promise<boolean>; deadline: number },
): Promise<readonly Step[]> {
  let shortest = steps;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < shortest.length; ) {
      if (Date.now() > deadline) return shortest;
      const rest = [...shortest.slice(0, start), ...shortest.slice(start + size)];
      if (rest.length > 0 && (await fails(rest))) shortest = rest;
      else start += size;
    }
  }
  return shortest;
}
