import pg from "pg";
import { checkpointTable, metaTable } from "../../engine/ponderInternals.ts";
import type { Queries } from "../../src/api/server/postgres/client.ts";
import { enterSchema } from "../../src/api/server/serviceDb/migrations.ts";

const id = pg.escapeIdentifier;

/** Views of a schema over tables of the same name: those of an index. Other views in the schema are not ours. */
export const viewsOverTables = `
  SELECT v.oid, v.relname, v.relowner, v.relacl, t.relnamespace::regnamespace AS viewed FROM pg_class v
  JOIN pg_rewrite r ON r.ev_class = v.oid
  JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
  JOIN pg_class t ON t.oid = d.refobjid AND t.relname = v.relname AND t.relkind = 'r'
  WHERE v.relkind = 'v' AND v.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
  GROUP BY v.oid, v.relname, v.relowner, v.relacl, t.relnamespace`;

/** The schema of the index that the views show; null without views. */
export async function readViewed({ query }: Queries, viewsSchema: string): Promise<string | null> {
  const rows = await query<{ schema: string }>(
    `SELECT n.nspname AS schema FROM (${viewsOverTables}) AS views
     JOIN pg_namespace n ON n.oid = viewed WHERE relname = $2`,
    [viewsSchema, metaTable],
  );
  return rows[0]?.schema ?? null;
}

/**
 * Recreates the views over an index, with the grants they had. Call it in a transaction: analysts see the old views until
 * it commits, and the new ones afterwards.
 */
export async function makeViews(
  queries: Queries,
  { schema, viewsSchema, tables }: { schema: string; viewsSchema: string; tables: readonly string[] },
): Promise<void> {
  const { query } = queries;
  await enterSchema(queries, viewsSchema);
  const grants = await listGrants(queries, viewsSchema);
  const old = await query<{ name: string }>(`SELECT relname AS name FROM (${viewsOverTables}) AS views`, [
    viewsSchema,
  ]);
  // All in one statement. A reader may hold one view and wait for another: PostgreSQL ends what waited for a second, so our own
  // wait, which ends sooner, must begin as soon as the first view is locked.
  const dropped = old.map(({ name }) => `${id(viewsSchema)}.${id(name)}`);
  if (dropped.length > 0) await query(`DROP VIEW ${dropped.join(", ")}`);
  const names = [...tables, metaTable, checkpointTable];
  for (const name of names) {
    await query(`CREATE VIEW ${id(viewsSchema)}.${id(name)} AS SELECT * FROM ${id(schema)}.${id(name)}`);
  }
  for (const { view, right, grantee, isGrantable } of grants) {
    if (!names.includes(view)) continue;
    const option = isGrantable ? " WITH GRANT OPTION" : "";
    await query(`GRANT ${right} ON ${id(viewsSchema)}.${id(view)} TO ${grantee}${option}`);
  }
}

type Grant = { view: string; right: string; grantee: string; isGrantable: boolean };

const listGrants = ({ query }: Queries, viewsSchema: string): Promise<Grant[]> =>
  query<Grant>(
    `SELECT relname AS view, privilege_type AS right, is_grantable AS "isGrantable",
      CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS grantee
     FROM (${viewsOverTables}) AS views, aclexplode(relacl) WHERE grantee <> relowner`,
    [viewsSchema],
  );
