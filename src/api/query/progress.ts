import { event } from "ponder:schema";
import { count, isNotNull, sql } from "ponder";
import type { Db } from "../context.ts";

/** How far the index of a chain is. */
export type ChainProgress = {
  chainId: number;
  chainName: string;
  blockNumber: number;
  blockTimestamp: number;
};

/** What Ponder says of the indexer in `_ponder_meta`. */
export type IndexerState = {
  /** True once every past event is indexed and the tables have their indexes. */
  isReady: boolean;
  /** True while an indexer holds the tables and shows signs of life, which it does every 10 seconds. */
  isRunning: boolean;
};

/** The state of the indexer that writes the tables; it may be another process than ours. */
export async function readIndexerState(db: Db): Promise<IndexerState> {
  const { rows } = await db.execute<{ ready: boolean; running: boolean }>(sql`
    select (value ->> 'is_ready')::int = 1 as ready,
      (value ->> 'is_locked')::int = 1
        and (value ->> 'heartbeat_at')::numeric > extract(epoch from now()) * 1000 - 30000 as running
    from _ponder_meta where key = 'app'`);
  return { isReady: rows[0]?.ready ?? false, isRunning: rows[0]?.running ?? false };
}

/** The newest indexed block of each chain. Ponder keeps checkpoints of 75 digits: time (10), chain (16), block (16), ... */
export async function listProgress(db: Db): Promise<ChainProgress[]> {
  const { rows } = await db.execute<{
    chain_name: string;
    chain_id: string;
    block: string;
    time: string;
  }>(sql`
    select chain_name, chain_id, substr(latest_checkpoint, 27, 16) as block, substr(latest_checkpoint, 1, 10) as time
    from _ponder_checkpoint order by chain_id`);
  return rows.map((row) => ({
    chainId: Number(row.chain_id),
    chainName: row.chain_name,
    blockNumber: Number(row.block),
    blockTimestamp: Number(row.time),
  }));
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
