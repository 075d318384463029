import { setTimeout } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { beginEpoch } from "../../src/api/features/feed/install.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { ownIndexes } from "../../src/api/upkeep/indexes.ts";
import { copyTestDatabase, createTestDatabase, openPool } from "../support/database.ts";
import schema from "../support/ponderSchema.ts";
import { stateTableStatements } from "../support/ponderState.ts";

export { setProgress } from "../support/ponderState.ts";

/** Statements that build the index's tables, as Ponder creates them from `ponder.schema.ts`. */
export type Ddl = Record<"enums" | "tables" | "views" | "indexes", string[]>;

type Sql = { sql: string[] };
type Kit = { getSql: (schema: object) => Record<keyof Ddl, Sql> };

const kitFile = fileURLToPath(
  new URL("../../node_modules/ponder/dist/esm/drizzle/kit/index.js", import.meta.url),
);

/**
 * The DDL of the real schema and of the indexes that the API builds, without the tables Ponder
 * uses to undo reorganisations.
 */
export async function readDdl(): Promise<Ddl> {
  const { getSql } = (await import(pathToFileURL(kitFile).href)) as Kit;
  const { enums, tables, views, indexes } = getSql(schema);
  const own = tables.sql.filter((statement) => !statement.includes("_reorg__"));
  const large = ownIndexes.map(
    ({ name, table, definition }) => `create index ${name} on ${table} ${definition}`,
  );
  return { enums: enums.sql, tables: own, views: views.sql, indexes: [...indexes.sql, ...large] };
}

/** A test's tables: an empty index on its own database. */
export type Tables = {
  db: Db;
  writer: ReturnType<typeof connect>["writer"];
  pool: pg.Pool;
  databaseUrl: string;
  drop: () => Promise<void>;
};

type Options = {
  /** Fills the tables before their indexes are built, as Ponder's backfill does. For many rows. */
  fill?: (pool: pg.Pool) => Promise<void>;
  /** Receives every statement of the query layer. */
  onQuery?: (sql: string, parameters: unknown[]) => void;
  /** The database locale. The default knows the case of all letters. */
  locale?: "C";
};

/** Creates the index's tables and those for Ponder's progress on an empty database. */
export async function createTables({ fill, onQuery, locale }: Options = {}): Promise<Tables> {
  const isPlain = fill === undefined && locale === undefined;
  const database = isPlain
    ? await copyTestDatabase(addTables)
    : await createTestDatabase(undefined, locale ? { locale } : {});
  const { pool, writer } = connect(database.url, onQuery);
  if (!isPlain) await addTablesBy(pool, fill);
  return {
    db: writer as unknown as Db,
    writer,
    pool,
    databaseUrl: database.url,
    drop: async () => {
      await pool.end();
      await database.drop();
    },
  };
}

/** The same for all tests of a file, which need not drop them. */
export function useTables(options: Options = {}): Tables {
  const tables = {} as Tables;
  beforeAll(async () => void Object.assign(tables, await createTables(options)));
  afterAll(() => tables.drop?.());
  return tables;
}

/** Drops what the API builds beside an index's tables, with its triggers, and all rows. */
const emptying = `
  select format('drop function %s cascade', oid::regprocedure) as statement, 1 as turn from pg_proc
   where pronamespace = 'public'::regnamespace and proname ~ '^(figures|feed)_'
  union all
  select format(case when relname ~ '^(figures|feed)_' then 'drop table %I cascade' else 'delete from %I' end, relname), 2 from pg_class
   where relnamespace = 'public'::regnamespace and relkind = 'r'
  order by turn`;

/**
 * The same database without rows, and a `db` of which nothing is remembered: for files whose tests each begin with empty
 * tables. To make a database, and to drop it, takes longer than most of these tests.
 *
 * @example beforeEach(async () => { tables = await emptied(tables); });
 */
export async function emptied({ pool, ...database }: Tables): Promise<Tables> {
  const { rows } = await pool.query<{ statement: string }>(emptying);
  await pool.query(rows.map(({ statement }) => statement).join("; "));
  const writer = drizzle(pool, { schema, casing: "snake_case" });
  return { ...database, pool, writer, db: writer as unknown as Db };
}

const BEGIN_AGAIN_MS = 100;

/** Begins a change feed beside the tables. It waits while PostgreSQL's own vacuum uses a table. */
export const beginFeed = ({ databaseUrl }: Pick<Tables, "databaseUrl">): Promise<void> =>
  withClient({ connectionString: databaseUrl }, async (client) => {
    while (!(await beginEpoch(client, "public"))) await setTimeout(BEGIN_AGAIN_MS);
  });

/** Creates them on an existing database. */
async function addTables(databaseUrl: string): Promise<void> {
  const pool = openPool({ connectionString: databaseUrl });
  await addTablesBy(pool).finally(() => pool.end());
}

async function addTablesBy(pool: pg.Pool, fill: Options["fill"] = async () => {}): Promise<void> {
  const { enums, tables, views, indexes } = await readDdl();
  for (const statement of [...enums, ...tables, ...views, ...stateTableStatements])
    await pool.query(statement);
  await fill(pool);
  for (const statement of indexes) await pool.query(statement);
}

function connect(connectionString: string, onQuery: Options["onQuery"] = () => {}) {
  const pool = openPool({ connectionString });
  const logger = { logQuery: onQuery };
  return { pool, writer: drizzle(pool, { schema, casing: "snake_case", logger }) };
}
