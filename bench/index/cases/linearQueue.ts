import { ponderModule } from "../../../test/engine/ponders.ts";
import { printSeconds } from "./print.ts";

// Takes a range of blocks without logs through Ponder's queue.

/** The longest range of blocks that Ponder's backfill queues at once. */
const BLOCKS = 100_000;

const { createQueue } = await ponderModule("utils/queue.js");
const worker = async () => {};
await printSeconds(async () => {
  const queue = createQueue({ browser: false, initialStart: false, concurrency: 100, worker });
  const blocks = Array.from({ length: BLOCKS }, (_, block) => queue.add(block));
  await queue.start();
  await Promise.all(blocks);
});
