import { MAX_JSON_BYTES } from "../../../server/http/writeReply.ts";
import { nextTurn } from "../../../server/scheduling/turns.ts";
import { toLeftOut } from "./lookupNames.ts";

/** Bytes of an answer besides its items. */
const FRAME_BYTES = 65_536;
/** How long items are measured before other requests get a turn, in milliseconds. */
const TURN_MS = 10;

type Item = { input: string };

const bytesOf = (item: unknown): number => Buffer.byteLength(JSON.stringify(item)) + 1;

/** Bytes of an ENSv1 domain record without the name: each other field has a bounded length. */
const FIELDS_BYTES = 3_200;
/** A record contains the name, its label, its parent and its `display`; the item contains the input twice. */
const TIMES_WRITTEN = 6;
/** Most bytes of one character in JSON. */
const ESCAPED_BYTES = 6;

type Measured = Item & { domain?: object; records?: object; error?: object };

/** An upper bound of an item in JSON, where one is known without serialising it; otherwise null. */
export function boundOf({ domain, records, error, input }: Measured): number | null {
  if (domain === undefined || error !== undefined || "protocol" in domain) return null;
  const name = "name" in domain ? String(domain.name) : "";
  const ofName = TIMES_WRITTEN * Math.max(boundOfText(input), boundOfText(name));
  return FIELDS_BYTES + ofName + (records === undefined ? 0 : boundOfValue(records));
}

/** Bytes of a value besides its texts: quotes, a colon, a comma, or a bare word. */
const AROUND = 8;

/** Characters that JSON writes unescaped, in one byte each. */
const PLAIN = /^[\w.:/ -]*$/;

const boundOfText = (text: string): number => (PLAIN.test(text) ? 1 : ESCAPED_BYTES) * text.length;

function boundOfValue(value: unknown): number {
  if (typeof value === "string") return AROUND + boundOfText(value);
  if (typeof value !== "object" || value === null) return AROUND;
  let bytes = AROUND;
  for (const [key, inner] of Object.entries(value)) bytes += boundOfValue(key) + boundOfValue(inner);
  return bytes;
}

/** Whether all items certainly fit. Serialising each twice would take as long as finding them. */
function allFit(items: readonly Item[]): boolean {
  let bytes = FRAME_BYTES;
  return items.every((item) => {
    const bound = boundOf(item);
    bytes += bound ?? 0;
    return bound !== null && bytes <= MAX_JSON_BYTES;
  });
}

/**
 * Replaces the items that do not fit, so that the others are still answered. A replaced item takes at most three times the
 * size of its input in the body, so all of them fit.
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

/** An item too large for any answer would be requested again and again. */
const leftOut = <One extends Item>(item: One, more: number, instead: ReturnType<typeof toLeftOut>) =>
  more + FRAME_BYTES > MAX_JSON_BYTES ? toLeftOut(item.input, "too large") : instead;
