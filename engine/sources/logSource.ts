// Part of the patch logSync: past logs from elsewhere than a node.

import { type NodeLog, storable } from "../backfill/cacheRows.ts";
import type { Hex, Interval, LogQuery } from "../backfill/logGroups.ts";
import type { Sample } from "./sourceChecks.ts";

/** A log of a source; each carries its block's time, so that no block is fetched for it. */
export type SourceLog = NodeLog & {
  blockTimestamp: Hex;
  /** What handlers need of its transaction, where the source has that. */
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

/** Where past logs of a chain come from: a stream of others, or an archive. */
export type LogSource = {
  /** For messages; it holds no secret. */
  name: string;
  /** The last block that it has. Above it, and where it has nothing of a filter, the node is asked. */
  last: BlockId;
  /** Blocks that it has for a filter, which Ponder knows by any of these names (runtime/fragments.js). */
  covered: (fragmentIds: readonly string[]) => Interval[];
  /** How many logs it has, where it knows that. */
  count: number | null;
  /** It gives all logs that it has of a range, whatever is asked for. */
  givesAll: boolean;
  /** At least the logs that a query finds, in any order. @throws SourceError */
  logs: (queries: readonly LogQuery[], interval: Interval) => Promise<SourceLog[]>;
  /** Hash of a block, where it knows that; for a comparison with the node. */
  hashOf: (block: number) => Promise<Hex | null>;
};

/** A source cannot be used, or said what cannot be. The message says what the operator can do. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

/** The largest index in a block that the cache can hold, and the largest time: Ponder's checkpoints have ten digits for it. */
export const MOST_INDEX = 2 ** 31 - 1;
export const MOST_TIME = 9_999_999_999;

/** The settings' sources, by chain, and the schema that is built from them. */
export type ConfiguredSources = {
  schema: string;
  byChain: Record<number, { variable: string; location: string }>;
  /** Logs whose transactions handlers need, by chain. */
  withTransactions?: Record<number, LogQuery[]>;
  /** How much is compared before it is stored; for tests, which leave nothing to chance. */
  sample?: Sample;
};

declare global {
  // Ponder and the configuration are loaded apart: only `globalThis` is common to them.
  var namedexLogSources: ConfiguredSources | undefined;
}

const isUrl = (location: string): boolean => /^https?:\/\//.test(location);

type Opening = { chainId: number; onRequest?: (() => void) | undefined; attempts?: number | undefined };

/** Opens a source by the text of its setting. */
export async function openLogSource(location: string, opening: Opening): Promise<LogSource> {
  const source = await openBy(location, opening);
  return { ...source, logs: async (...asked) => (await source.logs(...asked)).map(storable) };
}

/** Both kinds are loaded only where they are used. */
async function openBy(location: string, { chainId, onRequest, attempts }: Opening): Promise<LogSource> {
  if (isUrl(location)) {
    const withTransactions = globalThis.namedexLogSources?.withTransactions?.[chainId];
    return (await import("./portal.ts")).openPortal(location, onRequest, { attempts, withTransactions });
  }
  return (await import("./archive.ts")).openArchive(location, chainId);
}
