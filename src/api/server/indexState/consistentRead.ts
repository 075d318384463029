import { rememberAbsent } from "../postgres/absent.ts";
import type { Db } from "../postgres/db.ts";
import { inSnapshot } from "../postgres/drizzleInternals.ts";
import { readWithState } from "../postgres/seenState.ts";
import { shared } from "../scheduling/shared.ts";
import { type Position, readTablesState, type TablesState } from "./position.ts";
import { retryOnLock } from "./retryOnLock.ts";

/** How often a result is read without a transaction; after that it is read from a snapshot. */
const OPTIMISTIC_TRIES = 2;

/** Identifies the state of the tables, which changes with each block that is indexed or rolled back. */
export type StateReader = {
  known: TablesState | null;
  read: () => Promise<TablesState>;
};

/** A result, and the block of each chain that the tables stood on when it was read. */
export type ReadResult<Result> = { result: Result; position: Position };

/**
 * Reads a result whose queries all see the tables at one position. `read` may run several times.
 */
export type ConsistentRead = <Result>(read: (db: Db) => Promise<Result>) => Promise<ReadResult<Result>>;

/**
 * Most answers take several queries, and a block may be indexed between two of them. Such an answer would be half of one
 * block and half of the next, and right for neither. So the state of the tables is compared before and after, and an
 * answer that spans a new block is read again. This costs one small query, which requests of the same moment share. A
 * transaction around each request would cost two queries, and hold a connection while the chain is asked. An answer from
 * one query has one state by itself; the comparison shows which one.
 */
export function createConsistentRead(
  db: Db,
  states = createStateReader(() => readTablesState(db)),
): ConsistentRead {
  return (read) => {
    let tries = 0;
    const readOnce = async () => {
      while (tries++ < OPTIMISTIC_TRIES) {
        const before = states.known ?? (await states.read());
        const { result, version: seen } = await readWithState(() => read(db));
        if (seen !== null && seen === before.version) return { result, position: before.position };
        const { version, position } = await states.read();
        if (version === (seen ?? before.version)) return { result, position };
      }
      return inSnapshot(db, async (snapshot) => {
        const { position } = await readTablesState(snapshot);
        return { result: await read(snapshot), position };
      });
    };
    return rememberAbsent(() => retryOnLock(readOnce));
  };
}

/** Calls share readings, as `shared` says. */
export function createStateReader(readState: () => Promise<TablesState>): StateReader {
  const reader: StateReader = {
    known: null,
    read: shared(async () => {
      reader.known = await readState();
      return reader.known;
    }),
  };
  return reader;
}
