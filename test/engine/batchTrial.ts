import { openPonderDatabase } from "./ponderCache.ts";
import { ponderModule } from "./ponders.ts";

/*
 * Runs the backfill over three cached blocks, of which a batch takes two. Prints of each batch its last block, and the block of
 * its checkpoint.
 */

const CHAIN_ID = 1;
const LAST_BLOCK = 3;
const AT_ONCE = 2;

const hex = (number: number) => `0x${number.toString(16)}`;
const hash = (number: number) => `0x${number.toString(16).padStart(64, "0")}`;

/** A block as a node gives it. */
const blockOf = (number: number) => ({
  ...{ number: hex(number), hash: hash(number), parentHash: hash(number - 1), timestamp: hex(number) },
  ...{ logsBloom: "0x", miner: `0x${"00".repeat(20)}`, gasUsed: "0x0", gasLimit: "0x0", size: "0x0" },
  ...{ stateRoot: hash(0), receiptsRoot: hash(0), transactionsRoot: hash(0) },
  ...{ difficulty: "0x0", extraData: "0x" },
});

const [historical, checkpoints, { createSyncStore }] = await Promise.all(
  ["runtime/historical.js", "utils/checkpoint.js", "sync-store/index.js"].map(ponderModule),
);
const { database, ponder, pool } = await openPonderDatabase(process.argv[2]);
const blocks = Array.from({ length: LAST_BLOCK }, (_, i) => blockOf(i + 1));
await createSyncStore({ common: ponder, qb: database.syncQB }).insertBlocks({ blocks, chainId: CHAIN_ID });

const checkpointOf = (block: number): string =>
  checkpoints.encodeCheckpoint({
    ...{ blockTimestamp: BigInt(block), chainId: BigInt(CHAIN_ID), blockNumber: BigInt(block) },
    ...{ transactionIndex: 0n, eventType: 0, eventIndex: 0n },
  });
const [start, last] = [blocks[0], blocks.at(-1)];
const batches = historical.getLocalEventGenerator({
  ...{ common: ponder, database, chain: { id: CHAIN_ID, name: "trial" } },
  ...{ eventCallbacks: [], childAddresses: new Map(), cachedIntervals: new Map() },
  ...{ syncProgress: { start, end: last, finalized: last, current: last }, isCatchup: true },
  ...{ from: checkpointOf(1), to: checkpointOf(LAST_BLOCK), limit: AT_ONCE },
});
const seen: { to: number; checkpoint: number }[] = [];
for await (const { checkpoint, blockRange } of batches) {
  const { blockNumber } = checkpoints.decodeCheckpoint(checkpoint);
  seen.push({ to: blockRange[1], checkpoint: Number(blockNumber) });
}
await Promise.all([pool.end(), ponder.shutdown.kill()]);
console.log(JSON.stringify(seen));
