// Part of the patch logSync: past logs from sources other than a node.

import { type NodeLog, storable } from "../backfill/cacheRows.ts";
import type { Hex, Interval, LogQuery } from "../backfill/logGroups.ts";
import type { Sample } from "./sourceChecks.ts";

/** A log of a source. Each carries its block's time, so no block is fetched for it. */
export type SourceLog = NodeLog & {
  blockTimestamp: Hex;
  /** The fields of its transaction that handlers need, if the source has them. */
  transaction?: SourceTransaction;
};

export type SourceTransaction = Record<
  | "hash"
  | "blockHash"
  | "blockNumber"
  | "transactionIndex"
  | "from"
  | "input"
  | "value"
  | "nonce"
  | "gas"
  | "type",
  Hex
> & { to: Hex | null };

export type BlockId = { number: number; hash: Hex };

/** The origin of a chain's past logs: a Portal or an archive. */
export type LogSource = {
  /** Name for messages; contains no secret. */
  name: string;
  /** The last block it has. Later blocks, and filters it lacks, are requested from the node. */
  last: BlockId;
  /** Blocks it has for a filter. Ponder knows the filter by any of these names (runtime/fragments.js). */
  covered: (fragmentIds: readonly string[]) => Interval[];
  /** The number of its logs, if known. */
  count: number | null;
  /** Whether it returns all its logs of a range, whatever the query. */
  givesAll: boolean;
  /** At least the logs that match a query, in any order. @throws SourceError */
  logs: (queries: readonly LogQuery[], interval: Interval) => Promise<SourceLog[]>;
  /** The hash of a block, if known, for comparison with the node. */
  hashOf: (block: number) => Promise<Hex | null>;
};

/** A source cannot be used, or gave invalid data. The message says what the operator can do. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

/** The largest index in a block that the cache can store, and the largest time: Ponder's checkpoints have ten digits for it. */
export const MOST_INDEX = 2 ** 31 - 1;
export const MOST_TIME = 9_999_999_999;

/** The configured sources by chain, and the schema built from them. */
export type ConfiguredSources = {
  schema: string;
  byChain: Record<number, { variable: string; location: string }>;
  /** Logs whose transactions handlers need, by chain. */
  withTransactions?: Record<number, LogQuery[]>;
  /** How much is compared before storing; set only by tests, which must not depend on chance. */
  sample?: Sample;
};

declare global {
  // Ponder and the configuration are loaded separately and share only `globalThis`.
  var namedexLogSources: ConfiguredSources | undefined;
}

const isUrl = (location: string): boolean => /^https?:\/\//.test(location);

type Opening = { chainId: number; onRequest?: (() => void) | undefined; attempts?: number | undefined };

/** Opens the source that a setting names. */
export async function openLogSource(location: string, opening: Opening): Promise<LogSource> {
  const source = await openBy(location, opening);
  return { ...source, logs: async (...asked) => (await source.logs(...asked)).map(storable) };
}

/** Loads only the kind in use. */
async function openBy(location: string, { chainId, onRequest, attempts }: Opening): Promise<LogSource> {
  if (isUrl(location)) {
    const withTransactions = globalThis.namedexLogSources?.withTransactions?.[chainId];
    return (await import("./portal.ts")).openPortal(location, onRequest, { attempts, withTransactions });
  }
  return (await import("./archive.ts")).openArchive(location, chainId);
}
