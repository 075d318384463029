import type { Queries } from "../postgres/client.ts";

/** The comparison of one chain's past logs, which came from `LOG_SOURCE`, with the node. */
export type SourceComparison = {
  chainId: number;
  /** Blocks that came from a source. */
  blocks: number;
  compared: number;
  /** A block in which the source was false: the index may be, too. */
  differingBlock: number | null;
};

/** Records how far a comparison is. */
export async function noteSourceComparison(
  { query }: Queries,
  schema: string,
  { chainId, blocks, compared }: Omit<SourceComparison, "differingBlock">,
): Promise<void> {
  await query(
    `INSERT INTO source_comparisons (index_schema, chain_id, blocks, compared) VALUES ($1, $2, $3, $4)
     ON CONFLICT (index_schema, chain_id) DO UPDATE SET blocks = excluded.blocks, compared = excluded.compared`,
    [schema, chainId, blocks, compared],
  );
}

/** Records that an index is false. That stays so: it cannot take back what it indexed. */
export async function noteSourceDifference(
  { query }: Queries,
  schema: string,
  { chainId, block }: { chainId: number; block: number },
): Promise<void> {
  await query(
    `INSERT INTO source_comparisons (index_schema, chain_id, blocks, compared, differing_block) VALUES ($1, $2, 0, 0, $3)
     ON CONFLICT (index_schema, chain_id) DO UPDATE SET differing_block = excluded.differing_block`,
    [schema, chainId, block],
  );
}

/** The comparisons of an index; empty if all its past logs came from the node. */
export const listSourceComparisons = ({ query }: Queries, schema: string): Promise<SourceComparison[]> =>
  query<SourceComparison>(
    `SELECT chain_id::float8 AS "chainId", blocks::float8 AS blocks, compared::float8 AS compared,
       differing_block::float8 AS "differingBlock"
     FROM source_comparisons WHERE index_schema = $1`,
    [schema],
  );
