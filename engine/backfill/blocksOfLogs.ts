// Part of the patch blocksWithLogs.

/**
 * The numbers of the blocks of some logs, in order. Null if any filter is of something else than logs: then any block may
 * have what is wanted.
 */
export function blocksOfLogs(
  perBlockLogs: ReadonlyMap<number, unknown>,
  otherFilters: readonly (readonly unknown[])[],
): number[] | null {
  if (otherFilters.some((filters) => filters.length > 0)) return null;
  return [...perBlockLogs.keys()].sort((a, b) => a - b);
}
