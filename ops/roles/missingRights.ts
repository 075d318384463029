import pg from "pg";
import { CACHE_SCHEMA } from "../../engine/cacheSchema.ts";
import { type Queries, queriesOf } from "../../src/api/server/postgres/client.ts";
import { listIndexes } from "../release/indexes.ts";
import { viewsOverTables } from "../release/views.ts";
import type { RolesPlan } from "./createRoles.ts";

/** What a role needs and does not have, in words, and the statement that gives it. */
export type MissingRight = { what: string; statement: string };

const id = pg.escapeIdentifier;
const text = pg.escapeLiteral;

/**
 * Compares the rights in the database with those that the programs need: the owner of each schema and its contents, and
 * who may use and read them. What a restore or another role's indexer created belongs to that role.
 */
export async function listMissingRights(client: pg.ClientBase, plan: RolesPlan): Promise<MissingRight[]> {
  const { roles, schema, viewsSchema, serviceSchema } = plan;
  const queries = queriesOf(client);
  const indexes = (await listIndexes(queries)).map((index) => index.schema);
  const own = indexes.filter((name) => name === schema);
  const missing = [
    await onDatabase(queries, roles),
    await membership(queries, roles),
    await schemaOf(queries, serviceSchema, roles.api),
    await schemaOf(queries, viewsSchema, roles.indexer),
  ];
  for (const name of [CACHE_SCHEMA, ...own]) missing.push(await owner(queries, name, roles.indexer));
  for (const name of [CACHE_SCHEMA, ...own]) missing.push(await contents(queries, name, roles.indexer));
  missing.push(await contents(queries, serviceSchema, roles.api));
  missing.push(await viewsOwner(queries, viewsSchema, roles.indexer));
  for (const name of indexes) missing.push(await reading(queries, name, roles.api, tablesOf(name)));
  missing.push(await reading(queries, viewsSchema, roles.analyst, viewsOf(viewsSchema)));
  return missing.flat();
}

/** A schema for each build, and temporary tables that Ponder writes rows through, are the indexer's alone. */
async function onDatabase(
  { query }: Queries,
  { indexer, api, analyst }: RolesPlan["roles"],
): Promise<MissingRight[]> {
  const wanted = [
    ...[indexer, api, analyst].map((role) => [role, "CONNECT"]),
    ...["CREATE", "TEMPORARY"].map((right) => [indexer, right]),
  ] as [string, string][];
  const rows = await query<{ role: string; right: string; name: string }>(
    `SELECT role, "right", current_database() AS name FROM unnest($1::text[], $2::text[]) AS w (role, "right")
     WHERE NOT has_database_privilege(role, current_database(), "right")`,
    [wanted.map(([role]) => role), wanted.map(([, right]) => right)],
  );
  return rows.map(({ role, right, name }) => ({
    what: `${role} lacked ${right} on the database ${name}`,
    statement: `GRANT ${right} ON DATABASE ${id(name)} TO ${id(role)}`,
  }));
}

/** The indexer's process runs an API too: as a member of this role it can use the service's tables. */
async function membership({ query }: Queries, { indexer, api }: RolesPlan["roles"]): Promise<MissingRight[]> {
  const rows = await query("SELECT WHERE NOT pg_has_role($1::name, $2::name, 'MEMBER')", [indexer, api]);
  return rows.map(() => ({
    what: `${indexer} was not a member of ${api}`,
    statement: `GRANT ${id(api)} TO ${id(indexer)}`,
  }));
}

/** A required schema, and its owner. */
async function schemaOf(queries: Queries, name: string, role: string): Promise<MissingRight[]> {
  const rows = await queries.query("SELECT FROM pg_namespace WHERE nspname = $1", [name]);
  if (rows.length > 0) return owner(queries, name, role);
  return [
    {
      what: `the schema ${name} of ${role} did not exist`,
      statement: `CREATE SCHEMA ${id(name)} AUTHORIZATION ${id(role)}`,
    },
  ];
}

async function owner({ query }: Queries, name: string, role: string): Promise<MissingRight[]> {
  const rows = await query<{ owner: string }>(
    `SELECT pg_get_userbyid(nspowner) AS owner FROM pg_namespace
     WHERE nspname = $1 AND pg_get_userbyid(nspowner) <> $2`,
    [name, role],
  );
  return rows.map((row) => ({
    what: `the schema ${name} belonged to ${row.owner} instead of ${role}`,
    statement: `ALTER SCHEMA ${id(name)} OWNER TO ${id(role)}`,
  }));
}

/** Sequences of columns, and types and indexes of tables, go with their tables. */
const belongings = `
  SELECT 'TABLE' AS kind, c.oid::regclass::text AS name, c.relowner AS owner, c.relnamespace AS namespace
  FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'm')
  UNION ALL
  SELECT 'SEQUENCE', c.oid::regclass::text, c.relowner, c.relnamespace FROM pg_class c
  WHERE c.relkind = 'S' AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass
    AND d.objid = c.oid AND d.deptype IN ('a', 'i'))
  UNION ALL
  SELECT 'ROUTINE', p.oid::regprocedure::text, p.proowner, p.pronamespace FROM pg_proc p
  UNION ALL
  SELECT 'TYPE', t.oid::regtype::text, t.typowner, t.typnamespace FROM pg_type t WHERE t.typtype IN ('e', 'd')`;

type Belonging = { kind: string; name: string; owner: string };

const ownedBy = (role: string) => (row: Belonging) => ({
  what: `${row.name} belonged to ${row.owner} instead of ${role}`,
  statement: `ALTER ${row.kind} ${row.name} OWNER TO ${id(role)}`,
});

async function contents({ query }: Queries, schema: string, role: string): Promise<MissingRight[]> {
  const rows = await query<Belonging>(
    `SELECT kind, name, pg_get_userbyid(owner) AS owner FROM (${belongings}) AS b
     WHERE namespace = to_regnamespace($1) AND pg_get_userbyid(owner) <> $2 ORDER BY kind, name`,
    [id(schema), role],
  );
  return rows.map(ownedBy(role));
}

/** An operator may have views of his own in this schema: those stay as they are. */
async function viewsOwner({ query }: Queries, schema: string, role: string): Promise<MissingRight[]> {
  const rows = await query<Belonging>(
    `SELECT 'VIEW' AS kind, oid::regclass::text AS name, pg_get_userbyid(relowner) AS owner
     FROM (${viewsOverTables}) AS views WHERE pg_get_userbyid(relowner) <> $2 ORDER BY name`,
    [schema, role],
  );
  return rows.map(ownedBy(role));
}

const tablesOf = (schema: string): string =>
  `SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = to_regnamespace(${text(id(schema))})`;

const viewsOf = (schema: string): string =>
  `SELECT oid FROM (${viewsOverTables.replace("$1", text(schema))}) AS views`;

/** Whether a role may use a schema and read these relations in it. */
async function reading(
  { query }: Queries,
  schema: string,
  role: string,
  relations: string,
): Promise<MissingRight[]> {
  const missing: MissingRight[] = [];
  const unused = await query(
    "SELECT FROM pg_namespace WHERE nspname = $1 AND NOT has_schema_privilege($2, oid, 'USAGE')",
    [schema, role],
  );
  if (unused.length > 0) {
    missing.push({
      what: `${role} could not use the schema ${schema}`,
      statement: `GRANT USAGE ON SCHEMA ${id(schema)} TO ${id(role)}`,
    });
  }
  const unread = await query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM (${relations}) AS r
     WHERE NOT has_table_privilege($1, oid, 'SELECT') ORDER BY name`,
    [role],
  );
  for (const { name } of unread) {
    missing.push({
      what: `${role} could not read ${name}`,
      statement: `GRANT SELECT ON ${name} TO ${id(role)}`,
    });
  }
  return missing;
}
