import { PAGE_SIZE } from "../../names/schemas/paging.ts";
import { ApiError } from "../errors/errors.ts";
import { fairPlaces } from "../scheduling/places.ts";

/*
 * The work of a page grows with the number of results before it. So no page skips more than a bound (`query/page.ts`), and few
 * pages that lie deep are read at once: a crowd that asks for them does not take the connections of others.
 */

/** The last page of a list that can be asked for by its number, with 25 results each. */
export const MAX_PAGE = 4_000;

/** A page that begins after this many results is deep: with 25 results each, those beyond page 40. */
export const DEEP_AFTER = 1_000;

/** Deep pages that one process reads at once; those above wait, and not more of them than these. */
export const MAX_AT_ONCE = 2;
export const MAX_WAITING = 16;

/** The input of an operation. Without `page` it has no pages, or continues by a cursor. */
type Input = { page?: unknown; page_size?: unknown };

/** Reads a page of a list, or what has no pages. */
export type ReadPage = <Reply>(input: Input, read: () => Promise<Reply>) => Promise<Reply>;

function refuseTooDeep(error: unknown): never {
  if (error instanceof Error && error.name === "PageTooDeep") {
    throw new ApiError("LIMIT_EXCEEDED", error.message);
  }
  throw error;
}

export function createPageReader(): ReadPage {
  const places = fairPlaces({
    running: { most: MAX_AT_ONCE, each: MAX_AT_ONCE },
    waiting: { most: MAX_WAITING, each: MAX_WAITING },
    refuse: () =>
      new ApiError(
        "LIMIT_EXCEEDED",
        `Too many pages beyond result ${DEEP_AFTER} are being read. Try again later, continue by \`cursor\`, or narrow the filters.`,
      ),
  });
  const { signal } = new AbortController();
  return async ({ page, page_size: size = PAGE_SIZE }, read) => {
    if (typeof page !== "number" || typeof size !== "number") return read();
    const readOrRefuse = () => read().catch(refuseTooDeep);
    return (page - 1) * size < DEEP_AFTER ? readOrRefuse() : places("everyone", signal, readOrRefuse);
  };
}
