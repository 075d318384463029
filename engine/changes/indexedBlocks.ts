import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const file = "runtime/multichain.js";

export const indexedBlocks: Change = {
  name: "indexedBlocks",
  group: "fast",
  problem:
    "`runtime/multichain.js` asks the node again for all past logs that the cache lacks, also for those of blocks that the tables already have. It then leaves their events out.",
  cost: "An index that was restored from a snapshot without the cache, or whose cache was deleted, fetches the whole chain at its next start, which takes hours.",
  remedy:
    "At the start, blocks before the one from which the tables go on count as known, in this process only. The cache still says what it has, so another build fetches what is missing.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that after a restart fetches only blocks that its tables do not have.",
  edits: [
    {
      file,
      from: "export async function runMultichain(",
      to: `${importOf("addIndexedBlocks", "backfill/indexedBlocks.ts")}import { intervalUnion } from '../utils/interval.js';
export async function runMultichain(`,
    },
    {
      file,
      from: "        const syncProgress = await getLocalSyncProgress({",
      to: `        const reached = crashRecoveryCheckpoint?.find(({ chainId }) => chainId === chain.id)?.checkpoint;
        addIndexedBlocks(cachedIntervals, reached && decodeCheckpoint(reached).blockNumber, intervalUnion);
        const syncProgress = await getLocalSyncProgress({`,
    },
  ],
};
