import type { Context } from "ponder:registry";

type Table = { $inferInsert: object };

/** Ponder's own type needs to know the table to see that key and columns are a whole row. */
type Store = {
  insert: (table: Table) => {
    values: (row: object) => { onConflictDoUpdate: (columns: object) => Promise<unknown> };
  };
};

/**
 * Sets these columns of the row with a key, or inserts it.
 *
 * @example await put(context, ensv2Link, { chainId, resolver, node }, { record, blockNumber, transactionHash });
 */
export async function put<Of extends Table, Key extends Partial<Of["$inferInsert"]>>(
  { db }: Context,
  table: Of,
  key: Key,
  columns: Omit<Of["$inferInsert"], keyof Key>,
): Promise<void> {
  const store = db as unknown as Store;
  await store
    .insert(table)
    .values({ ...key, ...columns })
    .onConflictDoUpdate(columns);
}
