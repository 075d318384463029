import { findDatabaseError } from "../query/databaseErrors.ts";
import { ApiError } from "../schemas/errors.ts";

/** PostgreSQL's query_canceled. */
const CANCELLED = "57014";

/**
 * What a page holds. The work of a page grows with the number of names before it, and a statement is given 30 seconds:
 * pages that lie too deep for it are refused. A first page that takes so long is no fault of who asks.
 *
 * @throws ApiError LIMIT_EXCEEDED
 */
export async function withPageTimeout<T>(page: number, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (thrown) {
    if (page === 1 || !isOutOfTime(thrown)) throw thrown;
    throw new ApiError(
      "LIMIT_EXCEEDED",
      `Page ${page} lies too deep to be found in time: ask for an earlier one, or narrow the list by filters.`,
    );
  }
}

/** Whether the database gave up by its limit of time, as it does also where somebody tells it to. */
const isOutOfTime = (thrown: unknown): boolean =>
  findDatabaseError(thrown, [CANCELLED])?.message.includes("statement timeout") ?? false;
