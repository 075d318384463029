import { retryLater } from "../errors/errors.ts";
import { CANCELLED_BY_REPLICATION, findDatabaseError } from "../postgres/databaseErrors.ts";

/** How long locked tables are tried again. A reorganisation locks one table after the other, each for a moment. */
const PATIENCE_MS = 2_000;

/**
 * PostgreSQL's lock_not_available, half a second after a query was sent, and deadlock_detected. The third is
 * in_failed_sql_transaction: an operation holds back such an error of one query of its snapshot, and sends the next.
 */
const lockCodes = ["55P03", "40P01", "25P02", CANCELLED_BY_REPLICATION];

/**
 * Reads, and reads again while the tables are locked, and where replication cancels a query on a standby.
 *
 * @throws ApiError INDEX_NOT_READY if they stay locked: nothing is wrong with the service, and the same request succeeds
 * a moment later or at another replica
 */
export async function retryOnLock<Result>(read: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  for (;;) {
    try {
      return await read();
    } catch (thrown) {
      if (findDatabaseError(thrown, lockCodes) === null) throw thrown;
      if (performance.now() - start > PATIENCE_MS) throw lockedOut();
    }
  }
}

const lockedOut = () =>
  retryLater("INDEX_NOT_READY", "The tables of the index are locked while they are changed.", 1);
