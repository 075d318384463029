import { MAX_JSON_BYTES } from "../../../server/http/writeReply.ts";
import { mapYielding } from "../../../server/scheduling/turns.ts";
import { toLeftOut } from "./lookupNames.ts";

/** Bytes of an answer besides its items. */
const FRAME_BYTES = 65_536;

type Item = { input: string };

const bytesOf = (item: unknown): number => Buffer.byteLength(JSON.stringify(item)) + 1;

/**
 * Replaces the items that do not fit, so that the others are still answered. A replaced item takes at most three times the
 * size of its input in the body, so all of them fit.
 */
export async function fitItems<One extends Item>(
  items: readonly One[],
): Promise<(One | ReturnType<typeof toLeftOut>)[]> {
  const without = items.map(({ input }) => toLeftOut(input, "no room"));
  let used = without.reduce((sum, item) => sum + bytesOf(item), FRAME_BYTES);
  return mapYielding(items, (item, i) => {
    const instead = without[i] as (typeof without)[number];
    const more = bytesOf(item) - bytesOf(instead);
    const hasRoom = used + more <= MAX_JSON_BYTES;
    if (hasRoom) used += more;
    return hasRoom ? item : leftOut(item, more, instead);
  });
}

/** An item too large for any answer would be requested again and again. */
const leftOut = <One extends Item>(item: One, more: number, instead: ReturnType<typeof toLeftOut>) =>
  more + FRAME_BYTES > MAX_JSON_BYTES ? toLeftOut(item.input, "too large") : instead;
