import type { SQL } from "drizzle-orm";
import { or } from "ponder";
import type { Scope } from "./scope.ts";
import { hasInLabel, type SearchFilters, searchCondition } from "./search.ts";

/**
 * The condition of a case-insensitive search. A database with the locale `C` ignores case for ASCII only. So the search matches
 * the text as given, because labels can be registered with capitals, and the lowercase text, as in normalised names.
 */
export function caseInsensitiveCondition(
  filters: SearchFilters,
  at: { chains: Scope; now: number },
): ReturnType<typeof searchCondition> {
  const { text } = filters;
  if (!text) return searchCondition(filters, at);
  return or(...inAnyCase(text).map((one) => searchCondition({ ...filters, text: one }, at)));
}

/** The condition for labels that contain a text, case-insensitive. */
export const hasInAnyCase = (text: string): SQL | undefined => or(...inAnyCase(text).map(hasInLabel));

/** Patterns to find in a label: the text as given, and in lower case where PostgreSQL may not fold its case. */
function inAnyCase(text: string): string[] {
  const lower = inLowerCase(text);
  return lower === text.replaceAll(/[A-Z]/g, inLowerCase) ? [text] : [text, lower];
}

/** Lowercases one character at a time: the text is a part of a name, so a final sigma need not end a word (ENSIP-15 uses σ). */
const inLowerCase = (text: string): string =>
  Array.from(text, (character) => character.toLowerCase()).join("");
