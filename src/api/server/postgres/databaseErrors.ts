/** The thrown error, or its cause, that has one of these PostgreSQL codes; null if none has. */
export function findDatabaseError(thrown: unknown, codes: readonly string[]): Error | null {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (codes.includes(String((error as { code?: unknown }).code))) return error;
  }
  return null;
}

/** How connections fail that may be accepted a while later. */
const UNREACHABLE = [
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
];

/** PostgreSQL's disk is full, it has no connection left, is stopping, or is starting. Source: its documentation, appendix A. */
const BUSY = ["53100", "53300", "57P01", "57P02", "57P03"];

/** PostgreSQL's read_only_sql_transaction: a write was sent to a standby. */
export const READ_ONLY = "25006";

/** PostgreSQL's serialization_failure: on a standby, replication cancelled a query that stood in its way. */
export const CANCELLED_BY_REPLICATION = "40001";

/** How `pg` says that its connection has ended, or was not made in time: by words alone. */
const ENDED =
  /^(Connection terminated|Client has encountered a connection error|timeout expired|timeout exceeded when trying to connect)/;

/** Whether this error says that a connection was refused or cut. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return UNREACHABLE.includes(String((error as { code?: unknown }).code)) || ENDED.test(error.message);
}

/**
 * Whether an error, or its cause, says that the database does not answer or is not the primary, which may pass. Errors
 * of `fetch` have the same codes below a TypeError; those concern nodes and gateways.
 */
export function isDatabaseAway(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof TypeError) return false;
    const code = String((error as { code?: unknown }).code);
    if (isUnreachable(error) || code === READ_ONLY || BUSY.includes(code)) return true;
  }
  return false;
}

/** What an error says. A host with several addresses that all refuse is an error without a message, but with a code. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || String((error as { code?: unknown }).code ?? error.name);
}
