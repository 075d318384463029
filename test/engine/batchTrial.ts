import { blockOf } from "./chainRun.ts";
import { openPonderDatabase } from "./ponderCache.ts";
import { ponderModule } from "./ponders.ts";

/*
 * Runs the backfill over three cached blocks, at most two per batch. Prints the last block of each batch, and the block of
 * its checkpoint.
 */

const CHAIN_ID = 1;
const LAST_BLOCK = 3;
const AT_ONCE = 2;

const [historical, checkpoints, { createSyncStore }] = await Promise.all(
  ["runtime/historical.js", "utils/checkpoint.js", "sync-store/index.js"].map(ponderModule),
);
const { database, ponder, pool } = await openPonderDatabase(process.argv[2]);
const blocks = Array.from({ length: LAST_BLOCK }, (_, i) => blockOf(i + 1));
await createSyncStore({ common: ponder, qb: database.syncQB }).insertBlocks({ blocks, chainId: CHAIN_ID });

const checkpointOf = (block: number): string =>
  checkpoints.encodeCheckpoint(checkpoints.blockToCheckpoint(blockOf(block), CHAIN_ID, "down"));
const [start, last] = [blocks[0], blocks.at(-1)];
const batches = historical.getLocalEventGenerator({
  common: ponder,
  database,
  chain: { id: CHAIN_ID, name: "trial" },
  eventCallbacks: [],
  childAddresses: new Map(),
  cachedIntervals: new Map(),
  syncProgress: { start, end: last, finalized: last, current: last },
  isCatchup: true,
  from: checkpointOf(1),
  to: checkpointOf(LAST_BLOCK),
  limit: AT_ONCE,
});
const seen: { to: number; checkpoint: number }[] = [];
for await (const { checkpoint, blockRange } of batches) {
  const { blockNumber } = checkpoints.decodeCheckpoint(checkpoint);
  seen.push({ to: blockRange[1], checkpoint: Number(blockNumber) });
}
await Promise.all([pool.end(), ponder.shutdown.kill()]);
console.log(JSON.stringify(seen));
