/*
 * Ids of events are texts, `<block>-<index of the log>`, and so is their order: 100-5 comes before 11-2, and both before 9-1.
 * The tables have the order of numbers. Among blocks with as many digits the two are the same, so the blocks of a chain are a
 * few ranges: on mainnet those with 8 digits come before those with 7.
 */

/** Blocks, both inside, in which the order of the texts is that of the numbers. */
export type BlockRange = { from: number; to: number };

/** More ranges than this are not worth a statement for each. Only chains whose first blocks have names need more. */
const MAX_RANGES = 24;

/** The blocks in the order of their texts; null if they are more than a few ranges. */
export function rangesInTextOrder({ from, to }: BlockRange): BlockRange[] | null {
  const ranges: BlockRange[] = [];
  const add = (range: BlockRange): void => {
    const last = ranges.at(-1);
    if (last !== undefined && last.to + 1 === range.from && digits(last.to) === digits(range.from))
      last.to = range.to;
    else ranges.push({ ...range });
  };
  const visit = (prefix: number): boolean => {
    const [only, ...more] = withPrefix(prefix, { from, to });
    if (only === undefined) return true;
    if (more.length === 0) add(only);
    else {
      // `12-` comes before `120-`, because `-` comes before digits.
      if (prefix >= from && prefix <= to) add({ from: prefix, to: prefix });
      for (let digit = 0; digit < 10; digit++) if (!visit(prefix * 10 + digit)) return false;
    }
    return ranges.length <= MAX_RANGES;
  };
  if (from === 0) add({ from: 0, to: 0 });
  for (let digit = 1; digit < 10; digit++) if (!visit(digit)) return null;
  return ranges;
}

const digits = (number: number): number => String(number).length;

/** The blocks whose numbers begin with a prefix, by how many digits they have. */
function withPrefix(prefix: number, { from, to }: BlockRange): BlockRange[] {
  const found: BlockRange[] = [];
  for (let unit = 1; prefix * unit <= to; unit *= 10) {
    const range = { from: Math.max(from, prefix * unit), to: Math.min(to, prefix * unit + unit - 1) };
    if (range.from <= range.to) found.push(range);
  }
  return found;
}

/** What of the ranges can have ids after a text, and after or before it in the other direction. */
export function rangesBeyond(
  ranges: readonly BlockRange[],
  { text, direction }: { text: string; direction: "asc" | "desc" },
): BlockRange[] {
  // All ids of a block are between `<block>-` and `<block>.`, the next sign.
  const isBeyond = (block: number): boolean =>
    direction === "asc" ? `${block}.` > text : `${block}-` <= text;
  return ranges.flatMap(({ from, to }) => {
    const last = direction === "asc" ? to : from;
    if (!isBeyond(last)) return [];
    return direction === "asc"
      ? [{ from: firstWhere(from, to, isBeyond), to }]
      : [{ from, to: lastWhere(from, to, isBeyond) }];
  });
}

/** The first number that meets a condition which all later ones also meet. */
function firstWhere(from: number, to: number, holds: (number: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const lastWhere = (from: number, to: number, holds: (number: number) => boolean): number =>
  -firstWhere(-to, -from, (negative) => holds(-negative));
