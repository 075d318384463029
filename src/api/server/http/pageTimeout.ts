import type { Part } from "../../names/query/page.ts";
import { ApiError } from "../errors/errors.ts";
import { findDatabaseError } from "../postgres/databaseErrors.ts";

/** PostgreSQL's query_canceled. */
const CANCELLED = "57014";

/**
 * Reads a page. The work of a page grows with the number of rows before it, and a statement is given 30 seconds: pages
 * that are too deep for that are refused. If a first page takes that long, it is not the caller's fault.
 *
 * @throws ApiError LIMIT_EXCEEDED
 */
export async function withPageTimeout<T>(part: Part, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (thrown) {
    if (part.after !== undefined || part.page === 1 || !isOutOfTime(thrown)) throw thrown;
    throw new ApiError(
      "LIMIT_EXCEEDED",
      `Page ${part.page} is too deep to be found in time: continue by \`cursor\`, or narrow the filters.`,
    );
  }
}

/** Whether the statement reached its time limit. PostgreSQL gives the same code when an operator cancels it. */
export const isOutOfTime = (thrown: unknown): boolean =>
  findDatabaseError(thrown, [CANCELLED])?.message.includes("statement timeout") ?? false;
