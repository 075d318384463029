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
  const asGiven = searchCondition(filters, at);
  const { text = "" } = filters;
  const lower = inLowerCase(text);
  if (lower === text.replaceAll(/[A-Z]/g, inLowerCase)) return asGiven;
  return or(asGiven, searchCondition({ ...filters, text: lower }, at));
}

/** The condition for labels that hold a text, without its case. */
export function hasInAnyCase(text: string): SQL | undefined {
  const lower = inLowerCase(text);
  if (lower === text.replaceAll(/[A-Z]/g, inLowerCase)) return hasInLabel(text);
  return or(hasInLabel(text), hasInLabel(lower));
}

/**
 * One character at a time: the text is a part of a name, so its last sigma is not always the end of a word (ENSIP-15
 * has σ).
 */
const inLowerCase = (text: string): string =>
  Array.from(text, (character) => character.toLowerCase()).join("");
