import pg from "pg";
import { cacheTables } from "../../engine/cache.ts";
import { CACHE_SCHEMA } from "../../engine/cacheSchema.ts";
import type { PonderBuild } from "../../engine/ponderBuild.ts";
import { inTransaction } from "../../src/api/server/postgres/client.ts";
import { RESTORE_MARK } from "../checks/halfRestored.ts";
import { CommandError } from "../commandLine/command.ts";

// What a restore keeps in the schema while it is at work. Until the last transaction removes it, and puts Ponder's own
// state in its place, no program takes the tables for an index.

const id = pg.escapeIdentifier;

/** Where a restore is. */
export type Target = {
  schema: string;
  /** Tells this snapshot from others. */
  snapshotId: string;
  withCache: boolean;
};

/** Primary keys are built after the rows are there, which is faster. */
export type Key = { table: string; name: string; definition: string };

/** What there is to begin with. */
export type TargetState = "nothing" | "begun";

/**
 * Looks whether the schema can take the snapshot, and changes nothing.
 *
 * @throws CommandError if there is anything in it but this snapshot's own unfinished restore
 */
export async function readTarget(client: pg.Client, target: Target): Promise<TargetState> {
  await requireRights(client, target.schema);
  const begun = await readMark(client, target.schema);
  if (begun === null) {
    await requireNoTables(client, target.schema);
    if (target.withCache) await requireEmptyCache(client);
    return "nothing";
  }
  if (begun.id === target.snapshotId && begun.has_cache === target.withCache) return "begun";
  const cache = begun.has_cache ? ` DROP SCHEMA IF EXISTS ${CACHE_SCHEMA} CASCADE;` : "";
  throw new CommandError(
    `A restore of another snapshot into "${target.schema}" was interrupted. Finish that one, or remove what it left: DROP SCHEMA ${id(target.schema)} CASCADE;${cache}`,
  );
}

async function requireRights(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ may: boolean; role: string; database: string }>(
    `select coalesce((select has_schema_privilege(oid, 'CREATE') from pg_namespace where nspname = $1),
       has_database_privilege(current_database(), 'CREATE')) as may, current_user as role, current_database() as database`,
    [schema],
  );
  const [row] = rows;
  if (row?.may) return;
  throw new CommandError(
    `The role "${row?.role}" may not create the schema "${schema}". Use the indexer's role, or run as an owner: GRANT CREATE, TEMPORARY ON DATABASE ${id(row?.database ?? "")} TO ${id(row?.role ?? "")}`,
  );
}

async function readMark(
  client: pg.Client,
  schema: string,
): Promise<{ id: string; has_cache: boolean } | null> {
  const mark = `${id(schema)}.${RESTORE_MARK}`;
  const found = await client.query<{ is: boolean }>("select to_regclass($1) is not null as is", [mark]);
  if (!found.rows[0]?.is) return null;
  const { rows } = await client.query<{ id: string; has_cache: boolean }>(
    `select id, has_cache from ${mark}`,
  );
  return rows[0] ?? null;
}

/** An empty schema may exist. */
async function requireNoTables(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = (select oid from pg_namespace where nspname = $1)
     union all
     select proname from pg_proc where pronamespace = (select oid from pg_namespace where nspname = $1)
     union all
     select typname from pg_type
     where typnamespace = (select oid from pg_namespace where nspname = $1) and typtype = 'e' limit 1`,
    [schema],
  );
  if (rows[0] === undefined) return;
  throw new CommandError(
    `Schema "${schema}" is not empty (it contains "${rows[0].name}"). Restore into another one, for example DATABASE_SCHEMA=${schema}_restored, or drop it.`,
  );
}

async function requireEmptyCache(client: pg.Client): Promise<void> {
  for (const table of cacheTables) {
    const name = `${CACHE_SCHEMA}.${table}`;
    const found = await client.query<{ is: boolean }>("select to_regclass($1) is not null as is", [name]);
    if (!found.rows[0]?.is) continue;
    const { rowCount } = await client.query(`select from ${name} limit 1`);
    if (rowCount === 0) continue;
    throw new CommandError(
      `The database already has a cache of past events (${name} has rows). Skip the snapshot's with --without-cache, or restore into another database.`,
    );
  }
}

/** Creates the tables without their primary keys, and the list of work to do. */
export async function beginRestore(client: pg.Client, target: Target, build: PonderBuild): Promise<void> {
  const { schema, snapshotId, withCache } = target;
  const mark = `${id(schema)}.${RESTORE_MARK}`;
  await inTransaction(client, async () => {
    const { rows } = await client.query<{ name: string }>(
      "select nspname as name from pg_namespace where nspname in ($1, $2)",
      [schema, CACHE_SCHEMA],
    );
    const [makesSchema, makesCache] = [schema, CACHE_SCHEMA].map(
      (one) => !rows.some(({ name }) => name === one),
    );
    if (makesSchema) await client.query(`create schema ${id(schema)}`);
    for (const statement of build.statements) await client.query(statement);
    await client.query(
      `create table ${mark} (id text not null, has_cache boolean not null, made_schema boolean, made_cache boolean)`,
    );
    await client.query(`insert into ${mark} values ($1, $2, $3, $4)`, [
      snapshotId,
      withCache,
      makesSchema,
      makesCache,
    ]);
    await client.query(`create table ${mark}_parts (file text primary key)`);
    await client.query(
      `create table ${mark}_keys as
       select c.relname as table, conname as name, pg_get_constraintdef(k.oid) as definition
       from pg_constraint k join pg_class c on c.oid = conrelid
       where connamespace = $1::regnamespace and contype = 'p' and c.relname = any ($2)`,
      [id(schema), build.tables],
    );
    for (const { table, name } of await listKeys(client, schema)) {
      await client.query(`alter table ${id(schema)}.${id(table)} drop constraint ${id(name)}`);
    }
  });
}

export async function listKeys(client: pg.Client, schema: string): Promise<Key[]> {
  const { rows } = await client.query<Key>(`select * from ${id(schema)}.${RESTORE_MARK}_keys order by name`);
  return rows;
}

/** Files of the parts that are loaded. */
export async function listLoaded(client: pg.Client, schema: string): Promise<Set<string>> {
  const { rows } = await client.query<{ file: string }>(
    `select file from ${id(schema)}.${RESTORE_MARK}_parts`,
  );
  return new Set(rows.map(({ file }) => file));
}

/** Notes in the transaction that loads a part that it does; false if another one did. */
export async function noteLoaded(client: pg.Client, schema: string, file: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into ${id(schema)}.${RESTORE_MARK}_parts values ($1) on conflict do nothing`,
    [file],
  );
  return rowCount === 1;
}

export const dropMark = (schema: string): string => {
  const mark = `${id(schema)}.${RESTORE_MARK}`;
  return `drop table ${mark}, ${mark}_parts, ${mark}_keys`;
};
