import { MAX_JSON_BYTES } from "../../http/writeReply.ts";
import { nextTurn } from "../../scheduling/turns.ts";
import { toLeftOut } from "./names.ts";

/** What the frame around the items takes. */
const FRAME_BYTES = 65_536;
/** How long the items are measured before others have a turn. */
const TURN_MS = 10;

type Item = { input: string };

const bytesOf = (item: unknown): number => Buffer.byteLength(JSON.stringify(item)) + 1;

/**
 * Leaves out the items for which an answer has no room, so that the others are given. An item that is left out takes at most
 * three times what its input took in the body, so there is room for all of these.
 */
export async function fitItems<One extends Item>(
  items: readonly One[],
): Promise<(One | ReturnType<typeof toLeftOut>)[]> {
  const without = items.map(({ input }) => toLeftOut(input, "no room"));
  let used = without.reduce((sum, item) => sum + bytesOf(item), FRAME_BYTES);
  const fitting: (One | ReturnType<typeof toLeftOut>)[] = [];
  let begun = performance.now();
  for (const [i, item] of items.entries()) {
    if (performance.now() - begun > TURN_MS) {
      await nextTurn();
      begun = performance.now();
    }
    const instead = without[i] as (typeof without)[number];
    const more = bytesOf(item) - bytesOf(instead);
    const hasRoom = used + more <= MAX_JSON_BYTES;
    if (hasRoom) used += more;
    fitting.push(hasRoom ? item : leftOut(item, more, instead));
  }
  return fitting;
}

/** An item that no answer has room for would be asked for again and again. */
const leftOut = <One extends Item>(item: One, more: number, instead: ReturnType<typeof toLeftOut>) =>
  more + FRAME_BYTES > MAX_JSON_BYTES ? toLeftOut(item.input, "too large") : instead;
