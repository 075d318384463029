import { registerHooks } from "node:module";

// Loaded into Ponder's process before Ponder (`node --import`).
//
// Ponder 0.17.7 puts every block number of a range, up to 100,000, with logs or without, into a queue and takes them
// out by Array.shift(), which moves all that remain each time once they are more than V8 keeps in one small piece. On
// mainnet, whose 21 million blocks are mostly without a log of ENS, that alone takes an hour or two. Here the queue's
// array becomes a list that is taken from in constant time. What Ponder does is otherwise the same, and where its text
// is not the one expected it stays as it is.

/** The part of an array that the queue uses. */
const list = `class LinearList {
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

const emptied = "queue = [];";

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith("/ponder/dist/esm/utils/queue.js")) return loaded;
    const text = String(loaded.source);
    const isAsKnown =
      text.split(emptied).length === 3 && !/queue\.(?!length\b|push\(|shift\(|js\.map)/.test(text);
    if (!isAsKnown) return loaded;
    return { ...loaded, source: list + text.replaceAll(emptied, "queue = new LinearList();") };
  },
});
