import { startRun } from "../../../test/engine/chainRun.ts";
import { printOutcome } from "./print.ts";

// Counts the blocks of which a restart asks for the logs, where the tables have all but the last hundred, and the cache is
// empty.

const FINALIZED = 1_000_000;
const run = await startRun({
  databaseUrl: process.argv[2],
  finalized: FINALIZED,
  recovered: FINALIZED - 100,
  follows: "logs" as const,
  onLog: (msg) => {
    if (msg === "Completed backfill indexing across all chains") printOutcome(run.seen.logBlocks);
  },
});
await run.ended;
