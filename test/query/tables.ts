import { fileURLToPath, pathToFileURL } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import type { Db } from "../../src/api/query/db.ts";
import { ownIndexes } from "../../src/api/upkeep/indexes.ts";
import { createTestDatabase, openPool } from "../support/database.ts";
import schema from "../support/ponderSchema.ts";

/** Statements that build the index's tables, as Ponder makes them from `ponder.schema.ts`. */
export type Ddl = Record<"enums" | "tables" | "views" | "indexes", string[]>;

type Sql = { sql: string[] };
type Kit = { getSql: (schema: object) => Record<keyof Ddl, Sql> };

const kitFile = fileURLToPath(
  new URL("../../node_modules/ponder/dist/esm/drizzle/kit/index.js", import.meta.url),
);

/** The DDL of the real schema and of the indexes that the API builds, without the tables by which Ponder undoes reorganisations. */
export async function readDdl(): Promise<Ddl> {
  const { getSql } = (await import(pathToFileURL(kitFile).href)) as Kit;
  const { enums, tables, views, indexes } = getSql(schema);
  const own = tables.sql.filter((statement) => !statement.includes("_reorg__"));
  const large = ownIndexes.map(
    ({ name, table, definition }) => `create index ${name} on ${table} ${definition}`,
  );
  return { enums: enums.sql, tables: own, views: views.sql, indexes: [...indexes.sql, ...large] };
}

/** Tables of a test: an empty index on a database of its own. */
export type Tables = {
  db: Db;
  writer: ReturnType<typeof connect>["writer"];
  pool: pg.Pool;
  databaseUrl: string;
  drop: () => Promise<void>;
};

type Options = {
  /** Fills the tables before their indexes are built, as Ponder's backfill does; for many rows. */
  fill?: (pool: pg.Pool) => Promise<void>;
  /** Hears every statement of the query layer. */
  onQuery?: (sql: string, parameters: unknown[]) => void;
  /** Locale of the database; one that knows the case of all letters unless told. */
  locale?: "C";
};

/** Creates the index's tables, and those in which Ponder keeps its progress, on an empty database. */
export async function createTables({
  fill = async () => {},
  onQuery,
  ...place
}: Options = {}): Promise<Tables> {
  const database = await createTestDatabase(undefined, place);
  const { pool, writer } = connect(database.url, onQuery);
  const { enums, tables, views, indexes } = await readDdl();
  for (const statement of [...enums, ...tables, ...views, ...progressTables]) await pool.query(statement);
  await fill(pool);
  for (const statement of indexes) await pool.query(statement);
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

function connect(connectionString: string, onQuery: Options["onQuery"] = () => {}) {
  const pool = openPool({ connectionString });
  const logger = { logQuery: onQuery };
  return { pool, writer: drizzle(pool, { schema, casing: "snake_case", logger }) };
}

/** As Ponder 0.17.7 creates them. */
const progressTables = [
  "create table _ponder_meta (key text primary key, value jsonb not null)",
  `create table _ponder_checkpoint (chain_name text primary key, chain_id bigint not null,
     latest_checkpoint varchar(75) not null, safe_checkpoint varchar(75) not null, finalized_checkpoint varchar(75) not null)`,
];

/** Says that the indexer has come so far on a chain. */
export async function setProgress(
  { pool }: Pick<Tables, "pool">,
  { chainId, block, time }: { chainId: number; block: number; time: number },
): Promise<void> {
  const checkpoint = `${pad(time, 10)}${pad(chainId, 16)}${pad(block, 16)}`.padEnd(75, "0");
  await pool.query(
    "insert into _ponder_meta values ('app', jsonb_build_object('is_ready', 1, 'is_locked', 1, 'heartbeat_at', extract(epoch from now()) * 1000)) on conflict do nothing",
  );
  await pool.query(
    "insert into _ponder_checkpoint values ($1, $2, $3, $3, $3) on conflict (chain_name) do update set latest_checkpoint = $3",
    [`chain${chainId}`, chainId, checkpoint],
  );
}

const pad = (value: number, length: number): string => String(value).padStart(length, "0");
