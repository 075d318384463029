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
  key: string[] | null;
  node: string | null;
  name: string | null;
  resolver: string | null;
  addresses: string[];
  blockNumber: number;
  blockHash: string;
  blockTimestamp: number;
  transactionHash: string | null;
  logIndex: number | null;
  details: Record<string, string | number | null>;
  oldValue: Value | null;
  newValue: Value | null;
  takenBack: number | null;
};

/** SQL for the columns of a row `f`, by the names of {@link ChangeRow}. */
export const CHANGE_COLUMNS = `f.number::float8 as number, f.state, f.type, f.chain_id as "chainId", f.source, f.slot, f.key, f.node, f.name,
  f.resolver, f.addresses, f.block_number as "blockNumber", f.block_hash as "blockHash",
  f.block_timestamp::float8 as "blockTimestamp", f.transaction_hash as "transactionHash", f.log_index as "logIndex",
  f.details, f.old_value as "oldValue", f.new_value as "newValue", f.taken_back::float8 as "takenBack"`;

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
