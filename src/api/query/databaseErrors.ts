/** The error with one of these codes of PostgreSQL in what was thrown, as itself or as a cause; null if there is none. */
export function findDatabaseError(thrown: unknown, codes: readonly string[]): Error | null {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (codes.includes(String((error as { code?: unknown }).code))) return error;
  }
  return null;
}
