import type { Queries } from "../../src/api/serviceDb/store.ts";

/** What the views of an index are: one for each of its tables, and two of the engine that tell of which block they are. */
const engineTables = ["_ponder_meta", "_ponder_checkpoint"];

const id = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Views of a schema over tables of the same name: those of an index, and no others that somebody put beside them. */
const viewsOverTables = `
  SELECT v.oid, v.relname, v.relowner, v.relacl, t.relnamespace::regnamespace AS viewed FROM pg_class v
  JOIN pg_rewrite r ON r.ev_class = v.oid
  JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
  JOIN pg_class t ON t.oid = d.refobjid AND t.relname = v.relname AND t.relkind = 'r'
  WHERE v.relkind = 'v' AND v.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
  GROUP BY v.oid, v.relname, v.relowner, v.relacl, t.relnamespace`;

/** The schema of the index that the views show; null where there are none. */
export async function readViewed({ query }: Queries, viewsSchema: string): Promise<string | null> {
  const rows = await query<{ schema: string }>(
    `SELECT n.nspname AS schema FROM (${viewsOverTables}) AS views
     JOIN pg_namespace n ON n.oid = viewed WHERE relname = '_ponder_meta'`,
    [viewsSchema],
  );
  return rows[0]?.schema ?? null;
}

/**
 * Makes the views anew over an index, with the rights that were given on them. To be called in a transaction: analysts
 * see the views of before until it is done, and those of now from then on.
 */
export async function makeViews(
  queries: Queries,
  { schema, viewsSchema, tables }: { schema: string; viewsSchema: string; tables: readonly string[] },
): Promise<void> {
  const { query } = queries;
  await actAsOwner(queries, viewsSchema);
  const grants = await listGrants(queries, viewsSchema);
  const old = await query<{ name: string }>(`SELECT relname AS name FROM (${viewsOverTables}) AS views`, [
    viewsSchema,
  ]);
  for (const { name } of old) await query(`DROP VIEW ${id(viewsSchema)}.${id(name)}`);
  const names = [...tables, ...engineTables];
  for (const name of names) {
    await query(`CREATE VIEW ${id(viewsSchema)}.${id(name)} AS SELECT * FROM ${id(schema)}.${id(name)}`);
  }
  for (const { view, right, grantee, isGrantable } of grants) {
    if (!names.includes(view)) continue;
    const option = isGrantable ? " WITH GRANT OPTION" : "";
    await query(`GRANT ${right} ON ${id(viewsSchema)}.${id(view)} TO ${grantee}${option}`);
  }
}

/** Whoever makes the views, they belong to the owner of their schema: the indexer's role, which can then change them. */
async function actAsOwner({ query }: Queries, viewsSchema: string): Promise<void> {
  const [found] = await query<{ owner: string; isMember: boolean }>(
    `SELECT nspowner::regrole::text AS owner, pg_has_role(nspowner, 'MEMBER') AS "isMember"
     FROM pg_namespace WHERE nspname = $1`,
    [viewsSchema],
  );
  // IF NOT EXISTS would ask for the right to make schemas where there is one already.
  if (found === undefined) await query(`CREATE SCHEMA ${id(viewsSchema)}`);
  else if (found.isMember) await query(`SET LOCAL ROLE ${found.owner}`);
}

type Grant = { view: string; right: string; grantee: string; isGrantable: boolean };

const listGrants = ({ query }: Queries, viewsSchema: string): Promise<Grant[]> =>
  query<Grant>(
    `SELECT relname AS view, privilege_type AS right, is_grantable AS "isGrantable",
      CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS grantee
     FROM (${viewsOverTables}) AS views, aclexplode(relacl) WHERE grantee <> relowner`,
    [viewsSchema],
  );
