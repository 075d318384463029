import type { Change } from "../change.ts";

/** The part of an array that the queue uses. Items are taken from its start in constant time. */
const linearList = `class LinearList {
  #items = []; #taken = 0;
  get length() { return this.#items.length - this.#taken; }
  push(item) { this.#items.push(item); }
  shift() {
    const item = this.#items[this.#taken];
    this.#items[this.#taken++] = undefined;
    if (this.#taken === this.#items.length) { this.#items = []; this.#taken = 0; }
    return item;
  }
  *[Symbol.iterator]() { for (let i = this.#taken; i < this.#items.length; i++) yield this.#items[i]; }
}
`;

const file = "utils/queue.js";
const firstLine = `import { promiseWithResolvers, } from "./promiseWithResolvers.js";`;

export const linearQueue: Change = {
  name: "linearQueue",
  problem:
    "`utils/queue.js` takes tasks out of an array with `Array.shift()`, which moves all remaining tasks. The backfill queues every block number of a range, up to 100,000, with logs or without: the time grows with the square of the range.",
  cost: "14 s for 100,000 block numbers (0.9 s with the change). Mainnet has 21 million blocks since the first registry, so a first index takes 40 to 90 minutes longer.",
  remedy: "A list with the same methods, from whose start items are taken in constant time.",
  upstream:
    "[#2342](https://github.com/ponder-sh/ponder/pull/2342) offers a similar list. It was closed without being merged.",
  edits: [
    { file, from: firstLine, to: `${firstLine}\n${linearList}` },
    { file, from: "queue = [];", to: "queue = new LinearList();", times: 2 },
  ],
};
