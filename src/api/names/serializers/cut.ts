import type { Hex } from "viem";
import { MAX_SHOWN } from "../rules/shown.ts";

/** Text or bytes as a list shows them, and whether more follows. */
type Cut<Text> = { shown: Text; isCut: boolean };

/** A text as lists show it. A code point is never split. */
export function cutText(text: string, length = MAX_SHOWN): Cut<string> {
  if (text.length <= length) return { shown: text, isCut: false };
  const points = Array.from(text);
  if (points.length <= length) return { shown: text, isCut: false };
  return { shown: points.slice(0, length).join(""), isCut: true };
}

/** Bytes as lists show them: as many bytes as a text may have characters. */
export function cutBytes(bytes: Hex): Cut<Hex> {
  const length = 2 + 2 * MAX_SHOWN;
  if (bytes.length <= length) return { shown: bytes, isCut: false };
  return { shown: bytes.slice(0, length) as Hex, isCut: true };
}

/** The names of the fields that were cut. An item that shows everything has no such field. */
export function truncatedOf(fields: Record<string, Cut<unknown> | null>): { truncated?: string[] } {
  const names = Object.entries(fields).flatMap(([name, field]) => (field?.isCut ? [name] : []));
  return names.length > 0 ? { truncated: names } : {};
}

/** Whole characters of a JSON text, up to its closing quote. */
const JSON_TEXT = /^(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/;

/** Reads the beginning of a JSON-escaped text, without its opening quote. */
export const readEscaped = (beginning: string): string =>
  JSON.parse(`"${JSON_TEXT.exec(beginning)?.[0] ?? ""}"`) as string;
