// Part of the patch indexedBlocks.

type Interval = [first: number, last: number];

/** What Ponder knows of a chain's cache: which blocks of which parts of a filter it has. */
export type CachedIntervals = ReadonlyMap<unknown, readonly { intervals: Interval[] }[]>;

/** Counts the blocks before one as cached, in this process only: the tables have what is in them. */
export function addIndexedBlocks(
  cached: CachedIntervals,
  firstMissing: bigint | undefined,
  intervalUnion: (intervals: Interval[]) => Interval[],
): void {
  const last = Number(firstMissing ?? 0n) - 1;
  if (last < 0) return;
  for (const fragments of cached.values()) {
    for (const fragment of fragments) fragment.intervals = intervalUnion([[0, last], ...fragment.intervals]);
  }
}
