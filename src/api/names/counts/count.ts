import type { Db } from "../../server/postgres/db.ts";

/** The sources of a count. */
type Sources<Of, Answer> = {
  /** The maintained counters. Null until they exist, and for counts that they do not contain. */
  fromCounters: (db: Db, of: Of) => Promise<Answer | null>;
  /** The rows themselves: slow, but always right. Tests compare the counters with them. */
  fromRows: (db: Db, of: Of) => Promise<Answer>;
};

/** A count with its sources. Callers `read` it without knowing which source answers. */
export type Count<Of, Answer> = Sources<Of, Answer> & { read: (db: Db, of: Of) => Promise<Answer> };

/**
 * @example
 * export const pending = countOf({ fromCounters: readPending, fromRows: countPending });
 * const names = await pending.read(db, chains);
 */
export const countOf = <Of, Answer>(sources: Sources<Of, Answer>): Count<Of, Answer> => ({
  ...sources,
  read: async (db, of) => (await sources.fromCounters(db, of)) ?? sources.fromRows(db, of),
});
