import { endBackfillMemory } from "../../../../engine/backfillMemory.ts";
import { printOutcome } from "./print.ts";

// Drops the rows of a backfill, among which lies what is remembered for longer, and counts the memory of the process after a
// second in which it only waits. Ponder calls what the change adds at this point (runtime/multichain.js).

const remembered: object[] = [];
let rows: object[] | null = Array.from({ length: 2e6 }, (_, i) => {
  if (i % 100 === 0) remembered.push({ hash: `hash of ${i}` });
  return { name: `name ${i}`, owner: `owner ${i}`, node: [i, i + 1, i + 2] };
});
if (rows.length === remembered.length) throw new Error("rows and what is remembered are the same");
rows = null;
if (globalThis.namedexChanges?.includes("backfillMemory")) await endBackfillMemory();
setTimeout(() => printOutcome(process.memoryUsage().rss / 2 ** 20), 1_000);
