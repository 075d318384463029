// Part of the patch logSync: the types it shares with Ponder's backfill.

import type { Connection } from "../connection.ts";
import type { Fragments } from "../sources/coverage.ts";
import type { Block, Cache, Encoders, NodeLog } from "./cacheRows.ts";
import type { Factory, Hex, Interval, LogFilter } from "./logGroups.ts";

/** Contracts found in logs, each with the block from which it is followed. */
export type Children = Map<Hex, number>;

/** A chain in a run of Ponder. */
export type Chain = {
  rpc: { request: (request: { method: string; params: unknown[] }, context?: unknown) => Promise<unknown> };
  database: {
    syncQB: Connection & { transaction: (work: (inside: Connection) => Promise<void>) => Promise<void> };
  };
  chain: { id: number; name: string; ethGetLogsBlockRange?: number | undefined };
  common: {
    options: { factoryAddressCountThreshold: number };
    logger: { child: (fields: object) => unknown; info: (line: object) => void };
  };
  childAddresses: ReadonlyMap<string, Children>;
  eventCallbacks: readonly { filter: LogFilter }[];
  syncProgress: Record<"start" | "finalized", { number: Hex }> &
    Partial<Record<"current" | "end", { number: Hex }>>;
};

export type FilterInterval = { filter: LogFilter; interval: Interval };
export type FactoryInterval = { factory: Factory; interval: Interval };

export type Store = Cache & {
  connection: Connection;
  insertChildAddresses: (found: {
    factory: Factory;
    childAddresses: Children;
    chainId: number;
  }) => Promise<void>;
};

export type Given = {
  requiredIntervals: FilterInterval[];
  requiredFactoryIntervals: FactoryInterval[];
  syncStore: Store;
};

/** Functions of Ponder's own modules (sync-historical/index.js imports them). */
export type Ponder = Encoders &
  Fragments & {
    eth_getLogs: (rpc: unknown, params: unknown[], context: unknown) => Promise<NodeLog[]>;
    eth_getBlockByNumber: (rpc: unknown, params: [Hex, boolean], context: unknown) => Promise<Block>;
    getLogsRetryHelper: (failed: { params: unknown[]; error: unknown }) => {
      shouldRetry: boolean;
      ranges?: { fromBlock: Hex; toBlock: Hex }[];
      isSuggestedRange?: boolean;
    };
    validateLogsAndBlock: (
      logs: NodeLog[],
      block: unknown,
      logsRequest: object,
      blockRequest: object,
    ) => void;
    getChildAddress: (from: { log: NodeLog; factory: Factory }) => Hex;
    isAddressFactory: (address: unknown) => address is Factory;
    isAddressMatched: (seen: {
      address: Hex;
      blockNumber: number;
      childAddresses: Children | undefined;
    }) => boolean;
    isLogFactoryMatched: (pair: { factory: Factory; log: NodeLog }) => boolean;
    isLogFilterMatched: (pair: { filter: LogFilter; log: NodeLog }) => boolean;
    /** Ends Ponder with the exit code for errors that a restart cannot fix. */
    NonRetryableUserError: new (
      message: string,
    ) => Error;
  };
