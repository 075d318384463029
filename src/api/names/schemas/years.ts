import { ApiError } from "../../server/errors/errors.ts";

/** Lengths of one request, and years of one length. */
export const MAX_LENGTHS = 10;
export const MAX_YEARS = 100;

const YEARS = /^\s*([1-9]\d{0,2})\s*$/;

/**
 * Reads lengths of a registration as callers write them: whole years, separated by commas, each once, in the caller's order.
 *
 * @throws ApiError INVALID_PARAMETER
 * @example
 * parseYears("1,5,10"); // [1, 5, 10]
 */
export function parseYears(text: string): number[] {
  const parts = text.split(",", MAX_LENGTHS + 1);
  if (parts.length > MAX_LENGTHS) {
    throw new ApiError("INVALID_PARAMETER", `\`years\` may contain at most ${MAX_LENGTHS} lengths.`);
  }
  const years = parts.map((part) => Number(YEARS.exec(part)?.[1] ?? Number.NaN));
  if (!years.every((one) => one <= MAX_YEARS)) {
    throw new ApiError(
      "INVALID_PARAMETER",
      `\`years\` must be whole numbers from 1 to ${MAX_YEARS}, separated by commas.`,
    );
  }
  return [...new Set(years)];
}
