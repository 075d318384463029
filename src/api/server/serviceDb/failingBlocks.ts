import type { Queries } from "../postgres/client.ts";

/** A block that an indexer tries again and again. */
export type NotedBlock = {
  chainId: number;
  blockNumber: number | null;
  attempts: number;
  /** Unix seconds of the first time. */
  since: number;
  why: string;
};

/** An indexer records its block every few seconds: older records belong to one that ended. */
const KEPT_SECONDS = 30;

export type FailingBlocks = ReturnType<typeof failingBlocksIn>;

/** The block that the indexer of each schema tries again: the indexer notes it, and replicas read it. */
export const failingBlocksIn = ({ query }: Queries) => ({
  /** Makes the row of a schema: a full disk takes no new one, but a row that is there can be changed in its page. */
  prepare: async (schema: string): Promise<void> => {
    await query(
      `INSERT INTO failing_blocks (index_schema, chain_id, attempts, since, why, noted_at)
       VALUES ($1, 0, 0, 0, '', '-infinity') ON CONFLICT DO NOTHING`,
      [schema],
    );
  },
  note: async (schema: string, { chainId, blockNumber, attempts, since, why }: NotedBlock): Promise<void> => {
    await query(
      `INSERT INTO failing_blocks (index_schema, chain_id, block_number, attempts, since, why)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (index_schema) DO UPDATE SET chain_id = excluded.chain_id, block_number = excluded.block_number,
         attempts = excluded.attempts, since = excluded.since, why = excluded.why, noted_at = now()`,
      [schema, chainId, blockNumber, attempts, since, why],
    );
  },
  /** The block was indexed. */
  clear: async (schema: string): Promise<void> => {
    await query("UPDATE failing_blocks SET noted_at = '-infinity' WHERE index_schema = $1", [schema]);
  },
  read: async (schema: string): Promise<NotedBlock | null> => {
    const [row] = await query<NotedBlock>(
      `SELECT chain_id::float8 AS "chainId", block_number::float8 AS "blockNumber", attempts, since::float8 AS since, why
       FROM failing_blocks WHERE index_schema = $1 AND noted_at > now() - interval '${KEPT_SECONDS} seconds'`,
      [schema],
    );
    return row ?? null;
  },
});
