import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const file = "sync-historical/index.js";

export const blocksWithLogs: Change = {
  name: "blocksWithLogs",
  group: "fast",
  problem:
    "The backfill (`sync-historical/index.js`) puts every block number of a range into its queue, and finds for nearly all of them that nothing is to be fetched.",
  cost: "A third of the time of a first index, more where logs are rare: mainnet has 21 million blocks since the first registry.",
  remedy:
    "Where only logs are followed, as here, the queue gets the blocks of the range's logs, in the same order.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release whose backfill queues only blocks of which something is wanted.",
  edits: [
    {
      file,
      from: "export const createHistoricalSync = ",
      to: `${importOf("blocksOfLogs", "backfill/blocksOfLogs.ts")}export const createHistoricalSync = `,
    },
    {
      file,
      from: "                await Promise.all(intervalRange(interval).map((blockNumber) => queue.add(blockNumber)));",
      to: `                const blockNumbers = blocksOfLogs(perBlockLogs, [blockFilters, transactionFilters, traceFilters, transferFilters]) ?? intervalRange(interval);
                await Promise.all(blockNumbers.map((blockNumber) => queue.add(blockNumber)));`,
    },
  ],
};
