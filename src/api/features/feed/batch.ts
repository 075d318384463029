import type { Queries } from "../../server/postgres/client.ts";
import type { Value } from "./source.ts";

/** A row of `feed_changes` as it is written. */
export type NewChange = {
  type: string;
  source: string | null;
  slot: string | null;
  key: readonly string[] | null;
  node: string | null;
  name: string | null;
  resolver: string | null;
  addresses: readonly string[];
  at: BlockAt;
  transactionHash: string | null;
  logIndex: number | null;
  details: Readonly<Record<string, string | number | null>>;
  before: Value | null;
  after: Value | null;
};

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
  const rows = changes.map(({ at, before, after, ...change }, i) => ({
    number: batch.newest + 1 + i,
    state: "new",
    chain_id: batch.chainId,
    type: change.type,
    source: change.source,
    slot: change.slot,
    key: change.key,
    node: change.node,
    name: change.name,
    resolver: change.resolver,
    addresses: change.addresses,
    block_number: at.number,
    block_hash: at.hash,
    block_timestamp: at.timestamp,
    transaction_hash: change.transactionHash,
    log_index: change.logIndex,
    details: JSON.stringify(change.details),
    old_value: before && JSON.stringify(before),
    new_value: after && JSON.stringify(after),
  }));
  await batch.db.query(
    `insert into feed_changes (${COLUMNS}, details, old_value, new_value)
     select ${COLUMNS}, details::json, old_value::json, new_value::json from jsonb_to_recordset($1::jsonb) as given (
       number bigint, state text, type text, chain_id integer, source text, slot text, key jsonb, node text, name text,
       resolver text, addresses text[], block_number integer, block_hash text, block_timestamp bigint,
       transaction_hash text, log_index integer, details text, old_value text, new_value text)`,
    [JSON.stringify(rows)],
  );
  batch.newest += changes.length;
}

const COLUMNS = [
  "number",
  "state",
  "type",
  "chain_id",
  "source",
  "slot",
  "key",
  "node",
  "name",
  "resolver",
  "addresses",
  "block_number",
  "block_hash",
  "block_timestamp",
  "transaction_hash",
  "log_index",
].join(", ");

/** A row of the feed without a change: it marks a reader's position. */
export const mark = (type: string, at: BlockAt, details: NewChange["details"] = {}): NewChange => ({
  type,
  at,
  details,
  source: null,
  slot: null,
  key: null,
  node: null,
  name: null,
  resolver: null,
  addresses: [],
  transactionHash: null,
  logIndex: null,
  before: null,
  after: null,
});
