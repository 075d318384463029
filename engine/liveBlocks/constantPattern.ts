// Part of the patch largeBlocks.

/** Ways in which one kind of event needs rows of one table. Beyond them a column's value may not stand for itself. */
const MAX_WAYS = 8;

/** How a column of a key comes from an event; `constant` is ours. */
type Constant = { type: "constant"; value: number | bigint };

/**
 * What Ponder found for a column of a key, or the value itself if it is a number that the event does not have, as a version
 * or the coin type of ether. Keys with such a column were never asked for ahead.
 */
export function orConstant<Pattern>(
  pattern: Pattern | undefined,
  value: unknown,
  ways: readonly unknown[],
): Pattern | Constant | undefined {
  if (pattern !== undefined) return pattern;
  const isNumber = typeof value === "number" || typeof value === "bigint";
  return isNumber && ways.length < MAX_WAYS ? { type: "constant", value } : undefined;
}
