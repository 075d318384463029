import pg from "pg";
import { cacheTables } from "../../engine/cache.ts";
import { CACHE_SCHEMA } from "../../engine/cacheSchema.ts";
import { listSchemas } from "../../engine/ponderInternals.ts";
import { inTransaction, queriesOf } from "../../src/api/server/postgres/client.ts";
import { RESTORE_MARK } from "../checks/halfRestored.ts";
import { CommandError } from "../commandLine/command.ts";
import type { Target } from "./target.ts";

// What becomes of a restore whose snapshot has a content that no further attempt would take: all that it made is removed,
// so that another snapshot can be restored. One that broke off for any other reason stays, and goes on.

const id = pg.escapeIdentifier;

/** The content of a snapshot is not what its manifest says. */
export class ContentRefused extends CommandError {
  override readonly name = "ContentRefused";
}

/** PostgreSQL's classes of errors that data make: wrong values, rows that break a key, rows that fit into no index. */
const DATA_ERROR = /^(22|23|54)/;

/** Whether the content of the snapshot is at fault. Its parts had the right checksums, so its maker wrote it so. */
export function isOfContent(error: unknown): boolean {
  if (error instanceof ContentRefused) return true;
  const { code } = error as { code?: unknown };
  if (typeof code !== "string") return false;
  return code.startsWith("ZSTD_") || (error instanceof pg.DatabaseError && DATA_ERROR.test(code));
}

/**
 * Removes everything a restore created, in one step. What existed before stays, for example an empty schema and its
 * rights.
 */
export async function removeRestore(client: pg.Client, { schema, withCache }: Target): Promise<void> {
  await inTransaction(client, async () => {
    const { rows } = await client.query<{ made_schema?: boolean; made_cache?: boolean }>(
      `select * from ${id(schema)}.${RESTORE_MARK}`,
    );
    const made = rows[0] ?? {};
    if (made.made_schema) await client.query(`drop schema ${id(schema)} cascade`);
    else await emptySchema(client, schema);
    if (withCache) await emptyCache(client, made.made_cache ?? false);
  });
}

/** A restore begins in a schema without any of these, so all of them are its own. */
async function emptySchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('drop %s if exists %s cascade', kind, name) as statement from (
       select 1 as place, case relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end as kind,
         format('%I.%I', $1::text, relname) as name
       from pg_class where relnamespace = $2::regnamespace and relkind in ('r', 'v', 'S')
       union all
       select 2, 'routine', oid::regprocedure::text from pg_proc where pronamespace = $2::regnamespace
       union all
       select 3, 'type', format('%I.%I', $1::text, typname) from pg_type
       where typnamespace = $2::regnamespace and typtype = 'e') as ours
     order by place, kind desc`,
    [schema, id(schema)],
  );
  for (const { statement } of rows) await client.query(statement);
}

/** An index that another indexer has since started uses the cache too, and asks its node for what is missing. */
async function emptyCache(client: pg.Client, isOurs: boolean): Promise<void> {
  const found = await client.query("select from pg_namespace where nspname = $1", [CACHE_SCHEMA]);
  if (found.rowCount === 0) return;
  const others = await listSchemas(queriesOf(client).query);
  if (isOurs && others.length === 0) await client.query(`drop schema ${CACHE_SCHEMA} cascade`);
  else for (const table of cacheTables) await client.query(`truncate ${CACHE_SCHEMA}.${id(table)}`);
}
