import { setImmediate as nextTurn } from "node:timers/promises";

/** How long one answer may hold the event loop, in milliseconds. */
const TURN_MS = 10;

/** Maps many items, and yields to other requests in between: Node answers no other request while a batch is mapped. */
export async function mapYielding<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let begun = performance.now();
  for (const item of items) {
    if (performance.now() - begun > TURN_MS) {
      await nextTurn();
      begun = performance.now();
    }
    results.push(map(item));
  }
  return results;
}
