/** How long one piece of work may hold the event loop, in milliseconds: ten of them are what another caller may wait. */
const TURN_MS = 10;

const waiting: (() => void)[] = [];

/** Releases one waiter, and the next in a turn of its own. */
function letOneGoOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letOneGoOn);
}

/**
 * Waits until the event loop has served others. One waiter continues at a time: however many long answers are built at
 * once, another caller waits for one piece of one of them.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(letOneGoOn);
  });
}

/** Maps many items, and yields to other requests in between: Node answers no other request while a batch is mapped. */
export async function mapYielding<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let begun = performance.now();
  for (const [index, item] of items.entries()) {
    if (performance.now() - begun > TURN_MS) {
      await nextTurn();
      begun = performance.now();
    }
    results.push(map(item, index));
  }
  return results;
}

/** From this length on, in characters, a text takes so long to be read or written that it has a turn of its own. */
const LONG_TEXT = 16_384;

/** Waits for a turn of its own before a long text is read or written; strangers decide how long and how many there are. */
export async function turnFor(length: number): Promise<void> {
  if (length >= LONG_TEXT) await nextTurn();
}
