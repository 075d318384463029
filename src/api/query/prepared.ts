import type { Db } from "./db.ts";

/**
 * A statement that is written out once for each database, and parsed and planned once for each connection: both take
 * longer than finding a row by its key. For statements that are asked again and again, with their parameters as
 * placeholders.
 */
export function prepared<Statement>(prepare: (db: Db) => Statement): (db: Db) => Statement {
  const statements = new WeakMap<Db, Statement>();
  return (db) => {
    const known = statements.get(db);
    if (known !== undefined) return known;
    const made = prepare(db);
    statements.set(db, made);
    return made;
  };
}
