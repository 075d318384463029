import { createHash } from "node:crypto";
import type { Db } from "./db.ts";
import { withQuickRows } from "./quickRows.ts";

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

/** A statement with its values, and what makes it a prepared one. */
type Statement<Rows> = {
  toSQL: () => { sql: string };
  prepare: (name: string) => { execute: () => Promise<Rows> };
};

/**
 * Runs a statement that is composed for each request, and whose plan connections keep under a name of its text. Only for texts
 * that differ in few ways, and for plans that are right for all values.
 */
export function keepingPlan<Rows>(statement: Statement<Rows>): Promise<Rows> {
  const name = `kept_${createHash("sha256").update(statement.toSQL().sql).digest("base64url")}`;
  return withQuickRows(statement.prepare(name)).execute();
}
