import { event } from "ponder:schema";
import { count, isNotNull, sql } from "ponder";
import { checkpointsOf } from "../../../engine/ponderInternals.ts";
import type { Db } from "../query/db.ts";

/** How far the index of a chain is. */
export type ChainProgress = {
  chainId: number;
  chainName: string;
  /** The tables are as of this block. */
  blockNumber: number;
  blockTimestamp: number;
  /** No reorganisation goes below this block; an indexer that starts again goes on from here, or from before. */
  finalizedBlock: number;
};

/** What Ponder says of the indexer in `_ponder_meta`. */
export type IndexerState = {
  /** True once every past event is indexed and the tables have their indexes; false again while it restarts. */
  isReady: boolean;
  /** True while an indexer holds the tables and shows signs of life, which it does every 10 seconds. */
  isRunning: boolean;
  schema: string;
  /** Ponder's name of the code, schema and configuration that wrote the tables. */
  buildId: string;
  /** Another one wherever the tables were made anew. */
  tablesId: string;
};

const unknownIndexer: IndexerState = {
  ...{ isReady: false, isRunning: false },
  ...{ schema: "", buildId: "", tablesId: "" },
};

/** The state of the indexer that writes the tables; it may be another process than ours. */
export async function readIndexerState(db: Db): Promise<IndexerState> {
  const { rows } = await db.execute<IndexerState>(sql`
    select (value ->> 'is_ready')::int = 1 as "isReady",
      (value ->> 'is_locked')::int = 1
        and (value ->> 'heartbeat_at')::numeric > extract(epoch from now()) * 1000 - 30000 as "isRunning",
      current_schema() as schema, coalesce(value ->> 'build_id', '') as "buildId",
      '_ponder_meta'::regclass::oid::text as "tablesId"
    from _ponder_meta where key = 'app'`);
  return rows[0] ?? unknownIndexer;
}

/** The block of each chain as of which the tables are. */
export async function listProgress(db: Db): Promise<ChainProgress[]> {
  const { rows } = await db.execute<
    Record<"chain_name" | "chain_id" | "block" | "time" | "finalized", string>
  >(
    sql`
    with progress as (${sql.raw(checkpointsOf())})
    select chain_name, chain_id, substr(checkpoint, 27, 16) as block, substr(checkpoint, 1, 10) as time,
      substr(finalized_checkpoint, 27, 16) as finalized
    from progress order by chain_id`,
  );
  return rows.map((row) => ({
    chainId: Number(row.chain_id),
    chainName: row.chain_name,
    blockNumber: Number(row.block),
    blockTimestamp: Number(row.time),
    finalizedBlock: Number(row.finalized),
  }));
}

/**
 * The state that the tables are in, as text that another state never has. Ponder writes a checkpoint with each block; a
 * reorganisation takes rows back without one, but makes the triggers of the tables anew in the same transaction.
 */
export async function readTablesVersion(db: Db): Promise<string> {
  const { rows } = await db.execute<{ version: string }>(sql`
    select concat_ws(' ',
      (select string_agg(xmin::text, ',' order by chain_name) from _ponder_checkpoint),
      (select max(oid::bigint) from pg_trigger where tgrelid = to_regclass('domains'))) as version`);
  return rows[0]?.version ?? "";
}

/** How many logs could not be understood, by reason. They are in the event log all the same. */
export function countAnomalies(db: Db): Promise<{ reason: string; count: number }[]> {
  return db
    .select({ reason: sql<string>`${event.anomaly}`, count: count() })
    .from(event)
    .where(isNotNull(event.anomaly))
    .groupBy(event.anomaly)
    .orderBy(event.anomaly);
}
