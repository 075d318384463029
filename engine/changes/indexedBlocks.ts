import type { Change } from "../change.ts";

const file = "runtime/multichain.js";

export const indexedBlocks: Change = {
  name: "indexedBlocks",
  problem:
    "`runtime/multichain.js` asks the node again for all past logs that the cache lacks, also for those of blocks that the tables already have. It then leaves their events out.",
  cost: "An index that was restored from a snapshot without the cache, or whose cache was deleted, fetches the whole chain at its next start, which takes hours.",
  remedy:
    "At the start, blocks before the one from which the tables go on count as known, in this process only. The cache still says what it has, so another build fetches what is missing.",
  upstream: "Not reported as of 2026-11.",
  edits: [
    {
      file,
      from: "export async function runMultichain(",
      to: `import { intervalUnion } from '../utils/interval.js';
const addIndexedBlocks = (cachedIntervals, checkpoint) => {
    if (checkpoint === undefined) return;
    const last = Number(decodeCheckpoint(checkpoint).blockNumber) - 1;
    if (last < 0) return;
    for (const fragments of cachedIntervals.values()) {
        for (const fragment of fragments) {
            fragment.intervals = intervalUnion([[0, last], ...fragment.intervals]);
        }
    }
};
export async function runMultichain(`,
    },
    {
      file,
      from: "        const syncProgress = await getLocalSyncProgress({",
      to: `        addIndexedBlocks(cachedIntervals, crashRecoveryCheckpoint?.find(({ chainId }) => chainId === chain.id)?.checkpoint);
        const syncProgress = await getLocalSyncProgress({`,
    },
  ],
};
