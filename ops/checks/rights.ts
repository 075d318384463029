import type pg from "pg";
import { CACHE_SCHEMA } from "../../engine/cacheSchema.ts";
import type { DatabaseSettings } from "../../settings/database.ts";
import { SettingsError } from "../../settings/settings.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";
import { findServicePrimary, isOnlyServer } from "./servers.ts";

/** Tables, and what a program does with them. */
type Need = { schema: string; as: "owner" | "reader" };

/** The indexer makes and changes tables; a replica reads those of the index. Both look after the service's own. */
function needsOf(command: "start" | "serve", settings: DatabaseSettings): Need[] {
  const { schema, viewsSchema, serviceSchema } = settings;
  const service: Need = { schema: serviceSchema, as: "owner" };
  if (command === "serve") return [{ schema, as: "reader" }, service];
  const own = [schema, CACHE_SCHEMA].map((name): Need => ({ schema: name, as: "owner" }));
  return [...own, { schema: viewsSchema, as: "owner" }, service];
}

/**
 * Looks whether the roles of DATABASE_URL and SERVICE_DATABASE_URL may make and change what the program needs: without this the
 * first half of it would be made, and the rest fail one by one. Changes nothing.
 *
 * @throws SettingsError that names each right that is missing, and the program that gives it
 */
export async function requireRights(command: "start" | "serve", settings: DatabaseSettings): Promise<void> {
  const { databaseUrl, serviceDatabaseUrls, serviceSchema } = settings;
  const needs = needsOf(command, settings);
  if (isOnlyServer(databaseUrl, serviceDatabaseUrls)) {
    return requireNeeds({ variable: "DATABASE_URL", url: databaseUrl, needs, command });
  }
  const { url } = await findServicePrimary(serviceDatabaseUrls);
  const [ofIndex, ofService] = [false, true].map((isService) =>
    needs.filter(({ schema }) => (schema === serviceSchema) === isService),
  );
  await requireNeeds({ variable: "DATABASE_URL", url: databaseUrl, needs: ofIndex ?? [], command });
  await requireNeeds({ variable: "SERVICE_DATABASE_URL", url, needs: ofService ?? [], command });
}

type Wanted = { variable: string; url: string; needs: Need[]; command: "start" | "serve" };

async function requireNeeds({ variable, url, needs, command }: Wanted): Promise<void> {
  const missing = await withClient({ connectionString: url }, async (client) => {
    const found = await Promise.all(needs.map((need) => listMissing(client, need)));
    return [...(command === "start" ? await missingTemporary(client) : []), ...found.flat()];
  });
  if (missing.length === 0) return;
  throw new SettingsError(
    [
      `${variable}: the role "${new URL(url).username}" lacks privileges. It may not:`,
      ...missing.map((what) => `- ${what}`),
      "To grant them, run npm run roles with the DATABASE_URL of the database's owner (docs/operations.md).",
    ].join("\n"),
  );
}

/** Ponder writes rows through temporary tables. */
async function missingTemporary(client: pg.Client): Promise<string[]> {
  const { rowCount } = await client.query(
    "SELECT WHERE NOT has_database_privilege(current_database(), 'TEMPORARY')",
  );
  return rowCount === 0 ? [] : ["create temporary tables in the database"];
}

type Found = { mayCreate: boolean; isMember: boolean; mayUse: boolean };

async function listMissing(client: pg.Client, { schema, as }: Need): Promise<string[]> {
  const { rows } = await client.query<Found>(
    `SELECT has_schema_privilege(oid, 'CREATE') AS "mayCreate", pg_has_role(nspowner, 'MEMBER') AS "isMember",
       has_schema_privilege(oid, 'USAGE') AS "mayUse" FROM pg_namespace WHERE nspname = $1`,
    [schema],
  );
  const [found] = rows;
  if (found === undefined) return as === "owner" ? missingSchema(client, schema) : []; // Ponder reports the missing index.
  if (as === "reader")
    return found.mayUse ? foreignTables(client, schema, "read") : [`use the schema "${schema}"`];
  if (!found.mayCreate && !found.isMember) return [`create tables in the schema "${schema}"`];
  return foreignTables(client, schema, "change");
}

async function missingSchema(client: pg.Client, schema: string): Promise<string[]> {
  const { rowCount } = await client.query(
    "SELECT WHERE NOT has_database_privilege(current_database(), 'CREATE')",
  );
  return rowCount === 0 ? [] : [`create the schema "${schema}"`];
}

const conditions = {
  read: "has_table_privilege(oid, 'SELECT')",
  // Triggers and indexes are its owner's to make.
  change: "pg_has_role(relowner, 'MEMBER')",
} as const;

/** One table represents all: a schema has dozens. */
async function foreignTables(
  client: pg.Client,
  schema: string,
  act: keyof typeof conditions,
): Promise<string[]> {
  const { rows } = await client.query<{ name: string; owner: string; others: number }>(
    `SELECT relname AS name, pg_get_userbyid(relowner) AS owner, count(*) OVER ()::int - 1 AS others FROM pg_class
     WHERE relnamespace = to_regnamespace(quote_ident($1)) AND relkind = 'r' AND NOT ${conditions[act]}
     ORDER BY relname LIMIT 1`,
    [schema],
  );
  return rows.map(
    ({ name, owner, others }) =>
      `${act} the table "${schema}"."${name}" of ${owner}${others > 0 ? `, and ${others} more` : ""}`,
  );
}
