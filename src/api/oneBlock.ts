import type { Db } from "./context.ts";
import type { Endpoint } from "./endpoint.ts";
import { ApiError } from "./errors.ts";
import { queriesAsked } from "./observe/queries.ts";
import { findDatabaseError } from "./query/databaseErrors.ts";
import { readTablesVersion } from "./query/progress.ts";

/** How often an answer is read in the hope that no block comes meanwhile; then it is read from a snapshot. */
const HOPEFUL_TRIES = 2;
/** How long locked tables are tried again; a reorganisation locks them for a moment. */
const LOCK_PATIENCE_MS = 2_000;

/** Tells which state the tables are in; another one after each block that is indexed or taken back. */
type VersionReader = { known: string | null; read: () => Promise<string> };

/** What makes operations answer as of one block. */
export type OneBlock = (operation: Endpoint) => Endpoint;

/**
 * Most answers take several queries, and a block may be indexed between two of them: the answer would be half of one
 * block and half of the next, right for neither. So the state of the tables is compared before and after, and an
 * answer that straddles a block is read again. That costs one small query, which requests of the same moment share; a
 * transaction around each request would cost two, and hold a connection while the chain is asked. An answer of a single
 * query needs none of it: PostgreSQL answers each query from one state of the tables.
 */
export function createOneBlock(db: Db): OneBlock {
  const versions = createVersionReader(db);
  return (operation) => {
    if (operation.answersWhileBuilding) return operation;
    const handle: Endpoint["handle"] = async (input, ctx, caller) => {
      const start = performance.now();
      for (let turn = 1; ; turn++) {
        const before = versions.known ?? (await versions.read());
        try {
          if (turn > HOPEFUL_TRIES) {
            return await inSnapshot(db, (snapshot) =>
              operation.handle(input, { ...ctx, db: snapshot }, caller),
            );
          }
          const asked = queriesAsked();
          const reply = await operation.handle(input, ctx, caller);
          if (queriesAsked() - asked === 1 || (await versions.read()) === before) return reply;
        } catch (thrown) {
          if (!isLocked(thrown)) throw thrown;
          if (performance.now() - start > LOCK_PATIENCE_MS) throw lockedOut();
        }
      }
    };
    return { ...operation, handle };
  };
}

/** All who ask in one turn of the event loop share a query, which begins after each of them has read. */
function createVersionReader(db: Db): VersionReader {
  let next: Promise<string> | null = null;
  const reader: VersionReader = {
    known: null,
    read: () => {
      next ??= new Promise((resolve) => setImmediate(resolve)).then(async () => {
        next = null;
        reader.known = await readTablesVersion(db);
        return reader.known;
      });
      return next;
    },
  };
  return reader;
}

type Transactions = {
  transaction: <Result>(
    run: (db: Db) => Promise<Result>,
    options: { isolationLevel: "repeatable read"; accessMode: "read only" },
  ) => Promise<Result>;
};

/** Ponder hands the database out without its transactions; on the pool that only reads they do no harm. */
const inSnapshot = <Result>(db: Db, run: (db: Db) => Promise<Result>): Promise<Result> =>
  (db as unknown as Transactions).transaction(run, {
    isolationLevel: "repeatable read",
    accessMode: "read only",
  });

/** PostgreSQL's lock_not_available and deadlock_detected. */
const lockCodes = ["55P03", "40P01"];

/** Nothing is wrong with the service: whoever asks again in a moment, or another replica, finds the tables free. */
const lockedOut = () =>
  new ApiError("INDEX_NOT_READY", "The tables of the index are locked; they are being changed.", {
    headers: { "Retry-After": "1" },
  });

/** Whether the tables could not be read for half a second: a reorganisation locks one after the other. */
const isLocked = (thrown: unknown): boolean => findDatabaseError(thrown, lockCodes) !== null;
