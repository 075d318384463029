import type { Change } from "../change.ts";

export const synchronousCommit: Change = {
  name: "synchronousCommit",
  group: "correct",
  problem:
    "`utils/pg.js` turns `synchronous_commit` off on every connection that writes. A PostgreSQL server that crashes loses the commits of its last half second. Ponder outlives the crash, does not notice the loss, and continues after the lost blocks.",
  cost: "Blocks are missing for good, and nothing tells that they are.",
  remedy: "`synchronous_commit` is on: each commit, one for each block or batch, waits for the disk.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that leaves `synchronous_commit` on, or lets the configuration set it for all of its connections.",
  edits: [
    {
      file: "utils/pg.js",
      from: "SET synchronous_commit = off;",
      to: "SET synchronous_commit = on;",
      times: 2,
    },
  ],
};
