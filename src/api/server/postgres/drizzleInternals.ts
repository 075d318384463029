import { npmVersion } from "drizzle-orm/version";
import type { Db } from "./db.ts";

/*
 * Members of drizzle-orm that its types, or Ponder's, do not show. Only this module uses them, and a start checks that they are
 * there: another version of drizzle-orm may have renamed them.
 */

/** What is used here of Ponder's pool of connections to the index. */
export type IndexPool = {
  query: (...args: never[]) => unknown;
  ending?: boolean;
  options?: { maxLifetimeSeconds?: number };
};

type Session = {
  transaction: <Result>(
    run: (db: Db) => Promise<Result>,
    options: { isolationLevel: "repeatable read"; accessMode: "read only" },
  ) => Promise<Result>;
};

type Drizzle = { session: Session; $client: IndexPool };
const drizzleOf = (db: Db): Drizzle => db as unknown as Drizzle;

export const poolOf = (db: Db): IndexPool => drizzleOf(db).$client;

/**
 * A read-only transaction that sees one state. Ponder's own `db.transaction` retries whatever throws nine times within
 * a minute, even the answer for a missing name, and a locked table, for which `retryOnLock` has its own, shorter
 * patience.
 */
export const inSnapshot = <Result>(db: Db, run: (db: Db) => Promise<Result>): Promise<Result> =>
  drizzleOf(db).session.transaction(run, { isolationLevel: "repeatable read", accessMode: "read only" });

/** @throws Error if this version of drizzle-orm lacks a member that is used here */
export function requireDrizzle(db: Db): void {
  const isFunction = (value: unknown): boolean => typeof value === "function";
  const { session, $client } = drizzleOf(db);
  const members: Record<string, boolean> = {
    "session.transaction": isFunction(session?.transaction),
    "$client.query": isFunction($client?.query),
  };
  const missing = Object.keys(members).filter((name) => !members[name]);
  if (missing.length > 0)
    throw new Error(
      `drizzle-orm ${npmVersion} lacks ${missing.join(", ")}. Install the version of package-lock.json with \`npm ci\`.`,
    );
}
