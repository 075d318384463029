import type { Change } from "../change.ts";

export const blocksWithLogs: Change = {
  name: "blocksWithLogs",
  problem:
    "The backfill (`sync-historical/index.js`) puts every block number of a range into its queue, and finds for nearly all of them that nothing is to be fetched.",
  cost: "A third of the time of a first index, more where logs are rare: mainnet has 21 million blocks since the first registry.",
  remedy:
    "Where only logs are followed, as here, the queue gets the blocks of the range's logs, in the same order.",
  upstream: "Not reported as of 2026-11.",
  edits: [
    {
      file: "sync-historical/index.js",
      from: "                await Promise.all(intervalRange(interval).map((blockNumber) => queue.add(blockNumber)));",
      to: `                const hasOnlyLogs = [blockFilters, transactionFilters, traceFilters, transferFilters].every((filters) => filters.length === 0);
                const blockNumbers = hasOnlyLogs ? [...perBlockLogs.keys()].sort((a, b) => a - b) : intervalRange(interval);
                await Promise.all(blockNumbers.map((blockNumber) => queue.add(blockNumber)));`,
    },
  ],
};
