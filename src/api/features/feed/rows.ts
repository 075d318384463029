import type { Hex } from "viem";
import type { Value } from "./source.ts";

/** A row of the feed. */
export type ChangeRow = {
  number: number;
  /** `now`: no change, but a value as it is, for a reader that begins again. */
  state: "new" | "removed" | "now";
  type: string;
  chainId: number;
  source: string | null;
  slot: string | null;
  key: readonly string[] | null;
  node: string | null;
  name: string | null;
  resolver: string | null;
  addresses: readonly string[];
  blockNumber: number;
  blockHash: string;
  blockTimestamp: number;
  transactionHash: string | null;
  logIndex: number | null;
  details: Readonly<Record<string, string | number | null>>;
  oldValue: Value | null;
  newValue: Value | null;
  takenBack: number | null;
};

/** The columns of `feed_changes` that hold a change, with their PostgreSQL types, by the fields of {@link ChangeRow}. */
export const changeColumns = {
  number: ["number", "bigint"],
  state: ["state", "text"],
  type: ["type", "text"],
  chainId: ["chain_id", "integer"],
  source: ["source", "text"],
  slot: ["slot", "text"],
  key: ["key", "jsonb"],
  node: ["node", "text"],
  name: ["name", "text"],
  resolver: ["resolver", "text"],
  addresses: ["addresses", "text[]"],
  blockNumber: ["block_number", "integer"],
  blockHash: ["block_hash", "text"],
  blockTimestamp: ["block_timestamp", "bigint"],
  transactionHash: ["transaction_hash", "text"],
  logIndex: ["log_index", "integer"],
  details: ["details", "json"],
  oldValue: ["old_value", "json"],
  newValue: ["new_value", "json"],
  takenBack: ["taken_back", "bigint"],
} as const satisfies Record<keyof ChangeRow, readonly [column: string, type: string]>;

/** SQL for the columns of a row `f`, by the names of {@link ChangeRow}. */
export const CHANGE_COLUMNS = Object.entries(changeColumns)
  .map(([field, [column, type]]) => `f.${column}${type === "bigint" ? "::float8" : ""} as "${field}"`)
  .join(", ");

/** The last block of a chain covered by the feed. */
export type FeedBlock = {
  chainId: number;
  number: number;
  hash: Hex;
  timestamp: number;
  finalNumber: number;
};

/**
 * How far the feed is. `oldest`: readers who stand before it have missed changes. `gapSince`: since when a fault keeps changes out of
 * the feed (a gap that is about to be healed, or a writer that stands still); in unix seconds. `healed`: how many gaps were, in this epoch.
 */
export type FeedState = {
  epoch: string;
  newest: number;
  oldest: number;
  gapSince: number | null;
  healed: number;
  /** Whether it was read from a standby, which may be behind what a caller has seen. */
  isStandby: boolean;
  blocks: FeedBlock[];
};
