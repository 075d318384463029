import type { Db } from "../../../server/postgres/db.ts";

/** What is read of a database, read again after a time. */
export function readAgain<Values>(
  ms: number,
  read: (db: Db) => Promise<Values>,
): (db: Db) => Promise<Values> {
  const known = new WeakMap<Db, { values: Promise<Values>; until: number }>();
  return (db) => {
    const before = known.get(db);
    if (before !== undefined && performance.now() < before.until) return before.values;
    const reading = { values: read(db), until: performance.now() + ms };
    known.set(db, reading);
    reading.values.catch(() => {
      if (known.get(db) === reading) known.delete(db);
    });
    return reading.values;
  };
}
