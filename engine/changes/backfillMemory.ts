import type { Change } from "../change.ts";

const module = JSON.stringify(new URL("../backfillMemory.ts", import.meta.url).href);

export const backfillMemory: Change = {
  name: "backfillMemory",
  group: "fast",
  problem:
    "At the end of the backfill Ponder drops the rows that it kept (`runtime/multichain.js`). V8 has no reason to collect them while the process only follows its chain: with the flags of `npm start` it waits for its limit.",
  cost: "An indexer that follows keeps the memory of its backfill: 6.4 GiB after 300,000 names.",
  remedy:
    "The rows of a large process are collected once, at that moment, and from then on V8 collects as it usually does.",
  upstream: "Not reported as of 2026-11. Without those flags V8 collects sooner.",
  exit: "A release, or a version of Node, after which the process is small again at the end of a backfill with the flags of `npm start`.",
  edits: [
    {
      file: "runtime/multichain.js",
      from: "only predicted rows will be in memory after this point.\n    indexingCache.invalidate();\n",
      to: `only predicted rows will be in memory after this point.
    indexingCache.invalidate();
    (await import(${module})).endBackfillMemory();
`,
    },
  ],
};
