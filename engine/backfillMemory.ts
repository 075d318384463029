import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { canCountBuffers } from "./memory.ts";

/** What Node's `gc` takes; it is there with `--expose-gc` only. */
type Collect = (how: {
  type: "major";
  execution: "async";
  /**
   * Remaining objects are compacted: they lie among the rows, and each of their pages would otherwise stay allocated.
   */
  flavor: "last-resort";
}) => Promise<void>;

/** A smaller process has little to give back, and the collection alone would take most of a second at each start. */
const SMALL_BYTES = 384 * 2 ** 20;

let hasEnded = false;

/**
 * Ends what serves a backfill only, the first time it is called: from here on V8 starts collections by the growth of buffers again, so that an indexer
 * that follows its chain stays small. What a large backfill has left is collected now.
 */
export async function endBackfillMemory(): Promise<void> {
  if (hasEnded || !canCountBuffers) return;
  hasEnded = true;
  setFlagsFromString("--no-external-memory-accounted-in-global-limit");
  const { total_heap_size: heap, external_memory: buffers } = getHeapStatistics();
  if (heap + buffers <= SMALL_BYTES) return;
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  await collect({ type: "major", execution: "async", flavor: "last-resort" });
}
