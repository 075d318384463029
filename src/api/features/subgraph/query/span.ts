import { BEGINNING } from "../../../names/rules/nameOrders.ts";
import type { ListArguments } from "./listArguments.ts";

/*
 * A part of an order of texts: it begins where a list begins, and ends after a share of all texts.
 */

/** Both inside; null where there is no end. */
export type Span = { from: string | null; to: string | null };

/** `starts`: what comes before these is not in the list. */
type Asked = { direction: ListArguments["direction"]; starts: readonly string[]; share: number };

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Where the list begins: the last of what is said in its direction. */
function startOf({ starts, direction }: Asked): string | null {
  const [last = null, ...others] = starts.toSorted(byBytes).toReversed();
  return direction === "asc" ? last : (others.at(-1) ?? last);
}

const spanFrom = ({ direction }: Asked, start: string | null, end: string | null): Span =>
  direction === "asc" ? { from: start, to: end } : { from: end, to: start };

/** Digits of a hash by which its place among all is known well enough. */
const DIGITS = 8;
const HEX = /^0x[0-9a-f]*$/;

/** Of hashes: as many of them begin with each digit. Null where the list begins at something else. */
export function spanOfHex(asked: Asked): Span | null {
  const start = startOf(asked);
  if (start !== null && !HEX.test(start)) return null;
  const isUp = asked.direction === "asc";
  const all = 16 ** DIGITS;
  const digits = start?.slice(2, 2 + DIGITS).padEnd(DIGITS, "0");
  const begin = digits === undefined ? (isUp ? 0 : all) : Number.parseInt(digits, 16);
  const end = Math.round(begin + (isUp ? 1 : -1) * asked.share * all);
  const isInside = end > 0 && end < all;
  return spanFrom(asked, start, isInside ? `0x${end.toString(16).padStart(DIGITS, "0")}` : null);
}

/** Fewer texts say too little of how others are spread. */
const MIN_SPREAD = 50;

/** Of texts, by some of them between which there are about as many. Null where too few are known. */
export function spanOfTexts(asked: Asked, spread: readonly string[]): Span | null {
  if (spread.length < MIN_SPREAD) return null;
  const said = startOf(asked);
  const start = said === null ? null : Array.from(said).slice(0, BEGINNING).join("");
  const isAfter = (text: string): boolean =>
    start === null || byBytes(text, start) * (asked.direction === "asc" ? 1 : -1) > 0;
  const after = (asked.direction === "asc" ? spread : spread.toReversed()).filter(isAfter);
  const end = after[Math.ceil(asked.share * spread.length)] ?? null;
  return spanFrom(asked, start, end);
}
