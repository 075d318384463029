import pg from "pg";
import { cacheTables } from "../../engine/cache.ts";
import { CACHE_SCHEMA } from "../../engine/cacheSchema.ts";
import { ownIndexes } from "../../src/api/upkeep/indexes.ts";
import { describeBytes, startProgress } from "../commandLine/progress.ts";
import { noteWork } from "./locks.ts";
import { inParallel } from "./parallel.ts";
import type { Restore } from "./plan.ts";
import { listKeys } from "./target.ts";

const id = pg.escapeIdentifier;

/** One statement, and the table that it reads. */
type Work = { schema: string; table: string; statement: string };

/**
 * Builds primary keys and the large indexes. Those that ponder.schema.ts declares are left to Ponder, which drops and
 * builds them at each start.
 */
export async function buildKeysAndIndexes(client: pg.Client, restore: Restore): Promise<void> {
  const { schema } = restore.target;
  const existing = await listExisting(client, schema);
  const keys = (await listKeys(client, schema)).map(({ table, name, definition }) => ({
    name,
    table,
    statement: `alter table ${id(schema)}.${id(table)} add constraint ${id(name)} ${definition}`,
  }));
  const indexes = ownIndexes.map(({ name, table, definition }) => ({
    name,
    table,
    statement: `create index ${id(name)} on ${id(schema)}.${id(table)} ${definition}`,
  }));
  const missing = [...keys, ...indexes].filter(({ name }) => !existing.has(name));
  await workThrough(client, restore, {
    title: "Building indexes",
    work: missing.map((one) => ({ schema, ...one })),
  });
}

async function listExisting(client: pg.Client, schema: string): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    "select indexname as name from pg_indexes where schemaname = $1",
    [schema],
  );
  return new Set(rows.map(({ name }) => name));
}

/** Updates PostgreSQL's visibility map and statistics, which plans depend on. */
export function tidyTables(client: pg.Client, restore: Restore): Promise<void> {
  const { target, build } = restore;
  const tables = [
    ...build.tables.map((table) => ({ schema: target.schema, table })),
    ...(target.withCache ? cacheTables.map((table) => ({ schema: CACHE_SCHEMA, table })) : []),
  ];
  const work = tables.map(({ schema, table }) => ({
    schema,
    table,
    statement: `vacuum (analyze) ${id(schema)}.${id(table)}`,
  }));
  return workThrough(client, restore, { title: "Tidying tables", work });
}

/** Does statements, several at a time, and shows how much of the tables they have read. */
async function workThrough(
  client: pg.Client,
  { target, config, plan }: Restore,
  { title, work }: { title: string; work: Work[] },
): Promise<void> {
  const sized: (Work & { bytes: number })[] = [];
  for (const one of work) {
    const name = `${id(one.schema)}.${id(one.table)}`;
    const { rows } = await client.query<{ bytes: number }>(
      "select pg_table_size($1::regclass)::float8 as bytes",
      [name],
    );
    sized.push({ ...one, bytes: rows[0]?.bytes ?? 0 });
  }
  const whole = sized.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = startProgress(plan.screen, { title, whole, show: describeBytes });
  await inParallel(sized, {
    config,
    setUp: (worker) => noteWork(worker, target.schema),
    work: async (worker, { statement, bytes }) => {
      await worker.query(statement);
      progress.add(bytes);
    },
  });
  progress.end();
}
