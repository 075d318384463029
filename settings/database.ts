import { z } from "zod";
import { SettingsError } from "./fault.ts";
import { isUrl } from "./words.ts";

/** Where everything is kept. */
export type DatabaseSettings = {
  databaseUrl: string;
  /** PostgreSQL schema of the tables; each build of the indexer needs one of its own. */
  schema: string;
  /** Schema of the views by which analysts read, the same from build to build. */
  viewsSchema: string;
  /** Schema of what the service itself keeps; it survives every re-indexing. */
  serviceSchema: string;
};

const identifier = z.string().regex(/^[a-z_][a-z0-9_]{0,44}$/);

export const databaseVariables = z.object({
  DATABASE_URL: z.string().refine(isUrl(["postgres:", "postgresql:"])),
  DATABASE_SCHEMA: identifier.default("namedex_index"),
  DATABASE_VIEWS_SCHEMA: identifier.default("namedex"),
  DATABASE_SERVICE_SCHEMA: identifier.default("namedex_service"),
});

const SCHEMA_NAME = "a schema name: lower-case letters, digits and _, at most 45";

export const databaseExpectations = {
  DATABASE_URL: ["the URL of a PostgreSQL database", "postgresql://namedex:secret@localhost:5432/namedex"],
  DATABASE_SCHEMA: [SCHEMA_NAME, "namedex_index"],
  DATABASE_VIEWS_SCHEMA: [SCHEMA_NAME, "namedex"],
  DATABASE_SERVICE_SCHEMA: [SCHEMA_NAME, "namedex_service"],
} as const;

type DatabaseValues = z.output<typeof databaseVariables>;

export function toDatabaseSettings(known: DatabaseValues): DatabaseSettings {
  requireOwnSchemas(known);
  return {
    databaseUrl: known.DATABASE_URL,
    schema: known.DATABASE_SCHEMA,
    viewsSchema: known.DATABASE_VIEWS_SCHEMA,
    serviceSchema: known.DATABASE_SERVICE_SCHEMA,
  };
}

/** What each schema is for; no two may be the same. */
const schemas = {
  DATABASE_SCHEMA: "the tables",
  DATABASE_VIEWS_SCHEMA: "views",
  DATABASE_SERVICE_SCHEMA: "the service's own tables",
} as const;

function requireOwnSchemas(known: DatabaseValues): void {
  const taken = new Map<string, string>();
  for (const name of Object.keys(schemas) as (keyof typeof schemas)[]) {
    const other = taken.get(known[name]);
    if (other !== undefined) {
      throw new SettingsError(
        `${name} is "${known[name]}", the same as ${other}: ${schemas[name]} need a schema of their own, for example ${name}=${databaseExpectations[name][1]}`,
      );
    }
    taken.set(known[name], name);
  }
}
