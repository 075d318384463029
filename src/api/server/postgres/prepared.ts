import type { Db } from "./db.ts";

/**
 * A statement whose SQL is built once for each database, and parsed and planned once for each connection: each of
 * these takes longer than finding a row by its key. It is for frequent statements; their parameters are placeholders.
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
