// Part of the patch neededTransactions: fetches only the transactions of past logs that handlers need.

import { setTimeout as sleep } from "node:timers/promises";
import { insertTransactions } from "../cachedTransactions.ts";
import { type Connection, executeAs } from "../connection.ts";
import type { Encoders, Transaction } from "./cacheRows.ts";
import type { Factory, Hex, LogFilter } from "./logGroups.ts";
import { checkTransaction } from "./thinBlocks.ts";

/** A log as Ponder reads it from its cache. */
type Log = {
  blockNumber: number;
  transactionIndex: number;
  transactionHash: Hex;
  address: Hex;
  topics: readonly (Hex | null)[];
  data: Hex;
};

type NeedChain = { id: number; addressesOf: (entry: string) => readonly Hex[] };
/** Whether the handler of an event needs more of a log's transaction than its hash. */
type Need = (log: Log, chain: NeedChain) => boolean;

declare global {
  /** The events that need a transaction, set by src/indexing/neededTransactions.ts. If it is not set, all events do. */
  var namedexNeededTransactions: Readonly<Record<string, Need>> | undefined;
  /** How many of them a run fetches for its batches; all if not set. The handlers get the others later. */
  var namedexTransactionsAtOnce: number | undefined;
}

/** Functions of Ponder's own modules (runtime/historical.js imports them). */
type Ponder = Pick<Encoders, "encodeTransaction"> & {
  isLogFilterMatched: (pair: { filter: LogFilter; log: Log }) => boolean;
  standardizeTransactions: (transactions: Transaction[], request: object) => Transaction[];
};

/** A chain in a run of Ponder. */
type Chain = {
  rpc: { request: (request: object) => Promise<Transaction | null> };
  chain: { id: number };
  database: { syncQB: Connection };
  eventCallbacks: readonly { name: string; filter: LogFilter }[];
};

type Place = { blockNumber: number; transactionIndex: number };

/** A batch of the backfill. */
type Batch = {
  blocks: readonly { number: bigint; hash: Hex }[];
  logs: readonly Log[];
  transactions: readonly Place[];
};

type Store = { getEventData: (range: object) => Promise<Batch> };

const keyOf = ({ blockNumber, transactionIndex }: Place): string => `${blockNumber} ${transactionIndex}`;

/**
 * Creates the reader of a batch of past events from the cache. It first fetches the transactions that handlers need and the cache
 * lacks, up to a limit. So it does not matter which events needed one when their logs were cached.
 */
export const readWithNeededBy = (ponder: Ponder) => {
  let fetched = 0;
  return (chain: Chain, store: Store) => {
    const isNeeded = neededBy(ponder, chain);
    return async (range: object): Promise<Batch> => {
      const batch = await store.getEventData(range);
      const known = new Set(batch.transactions.map(keyOf));
      const missing = new Map<string, Log>();
      for (const log of batch.logs) {
        if (!known.has(keyOf(log)) && isNeeded(log)) missing.set(keyOf(log), log);
      }
      const left = (globalThis.namedexTransactionsAtOnce ?? Number.POSITIVE_INFINITY) - fetched;
      const wanted = [...missing.values()].slice(0, Math.max(0, left));
      if (wanted.length === 0) return batch;
      fetched += wanted.length;
      const hashes = new Map(batch.blocks.map(({ number, hash }) => [Number(number), hash]));
      const fetchOne = (log: Log) =>
        retried(() =>
          fetchTransaction(ponder, chain, { ...log, blockHash: hashes.get(log.blockNumber) as Hex }),
        );
      const transactions = await Promise.all(wanted.map(fetchOne));
      const chainId = chain.chain.id;
      await insertTransactions(
        (text) => executeAs("insert_transactions")(chain.database.syncQB, text),
        transactions.map((transaction) => ponder.encodeTransaction({ transaction, chainId })),
      );
      return store.getEventData(range);
    };
  };
};

/** Requests a transaction by its place, because a node with all blocks may index only recent transactions by hash. */
async function fetchTransaction(
  { standardizeTransactions }: Ponder,
  { rpc }: Chain,
  log: Log & { blockHash: Hex },
): Promise<Transaction> {
  const params = [log.blockNumber, log.transactionIndex].map((number) => `0x${number.toString(16)}`);
  const request = { method: "eth_getTransactionByBlockNumberAndIndex", params };
  const found = await rpc.request(request);
  if (found === null) {
    throw new Error(
      `The node does not have transaction ${log.transactionHash}, number ${log.transactionIndex} of block ${log.blockNumber}.`,
    );
  }
  const [transaction] = standardizeTransactions([found], request) as [Transaction];
  checkTransaction(log, transaction);
  return transaction;
}

/** Seconds before each further attempt: one of several nodes behind a URL can lag. */
const WAITS = [0.2, 1, 5];

async function retried<Outcome>(attempt: () => Promise<Outcome>, waits = WAITS): Promise<Outcome> {
  try {
    return await attempt();
  } catch (error) {
    const [seconds, ...later] = waits;
    const isFinal = seconds === undefined || (error as Error).name === "ShutdownError";
    if (isFinal) throw error;
    await sleep(seconds * 1_000);
    return retried(attempt, later);
  }
}

/** Whether a handler needs the transaction of a log. */
function neededBy(
  { isLogFilterMatched }: Ponder,
  { chain: { id }, eventCallbacks }: Chain,
): (log: Log) => boolean {
  const needs = globalThis.namedexNeededTransactions;
  if (needs === undefined) return () => true;
  const known = new Map<string, readonly Hex[]>();
  const addressesOf = (entry: string): readonly Hex[] => {
    const addresses = known.get(entry) ?? listAddresses(eventCallbacks, entry);
    known.set(entry, addresses);
    return addresses;
  };
  const events = eventCallbacks.flatMap(({ name, filter }) => {
    const need = needs[name];
    return need === undefined ? [] : [{ filter, need, topics: new Set([filter.topic0].flat()) }];
  });
  return (log) =>
    events.some(
      ({ filter, need, topics }) =>
        topics.has(log.topics[0]) && isLogFilterMatched({ filter, log }) && need(log, { id, addressesOf }),
    );
}

/** The fixed addresses of an entry of the configuration. */
const listAddresses = (eventCallbacks: Chain["eventCallbacks"], entry: string): Hex[] =>
  eventCallbacks
    .filter(({ name }) => name.startsWith(`${entry}:`))
    .flatMap(({ filter: { address } }) => (address === undefined || isFactory(address) ? [] : address));

const isFactory = (address: NonNullable<LogFilter["address"]>): address is Factory =>
  typeof address === "object" && "eventSelector" in address;
