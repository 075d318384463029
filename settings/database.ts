import { z } from "zod";
import { SettingsError } from "./check.ts";
import { postgresUrl, postgresUrls, text } from "./kinds.ts";
import { optional, required, type ValuesOf, withDefault } from "./variable.ts";

/** Where everything is stored. */
export type DatabaseSettings = {
  /** Where the index is. A replica may read it from a standby. */
  databaseUrl: string;
  /** Where the service's own tables are: the database's primary is one of these servers. Never empty. */
  serviceDatabaseUrls: readonly string[];
  /** PostgreSQL schema of the tables. Each build of the indexer needs its own. */
  schema: string;
  /** Schema of the views that analysts read; its name stays the same from build to build. */
  viewsSchema: string;
  /** Schema of the service's own tables. It survives every re-indexing. */
  serviceSchema: string;
};

const schemaName = text(
  "a schema name: lower-case letters, digits and _, at most 45",
  z.string().regex(/^[a-z_][a-z0-9_]{0,44}$/),
);

export const databaseVariables = {
  DATABASE_URL: required(postgresUrl, {
    example: "postgresql://namedex:secret@localhost:5432/namedex",
    meaning:
      "PostgreSQL database, version 15 or later, with the `pg_trgm` extension. If unset, `npm run dev` starts its own.",
  }),
  SERVICE_DATABASE_URL: optional(postgresUrls, {
    example: "postgresql://namedex:secret@primary.example.org:5432/namedex",
    unset: "`DATABASE_URL`",
    meaning:
      "Primary database, for `npm run serve` when `DATABASE_URL` is a [hot standby](operations.md#standbys). The service's own tables are written there. List several servers to survive a failover without a restart: Namedex writes to the one that is not a standby.",
  }),
  DATABASE_SCHEMA: withDefault("namedex_index", schemaName, {
    meaning: "Schema of the index. Each build of the indexer needs its own.",
  }),
  VIEWS_SCHEMA: withDefault("namedex", schemaName, {
    meaning:
      "Schema of the views for [analysts](analysts.md). The views show the active index under stable names.",
  }),
  DATABASE_SERVICE_SCHEMA: withDefault("namedex_service", schemaName, {
    meaning:
      "Schema of the service's own tables: keys, credits, limits, cached chain reads. It survives re-indexing, and all replicas share it.",
  }),
};

type DatabaseValues = ValuesOf<typeof databaseVariables>;

export function toDatabaseSettings(known: DatabaseValues): DatabaseSettings {
  requireDifferentSchemas(known);
  return {
    databaseUrl: known.DATABASE_URL,
    serviceDatabaseUrls: known.SERVICE_DATABASE_URL ?? [known.DATABASE_URL],
    schema: known.DATABASE_SCHEMA,
    viewsSchema: known.VIEWS_SCHEMA,
    serviceSchema: known.DATABASE_SERVICE_SCHEMA,
  };
}

/** What each schema holds; no two may be the same. */
const schemas = {
  DATABASE_SCHEMA: "the index",
  VIEWS_SCHEMA: "views",
  DATABASE_SERVICE_SCHEMA: "the service's own tables",
} as const;

function requireDifferentSchemas(known: DatabaseValues): void {
  const taken = new Map<string, string>();
  for (const name of Object.keys(schemas) as (keyof typeof schemas)[]) {
    const other = taken.get(known[name]);
    if (other !== undefined) {
      throw new SettingsError(
        `${name} is "${known[name]}", which ${other} already uses: choose a separate schema for ${schemas[name]}, for example ${name}=${databaseVariables[name].example}`,
      );
    }
    taken.set(known[name], name);
  }
}
