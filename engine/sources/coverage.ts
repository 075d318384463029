// Part of the patch logSync: which blocks of what is wanted come from a source, and which from the node.

import type { Interval, LogFilter } from "../backfill/logGroups.ts";
import type { LogSource } from "./logSource.ts";

/** How Ponder names what it has of filters, and counts with ranges of blocks (runtime/fragments.js, utils/interval.js). */
export type Fragments = {
  getFragments: (filter: LogFilter) => { adjacentIds: string[] }[];
  intervalIntersectionMany: (lists: Interval[][]) => Interval[];
  intervalDifference: (initial: Interval[], remove: Interval[]) => Interval[];
};

/**
 * Splits intervals into blocks that the source has for all parts of a filter, and the others.
 *
 * @param namesOf gives for each part of a filter the names under which a source may have it
 */
export function splitBySource<Wanted extends { interval: Interval }>(
  source: LogSource | null,
  all: readonly Wanted[],
  namesOf: (wanted: Wanted) => string[][],
  { intervalIntersectionMany, intervalDifference }: Fragments,
): { ofSource: Wanted[]; ofNode: Wanted[] } {
  const split = { ofSource: [] as Wanted[], ofNode: [] as Wanted[] };
  for (const wanted of all) {
    const { interval } = wanted;
    const covered =
      source === null
        ? []
        : intervalIntersectionMany([
            [interval],
            [[0, source.last.number]],
            ...namesOf(wanted).map((names) => source.covered(names)),
          ]);
    split.ofSource.push(...covered.map((part) => ({ ...wanted, interval: part })));
    split.ofNode.push(
      ...intervalDifference([interval], covered).map((part) => ({ ...wanted, interval: part })),
    );
  }
  return split;
}
