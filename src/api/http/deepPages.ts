import { ApiError } from "../errors/errors.ts";
import { limiter } from "../scheduling/bounded.ts";

/*
 * The work of a page grows with the number of results before it. So no page lies deeper than a bound, and few pages that lie
 * deep are read at once: a crowd that asks for them does not take the connections of others.
 */

/** The last page of a list that can be asked for: with 25 results each, 100,000 of them. */
export const MAX_PAGE = 4_000;

/** Pages beyond this one are deep: after 1,000 results. */
export const DEEP_PAGE = 40;

/** Deep pages that one process reads at once; those above wait, and not more of them than these. */
export const MAX_AT_ONCE = 2;
export const MAX_WAITING = 16;

/** @throws ApiError LIMIT_EXCEEDED */
function checkPage(page: number): void {
  if (page <= MAX_PAGE) return;
  throw new ApiError(
    "LIMIT_EXCEEDED",
    `Pages end with ${MAX_PAGE}. To reach more, narrow the list by filters, by expiry for example, or sort it the other way.`,
  );
}

/** Reads a page of a list, or what has no pages. */
export type ReadPage = <Reply>(page: unknown, read: () => Promise<Reply>) => Promise<Reply>;

export function createPageReader(): ReadPage {
  const inTurn = limiter(MAX_AT_ONCE);
  const { signal } = new AbortController();
  let present = 0;
  return async (page, read) => {
    if (typeof page !== "number") return read();
    checkPage(page);
    if (page <= DEEP_PAGE) return read();
    if (present >= MAX_AT_ONCE + MAX_WAITING) {
      throw new ApiError(
        "LIMIT_EXCEEDED",
        `Too many pages beyond page ${DEEP_PAGE} are read now. Ask again later, or narrow the list by filters.`,
      );
    }
    present++;
    try {
      return await inTurn(signal, read);
    } finally {
      present--;
    }
  };
}
