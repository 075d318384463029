import pg from "pg";
import { ponderModule } from "./ponders.ts";

declare global {
  var PONDER_NAMESPACE_BUILD: { schema: string; viewsSchema: undefined };
}
/** Ponder's tables take their schema from here when they are declared. */
globalThis.PONDER_NAMESPACE_BUILD = { schema: "trial", viewsSchema: undefined };

/** Makes the tables of a trial in the database of the command line, as Ponder does, except those for reorganisations. */
export async function openTables(schema: Record<string, unknown>): Promise<pg.Pool> {
  const { getSql } = await ponderModule("drizzle/kit/index.js");
  const pool = new pg.Pool({ connectionString: process.argv[2], max: 1 });
  await pool.query("DROP SCHEMA IF EXISTS trial CASCADE; CREATE SCHEMA trial");
  const { enums, tables, indexes } = getSql(schema);
  const statements: string[] = [...enums.sql, ...tables.sql, ...indexes.sql];
  for (const statement of statements.filter((one) => !one.includes("_reorg__"))) await pool.query(statement);
  return pool;
}
