import type { Store } from "./store.ts";

/** One index: its schema, the build that writes it, and its tables; recreated tables have another id. */
export type IndexIdentity = { schema: string; buildId: string; tablesId: string };

export type CompletedIndexes = ReturnType<typeof completedIndexesIn>;

/**
 * Which indexes have once held every past event, stored where replicas and later processes find it. An indexer that starts again
 * reports that its index is not ready, although the tables are complete up to a block. Without this record half a backfill would
 * look the same.
 */
export const completedIndexesIn = (store: Pick<Store, "query">) => ({
  add: async ({ schema, buildId, tablesId }: IndexIdentity): Promise<void> => {
    await store.query(
      "INSERT INTO completed_indexes (index_schema, build_id, tables_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      [schema, buildId, tablesId],
    );
  },
  has: async ({ schema, buildId, tablesId }: IndexIdentity): Promise<boolean> => {
    const rows = await store.query(
      "SELECT 1 FROM completed_indexes WHERE index_schema = $1 AND build_id = $2 AND tables_id = $3",
      [schema, buildId, tablesId],
    );
    return rows.length > 0;
  },
});
