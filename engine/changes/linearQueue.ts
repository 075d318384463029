import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const file = "utils/queue.js";
const firstLine = `import { promiseWithResolvers, } from "./promiseWithResolvers.js";`;

export const linearQueue: Change = {
  name: "linearQueue",
  group: "fast",
  problem:
    "`utils/queue.js` takes tasks out of an array with `Array.shift()`, which moves all remaining tasks. The backfill queues every block number of a range, up to 100,000, with logs or without: the time grows with the square of the range.",
  cost: "14 s for 100,000 block numbers (0.9 s with the change). Mainnet has 21 million blocks since the first registry, so a first index takes 40 to 90 minutes longer.",
  remedy: "A list with the same methods, from whose start items are taken in constant time.",
  upstream:
    "[#2342](https://github.com/ponder-sh/ponder/pull/2342) offers a similar list. It was closed without being merged.",
  exit: "A release whose queue takes a task in constant time, or which has #2342 or its like.",
  edits: [
    { file, from: firstLine, to: `${importOf("LinearList", "backfill/linearList.ts")}${firstLine}` },
    { file, from: "queue = [];", to: "queue = new LinearList();", times: 2 },
  ],
};
