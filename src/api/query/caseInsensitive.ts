import { or } from "ponder";
import { type SearchFilters, searchCondition } from "./search.ts";

/**
 * The condition of a search whose text is found whatever its case. A database of the locale `C` folds ASCII alone, so
 * that the text is looked for in lower case too, as normalised names are written, beside the text as it was given: labels
 * may have been registered with capitals.
 */
export function caseInsensitiveCondition(
  filters: SearchFilters,
  at: { chainId: number; now: number },
): ReturnType<typeof searchCondition> {
  const asGiven = searchCondition(filters, at);
  const { text = "" } = filters;
  const lower = inLowerCase(text);
  if (lower === text.replaceAll(/[A-Z]/g, inLowerCase)) return asGiven;
  return or(asGiven, searchCondition({ ...filters, text: lower }, at));
}

/** Each sign by itself: the text is a part of a name, whose last sigma need not be at the end of a word (ENSIP-15 has σ). */
const inLowerCase = (text: string): string => Array.from(text, (sign) => sign.toLowerCase()).join("");
