import type { SQL } from "drizzle-orm";
import { or } from "ponder";
import type { Scope } from "./scope.ts";
import { hasInLabel, type SearchFilters, searchCondition } from "./search.ts";

/**
 * The condition of a search that ignores the case of its text. A database with the locale `C` ignores case for ASCII
 * only. So the search looks for the text as given, because labels can be registered with capitals, and for the text in
 * lower case, as in normalised names.
 */
export function caseInsensitiveCondition(
  filters: SearchFilters,
  at: { chains: Scope; now: number },
): ReturnType<typeof searchCondition> {
  const { text } = filters;
  if (!text) return searchCondition(filters, at);
  return or(...inAnyCase(text).map((one) => searchCondition({ ...filters, text: one }, at)));
}

/** The condition for labels that hold a text, without its case. */
export const hasInAnyCase = (text: string): SQL | undefined => or(...inAnyCase(text).map(hasInLabel));

/** Texts to find in a label: the text as given, and its lower case where PostgreSQL may not know the case. */
function inAnyCase(text: string): string[] {
  const lower = inLowerCase(text);
  return lower === text.replaceAll(/[A-Z]/g, inLowerCase) ? [text] : [text, lower];
}

/**
 * One character at a time: the text is a part of a name, so its last sigma is not always the end of a word (ENSIP-15
 * has σ).
 */
const inLowerCase = (text: string): string =>
  Array.from(text, (character) => character.toLowerCase()).join("");
