import type { Queries } from "../../server/postgres/client.ts";
import { type ChangeRow, changeColumns } from "./rows.ts";

/** A row of `feed_changes` as it is written: its number, state and chain are those of the batch. */
export type NewChange = Omit<ChangeRow, "number" | "state" | "chainId" | "takenBack">;

/** A block of a chain. */
export type BlockAt = { number: number; hash: string; timestamp: number };

/** What one look at a chain adds to the feed. */
export type Batch = {
  chainId: number;
  /** The number of the newest change. */
  newest: number;
  db: Queries;
  /** Hears of a row that the feed cannot hold. */
  onLeftOut: (row: string, error: Error) => void;
};

/**
 * Appends changes in their order. Values and details hold texts of strangers: they travel as texts of JSON and are stored as `json`,
 * because `jsonb`, and what unpacks JSON, refuses NUL.
 */
export async function append(batch: Batch, changes: readonly NewChange[]): Promise<void> {
  if (changes.length === 0) return;
  const { chainId, newest } = batch;
  const rows = changes.map(
    (change, i): Record<keyof ChangeRow, unknown> => ({
      ...change,
      number: newest + 1 + i,
      state: "new",
      chainId,
      takenBack: null,
      details: JSON.stringify(change.details),
      oldValue: change.oldValue && JSON.stringify(change.oldValue),
      newValue: change.newValue && JSON.stringify(change.newValue),
    }),
  );
  await batch.db.query(INSERT, [JSON.stringify(rows)]);
  batch.newest += changes.length;
}

const columns = Object.entries(changeColumns);
const INSERT = `
  insert into feed_changes (${columns.map(([, [column]]) => column).join(", ")})
  select ${columns.map(([field, [, type]]) => `"${field}"::${type}`).join(", ")}
  from jsonb_to_recordset($1::jsonb)
    as given (${columns.map(([field, [, type]]) => `"${field}" ${type === "json" ? "text" : type}`).join(", ")})`;

/** A block as the fields of a change. */
export const inBlock = ({ number, hash, timestamp }: BlockAt) => ({
  blockNumber: number,
  blockHash: hash,
  blockTimestamp: timestamp,
});

/** A row of the feed without a change: it marks a reader's position. */
export const mark = (type: string, at: BlockAt): NewChange => ({
  ...inBlock(at),
  type,
  details: {},
  source: null,
  slot: null,
  key: null,
  node: null,
  name: null,
  resolver: null,
  addresses: [],
  transactionHash: null,
  logIndex: null,
  oldValue: null,
  newValue: null,
});
