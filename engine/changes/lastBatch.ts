import type { Change } from "../change.ts";

export const lastBatch: Change = {
  name: "lastBatch",
  group: "correct",
  problem:
    "The backfill (`runtime/historical.js`) gives a batch that ends one block before the last one the checkpoint of the last block. A batch ends there where the last block has more logs than were left of its limit.",
  cost: "A process that is killed between that batch and the next one goes on after the last block. The events of that block are missing for good, and nothing tells that they are.",
  remedy: "Only a batch that has the last block has its checkpoint.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that compares `cursor > toBlock` in `getLocalEventGenerator`.",
  edits: [{ file: "runtime/historical.js", from: "if (cursor >= toBlock) {", to: "if (cursor > toBlock) {" }],
};
