/** The thrown error, or its cause, that has one of these PostgreSQL codes; null if none has. */
export function findDatabaseError(thrown: unknown, codes: readonly string[]): Error | null {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (codes.includes(String((error as { code?: unknown }).code))) return error;
  }
  return null;
}
