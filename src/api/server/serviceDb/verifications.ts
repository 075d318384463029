import type { Queries } from "../postgres/client.ts";

/** What the last comparison of an index with the chain found (`npm run verify`). */
export type Verification = {
  /** Unix seconds of its end. */
  finishedAt: number;
  /** The block at which contracts were asked. */
  blockNumber: number;
  /** Names, records and primary names. */
  samples: number;
  /** Values that were compared. */
  values: number;
  differences: number;
};

/** Records the result of a comparison; that of the one before is overwritten. */
export async function noteVerification(
  { query }: Queries,
  schema: string,
  { blockNumber, samples, values, differences }: Omit<Verification, "finishedAt">,
): Promise<void> {
  await query(
    `INSERT INTO verifications (index_schema, block_number, samples, compared, differences)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (index_schema) DO UPDATE SET finished_at = now(), block_number = excluded.block_number,
       samples = excluded.samples, compared = excluded.compared, differences = excluded.differences`,
    [schema, blockNumber, samples, values, differences],
  );
}

/** The last comparison of an index; null before the first. */
export async function readVerification({ query }: Queries, schema: string): Promise<Verification | null> {
  const [row] = await query<Verification>(
    `SELECT floor(extract(epoch FROM finished_at))::float8 AS "finishedAt", block_number::float8 AS "blockNumber",
       samples, compared AS values, differences
     FROM verifications WHERE index_schema = $1`,
    [schema],
  );
  return row ?? null;
}
