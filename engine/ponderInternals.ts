import { readFileSync } from "node:fs";

// The only place that knows the tables in which Ponder 0.17.7 keeps its state (node_modules/ponder/dist/esm/database).
// test/engine/ponderInternals.slow.test.ts holds it against a real Ponder.

/** Sends a query and gives its rows. Both drizzle's connections and pg's can be used as one. */
export type Query = <Row extends Record<string, unknown>>(text: string) => Promise<Row[]>;

/** What Ponder says of the indexer that writes an index. */
export type IndexerState = {
  /** True once every past event is indexed and the tables have their indexes; false again while it restarts. */
  isReady: boolean;
  /** True while an indexer holds the tables and shows signs of life, which it does every 10 seconds. */
  isRunning: boolean;
  schema: string;
  /** Ponder's name of the code, schema and configuration that wrote the tables. */
  buildId: string;
  /** Changes whenever the tables are created again. */
  tablesId: string;
  /** Changes with each start of the indexer, which may take the tables back. A reorganisation does not change it. */
  startId: string;
};

/** How far the index of a chain is. */
export type ChainProgress = {
  chainId: number;
  chainName: string;
  /** The block that the tables represent. */
  blockNumber: number;
  blockTimestamp: number;
  /** No reorganisation goes below this block. An indexer that starts again continues from here, or from before. */
  finalizedBlock: number;
  finalizedTimestamp: number;
};

/** The table in which Ponder describes the build and its indexer. Every index has one. */
export const metaTable = "_ponder_meta";
/** The table in which Ponder keeps how far each chain is. */
export const checkpointTable = "_ponder_checkpoint";

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A table of Ponder's state. Without a schema it is the one that the search path finds. */
const tableIn = (schema: string | undefined, table: string): string =>
  schema === undefined ? table : `${identifier(schema)}.${table}`;

/**
 * A checkpoint has 75 digits: block time (10), chain (16), block (16), transaction (16), type of event (1), event (16).
 * Source: utils/checkpoint.js.
 */
export const blockOf = (checkpoint: string): string => `substr(${checkpoint}, 27, 16)`;
export const chainOf = (checkpoint: string): string => `substr(${checkpoint}, 11, 16)`;
const timeOf = (checkpoint: string): string => `substr(${checkpoint}, 1, 10)`;

/** Ponder calls an indexer dead that gave no sign of life for this long (`databaseHeartbeatTimeout` is 25 s). */
const DEAD_AFTER_MS = 30_000;

const isReady = "(value ->> 'is_ready')::int = 1";
const heartbeat = "(value ->> 'heartbeat_at')::numeric";
const isRunning = `(value ->> 'is_locked')::int = 1 and ${heartbeat} > extract(epoch from now()) * 1000 - ${DEAD_AFTER_MS}`;

/** The state of the indexer that writes the tables; null where no indexer ever did. */
export async function readIndexer(query: Query, schema?: string): Promise<IndexerState | null> {
  const meta = tableIn(schema, metaTable);
  const rows = await query<IndexerState>(`
    select ${isReady} as "isReady", ${isRunning} as "isRunning",
      ${schema === undefined ? "current_schema()" : literal(schema)} as schema,
      coalesce(value ->> 'build_id', '') as "buildId", ${literal(meta)}::regclass::oid::text as "tablesId",
      coalesce(to_regclass(${literal(tableIn(schema, declaredIndex()))})::oid::text, '') as "startId"
    from ${meta} where key = 'app'`);
  return rows[0] ?? null;
}

/** The lock of an indexer that may be alive. */
export type IndexerLock = {
  buildId: string;
  /** The last sign of life, in unix milliseconds by the database's clock. A living indexer gives one every 10 seconds. */
  seenAt: string;
  silentSeconds: number;
};

/** The lock on a schema; null if no indexer holds one, or its holder gave no sign of life in time. */
export async function readLock(query: Query, schema: string): Promise<IndexerLock | null> {
  const [found] = await query<{ is: boolean }>(
    `select to_regclass(${literal(tableIn(schema, metaTable))}) is not null as is`,
  );
  if (!found?.is) return null;
  const rows = await query<IndexerLock>(`
    select coalesce(value ->> 'build_id', '') as "buildId", value ->> 'heartbeat_at' as "seenAt",
      greatest(0, round(extract(epoch from now()) - ${heartbeat} / 1000))::int as "silentSeconds"
    from ${tableIn(schema, metaTable)} where key = 'app' and ${isRunning}`);
  return rows[0] ?? null;
}

/** Names of an index's tables, as its build declared them; empty without an index. */
export async function listTables(query: Query, schema: string): Promise<string[]> {
  const rows = await query<{ tables: string[] }>(
    `select array(select jsonb_array_elements_text(value -> 'table_names')) as tables
     from ${tableIn(schema, metaTable)} where key = 'app'`,
  );
  return rows[0]?.tables ?? [];
}

/** Schemas of all indexes of Ponder, of any program, that the database has and that we may read; in order. */
export async function listSchemas(query: Query): Promise<string[]> {
  const rows = await query<{ schema: string }>(
    `select n.nspname as schema from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relname = '${metaTable}' and c.relkind = 'r'
       and has_schema_privilege(n.oid, 'USAGE') and has_table_privilege(c.oid, 'SELECT') order by n.nspname`,
  );
  return rows.map(({ schema }) => schema);
}

/** What a session beside Ponder's, of a process that works on an index, is called in `pg_stat_activity`. A takeover ends it. */
export const workerName = (schema: string, work: "feed" | "upkeep" | "transactions"): string =>
  `${schema}_${work}`;

/** How many connections Ponder's processes have to an index: the indexer's and those of replicas. */
export async function countConnections(query: Query, schema: string): Promise<number> {
  const names = ["internal", "user", "readonly"].map((pool) => literal(`${schema}_${pool}`));
  const rows = await query<{ connections: number }>(
    `select count(*)::int as connections from pg_stat_activity
     where datname = current_database() and application_name in (${names.join(", ")})`,
  );
  return rows[0]?.connections ?? 0;
}

type CheckpointRow = Record<
  "chain_name" | "chain_id" | "block" | "time" | "finalized" | "final_time",
  string
>;

/** The block of each chain that an index's tables represent, by chain id. */
export async function listProgress(query: Query, schema?: string): Promise<ChainProgress[]> {
  const rows = await query<CheckpointRow>(`
    with progress as (${checkpointsOf(schema)})
    select chain_name, chain_id, ${blockOf("checkpoint")} as block, ${timeOf("checkpoint")} as time,
      ${blockOf("finalized_checkpoint")} as finalized, ${timeOf("finalized_checkpoint")} as final_time
    from progress order by chain_id`);
  return rows.map((row) => ({
    chainId: Number(row.chain_id),
    chainName: row.chain_name,
    blockNumber: Number(row.block),
    blockTimestamp: Number(row.time),
    finalizedBlock: Number(row.finalized),
    finalizedTimestamp: Number(row.final_time),
  }));
}

/**
 * SQL for the checkpoint of each chain that the tables represent. A restarting indexer rolls its tables back to the
 * safe checkpoint and rebuilds the declared indexes, but leaves the latest checkpoint unchanged until the next block.
 * So a latest checkpoint older than a declared index refers to rows that are gone. Source: database/index.js,
 * `crashRecoveryCheckpoint`.
 */
const checkpointsOf = (schema: string | undefined): string => `
  with indexer as (select ${isReady} as is_ready from ${tableIn(schema, metaTable)} where key = 'app'),
  built as (
    select age(xmin) as age from pg_index
    where indexrelid = to_regclass(${literal(tableIn(schema, declaredIndex()))})
  )
  select chain_name, chain_id, finalized_checkpoint, case
    when (select is_ready from indexer) and age(c.xmin) <= coalesce((select age from built), 2147483647)
    then latest_checkpoint else safe_checkpoint end as checkpoint
  from ${tableIn(schema, checkpointTable)} c`;

let firstDeclared: string | undefined;

/**
 * An index that `ponder.schema.ts` declares: Ponder builds it at each start of the indexer. The indexes that Namedex
 * builds itself do not serve, because they stay. Only the text of the schema is read: programs of operators have no use
 * for Ponder, which takes half a second and 60 MB to load.
 */
export function declaredIndex(): string {
  firstDeclared ??= /\bindex\("([a-z_]+)"\)/.exec(
    readFileSync(new URL("../ponder.schema.ts", import.meta.url), "utf8"),
  )?.[1];
  if (firstDeclared === undefined) throw new Error("ponder.schema.ts declares no index");
  return firstDeclared;
}

/**
 * SQL for the state that the tables are in, as text that no other state has. Ponder writes a checkpoint with each block. A
 * reorganisation takes rows back without one, but it creates the triggers of the tables again in the same transaction.
 *
 * @param table any table of the index
 */
export const tablesVersionOf = (table: string): string =>
  `concat_ws(' ',
    (select string_agg(xmin::text, ',' order by chain_name) from ${checkpointTable}),
    (select max(oid::bigint) from pg_trigger where tgrelid = to_regclass(${literal(table)})))`;

/** The table of ponder.schema.ts that is the journal of blocks. The change blockJournal writes it. */
export const JOURNAL = "blocks";

/**
 * SQL for the newest block of each chain in the journal, as JSON by chain id. It is read in the query that reads the
 * tables' version, so that both belong to one state.
 */
export const positionOf = (): string => `(
  select json_agg(json_build_object(
    'chainId', b.chain_id, 'number', b.number, 'hash', b.hash, 'timestamp', b."timestamp",
    'isFinal', b.number <= ${blockOf("c.finalized_checkpoint")}::bigint) order by b.chain_id)
  from ${checkpointTable} c cross join lateral (
    select * from ${JOURNAL} where chain_id = c.chain_id order by number desc limit 1) b)`;

/** The newest block that an indexer wrote for one chain. */
export type WrittenBlock = { chainId: number; chainName: string; blockNumber: number };

/**
 * The newest block of each chain that a running indexer wrote; empty while it builds the index.
 *
 * @param withinMs without a sign of life in this time, the checkpoints are those of an earlier indexer
 */
export async function listWrittenBlocks(
  query: Query,
  { schema, withinMs }: { schema: string; withinMs: number },
): Promise<WrittenBlock[]> {
  const rows = await query<{ chain_name: string; chain_id: string; block: string }>(
    `select chain_name, chain_id, ${blockOf("latest_checkpoint")} as block from ${tableIn(schema, checkpointTable)}
     where exists (select from ${tableIn(schema, metaTable)}
       where key = 'app' and ${isReady} and ${heartbeat} >= extract(epoch from now()) * 1000 - ${Number(withinMs)})`,
  );
  return rows.map(({ chain_name, chain_id, block }) => ({
    chainId: Number(chain_id),
    chainName: chain_name,
    blockNumber: Number(block),
  }));
}
