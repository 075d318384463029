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

/** Statements with a name, of `builtOnce` and `plannedOnce` each. Each connection keeps the plan of each. */
const MAX_PLANNED = 100;

const built = new WeakMap<Db, Map<string, { execute: (values: Values) => Promise<unknown> }>>();

/**
 * Runs a statement that is built once for each database and planned once for each connection. It is for large statements: drizzle-orm
 * takes up to 5 ms to build one. After the first {@link MAX_PLANNED} titles, new ones are built each time.
 *
 * @param title determines the text: what differs between calls with the same title is a placeholder
 * @param values the placeholders' values
 */
export function builtOnce<Rows>(
  db: Db,
  title: string,
  build: () => Built<Rows>,
  values: Values,
): Promise<Rows> {
  const statements = built.get(db) ?? new Map();
  built.set(db, statements);
  const known = statements.get(title);
  if (known !== undefined) return known.execute(values);
  const statement = build();
  if (statements.size >= MAX_PLANNED) return statement.execute(values);
  const named = statement.prepare(nameOf(statement.toSQL().sql));
  statements.set(title, named);
  return named.execute(values);
}

const nameOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Names by text. They follow from the text: a connection outlives this module when it is reloaded. */
const names = new Map<string, string>();

type Built<Rows> = PromiseLike<Rows> & {
  toSQL: () => { sql: string };
  prepare: (name: string) => { execute: (values?: Values) => Promise<Rows> };
  execute: (values?: Values) => Promise<Rows>;
};
export type Values = Record<string, unknown>;

/**
 * Runs a statement that each connection plans once, for callers without a title for each text. After the first
 * {@link MAX_PLANNED} texts, new ones are planned each time.
 */
export function plannedOnce<Rows>(statement: Built<Rows>): Promise<Rows> {
  const { sql } = statement.toSQL();
  if (!names.has(sql) && names.size < MAX_PLANNED) names.set(sql, nameOf(sql));
  const name = names.get(sql);
  return (name === undefined ? statement : statement.prepare(name)).execute();
}
