import type { Endpoint } from "../http/endpoint.ts";
import { queriesAsked } from "../observe/queries.ts";
import type { Db } from "../query/db.ts";
import { readTablesVersion } from "./progress.ts";
import { retryOnLock } from "./retryOnLock.ts";

/** How often an answer is read in the hope that no block comes meanwhile; then it is read from a snapshot. */
const HOPEFUL_TRIES = 2;

/** Tells which state the tables are in; another one after each block that is indexed or taken back. */
type VersionReader = { known: string | null; read: () => Promise<string> };

/** What makes operations answer as of one block. */
export type ConsistentRead = (operation: Endpoint) => Endpoint;

/**
 * Most answers take several queries, and a block may be indexed between two of them: the answer would be half of one
 * block and half of the next, right for neither. So the state of the tables is compared before and after, and an
 * answer that straddles a block is read again. That costs one small query, which requests of the same moment share; a
 * transaction around each request would cost two, and hold a connection while the chain is asked. An answer of a single
 * query needs none of it: PostgreSQL answers each query from one state of the tables.
 */
export function createConsistentRead(db: Db): ConsistentRead {
  const versions = createVersionReader(db);
  return (operation) => {
    const handle: Endpoint["handle"] = (input, ctx, caller) => {
      if (operation.answersWhileBuilding) return retryOnLock(() => operation.handle(input, ctx, caller));
      let turns = 0;
      return retryOnLock(async () => {
        while (turns++ < HOPEFUL_TRIES) {
          const before = versions.known ?? (await versions.read());
          const asked = queriesAsked();
          const reply = await operation.handle(input, ctx, caller);
          if (queriesAsked() - asked === 1 || (await versions.read()) === before) return reply;
        }
        return inSnapshot(db, (snapshot) => operation.handle(input, { ...ctx, db: snapshot }, caller));
      });
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
