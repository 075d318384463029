import { createHash } from "node:crypto";
import { type CachedFilter, findCachedBlock } from "../../engine/cachedLogs.ts";
import type { Query } from "../../engine/ponderInternals.ts";

/** Blocks of one range: most nodes give the logs of 500 blocks at once, and those of ENS in 500 blocks fit in one answer. */
export const RANGE_BLOCKS = 500;

/** First and last block. */
export type Range = { from: number; to: number };

/** Random ranges of past blocks; every other one begins near a log, because in most blocks of a chain there is none. */
export async function chooseRanges(
  query: Query,
  {
    filters,
    chainId,
    samples,
    seed,
  }: { filters: readonly CachedFilter[]; chainId: number; samples: number; seed: number },
): Promise<Range[]> {
  const span = spanOf(filters);
  if (span === null) return [];
  const blocks = span.to - span.from + 1;
  const ranges: Range[] = [];
  for (let index = 0; index < samples; index++) {
    const at = span.from + (drawn(seed, `range ${index}`) % blocks);
    const near = index % 2 === 0 ? await findCachedBlock(query, { chainId, from: at }) : null;
    const before = near === null ? 0 : drawn(seed, `before ${index}`) % RANGE_BLOCKS;
    const from = Math.max(span.from, (near ?? at) - before);
    ranges.push({ from, to: Math.min(span.to, from + RANGE_BLOCKS - 1) });
  }
  return distinct(ranges);
}

/** A number below 2^48. */
const drawn = (seed: number, what: string): number =>
  createHash("sha256").update(`${seed} ${what}`).digest().readUIntBE(0, 6);

function spanOf(filters: readonly CachedFilter[]): Range | null {
  const ranges = filters.flatMap(({ ranges }) => ranges);
  const [first] = ranges;
  if (first === undefined) return null;
  return ranges.reduce(
    (span, [from, to]) => ({ from: Math.min(span.from, from), to: Math.max(span.to, to) }),
    { from: first[0], to: first[1] },
  );
}

const distinct = (ranges: readonly Range[]): Range[] => [
  ...new Map(ranges.map((range) => [range.from, range])).values(),
];
