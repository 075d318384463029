import { MAX_JSON_BYTES } from "../../../server/http/writeReply.ts";
import { nextTurn } from "../../../server/scheduling/turns.ts";
import { toLeftOut } from "./lookupNames.ts";

/** What the frame around the items takes. */
const FRAME_BYTES = 65_536;
/** How long the items are measured before others have a turn. */
const TURN_MS = 10;

type Item = { input: string };

const bytesOf = (item: unknown): number => Buffer.byteLength(JSON.stringify(item)) + 1;

/** What the record of a name of ENSv1 takes besides the name: each of its fields has a length of its own. */
const FIELDS_BYTES = 3_200;
/** A record has the name, its label, its parent and its `display`, and the item the input twice. */
const TIMES_WRITTEN = 6;
/** The most bytes that JSON makes of a character. */
const ESCAPED_BYTES = 6;

type Measured = Item & { domain?: object; records?: object; error?: object };

/** More than an item takes in JSON, where that can be said without writing it; else null. */
export function boundOf({ domain, records, error, input }: Measured): number | null {
  if (domain === undefined || error !== undefined || "protocol" in domain) return null;
  const name = "name" in domain ? String(domain.name) : "";
  const ofName = TIMES_WRITTEN * Math.max(boundOfText(input), boundOfText(name));
  return FIELDS_BYTES + ofName + (records === undefined ? 0 : boundOfValue(records));
}

/** What a value takes around its texts: quotes, a colon, a comma, or a word without quotes. */
const AROUND = 8;

/** Characters that JSON writes as they are, one byte each. */
const PLAIN = /^[\w.:/ -]*$/;

const boundOfText = (text: string): number => (PLAIN.test(text) ? 1 : ESCAPED_BYTES) * text.length;

function boundOfValue(value: unknown): number {
  if (typeof value === "string") return AROUND + boundOfText(value);
  if (typeof value !== "object" || value === null) return AROUND;
  let bytes = AROUND;
  for (const [key, inner] of Object.entries(value)) bytes += boundOfValue(key) + boundOfValue(inner);
  return bytes;
}

/** Whether all items have room for certain. To write each of them twice would take as long as to find them. */
function allFit(items: readonly Item[]): boolean {
  let bytes = FRAME_BYTES;
  return items.every((item) => {
    const bound = boundOf(item);
    bytes += bound ?? 0;
    return bound !== null && bytes <= MAX_JSON_BYTES;
  });
}

/**
 * Leaves out the items for which an answer has no room, so that the others are given. An item that is left out takes at most
 * three times what its input took in the body, so there is room for all of these.
 */
export async function fitItems<One extends Item>(
  items: readonly One[],
): Promise<(One | ReturnType<typeof toLeftOut>)[]> {
  if (allFit(items)) return [...items];
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
