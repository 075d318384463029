import { createHash } from "node:crypto";
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

/** Statements that `plannedOnce` gives a name. Each connection keeps the plan of each. */
const MAX_PLANNED = 100;

/** Names by text. They follow from the text: a connection outlives this module when it is reloaded. */
const names = new Map<string, string>();

type Built<Rows> = PromiseLike<Rows> & {
  toSQL: () => { sql: string };
  prepare: (name: string) => { execute: (values?: Values) => Promise<Rows> };
  execute: (values?: Values) => Promise<Rows>;
};
type Values = Record<string, unknown>;

/**
 * Runs a statement that each connection plans once. It is for large statements with few texts, whose planning takes most of their
 * time. After the first {@link MAX_PLANNED} texts, new ones are planned each time.
 */
export function plannedOnce<Rows>(statement: Built<Rows>, values?: Values): Promise<Rows> {
  const { sql } = statement.toSQL();
  if (!names.has(sql) && names.size < MAX_PLANNED)
    names.set(sql, createHash("sha256").update(sql).digest("base64url"));
  const name = names.get(sql);
  return (name === undefined ? statement : statement.prepare(name)).execute(values);
}
