import {
  listCached,
  type ReadTransaction,
  sizesOfCached,
  storeTransaction,
  type TransactionPlace,
} from "../../../../engine/cachedTransactions.ts";
import { withoutKeys } from "../../server/errors/foreignText.ts";
import type { Queries } from "../../server/postgres/client.ts";
import { messageOf } from "../../server/postgres/databaseErrors.ts";
import { limiter } from "../../server/scheduling/bounded.ts";
import { workInTurns } from "../../server/scheduling/repeated.ts";
import { callNode } from "../live/jsonRpc.ts";
import { rateLimiter, type TakeTurn } from "../live/rateLimiter.ts";

type Hex = `0x${string}`;

export type LatePlan = {
  /** Schema of this process's index. */
  schema: string;
  /** URLs of a chain's nodes. */
  nodesOf: (chainId: number) => readonly string[];
  /** Requests per second for each chain. */
  perSecond: number;
  /** Whether the index is ready. Until then, the node has more urgent work. */
  mayWork: () => Promise<boolean>;
  /** Runs work on its own connection. */
  connected: (
    stopped: AbortSignal,
    work: (queries: Queries, ended: AbortSignal) => Promise<void>,
  ) => Promise<void>;
  warn: (line: string) => void;
  times?: { turn: number; longest: number };
};

/** What the handlers of this process call (`src/indexing/write/missingTransactions.ts`). */
export type LateTransactions = {
  follow: (chainId: number, first: number) => boolean;
  find: (chainId: number, hash: Hex) => ReadTransaction | null;
  stop: () => Promise<void>;
};

/** Queue rows read ahead of the handlers. */
export const MAX_LATE_ROWS = 4_000;
/** Bytes of calldata held for them. The next transaction is held whatever its size. */
export const MAX_LATE_BYTES = 32 * 1_048_576;
/** Largest answer of a node: the calldata of a whole block in hexadecimal. */
export const MAX_TRANSACTION_BYTES = 16 * 1_048_576;
const REQUESTS_AT_ONCE = 8;
const REQUEST_MS = 10_000;

/** A row of `missing_transactions`. `place` is null for a claim, which needs no transaction itself. */
type Waiting = { number: number; place: TransactionPlace | null };

type Chain = {
  /** The first row that the handlers have not applied. */
  first: number;
  /** `first` of the last turn, if that turn got everything it wanted; otherwise null. */
  done: number | null;
  rows: readonly Waiting[];
  held: Map<Hex, ReadTransaction>;
  takeTurn: TakeTurn;
  failures: number;
  restUntil: number;
};

/**
 * Holds past transactions that the backfill left out in memory, for the handlers. Once the index is ready, they are fetched in log
 * order and stored in the cache. Nothing happens before the handlers ask, so a replica does nothing.
 */
export function holdLateTransactions(plan: LatePlan): LateTransactions {
  const chains = new Map<number, Chain>();
  const isDue = ({ first, done, restUntil }: Chain) => done !== first && restUntil <= performance.now();
  const turns = workInTurns({
    pauseMs: plan.times?.turn ?? 1_000,
    onError: (error) => {
      for (const chain of chains.values()) rest(plan, chain);
      warnOf(plan, error);
    },
    turn: async (stopped) => {
      const due = [...chains].filter(([, chain]) => isDue(chain));
      if (due.length === 0 || !(await plan.mayWork())) return;
      await plan.connected(stopped, async (queries, ended) => {
        const all = due.map(([chainId, chain]) => fetchNext(plan, { chainId, chain, queries, ended }));
        await Promise.all(all);
      });
      for (const [chainId, { rows, done }] of due)
        if (rows.length === 0 && done !== null) chains.delete(chainId);
    },
  });
  const chainFrom = (first: number): Chain => ({
    first,
    done: null,
    rows: [],
    held: new Map(),
    takeTurn: rateLimiter(plan.perSecond),
    failures: 0,
    restUntil: 0,
  });
  return {
    follow: (chainId, first) => {
      const chain = chains.get(chainId) ?? chainFrom(first);
      chain.first = first;
      chains.set(chainId, chain);
      const row = chain.rows[first - (chain.rows[0]?.number ?? 0)];
      return row !== undefined && (row.place === null || chain.held.has(row.place.hash));
    },
    find: (chainId, hash) => chains.get(chainId)?.held.get(hash) ?? null,
    stop: turns.stop,
  };
}

type Turn = { chainId: number; chain: Chain; queries: Queries; ended: AbortSignal };

/** Loads the transactions of the next rows from the cache or a node. */
async function fetchNext(plan: LatePlan, turn: Turn): Promise<void> {
  const { chainId, chain, queries, ended } = turn;
  const { first } = chain;
  chain.done = null;
  chain.rows = await listWaiting(queries, { schema: plan.schema, chainId, first });
  const places = new Map(chain.rows.flatMap(({ place }) => (place === null ? [] : [[place.hash, place]])));
  for (const hash of chain.held.keys()) if (!places.has(hash)) chain.held.delete(hash);
  const sizes = await sizesOfCached(queries, chainId, [...places.values()]);
  let bytes = 0;
  const wanted = [...places.values()].filter(({ hash }, i) => {
    bytes += sizes.get(hash) ?? 0;
    return i === 0 || bytes <= MAX_LATE_BYTES;
  });
  const isHeld = ({ hash }: TransactionPlace) => chain.held.has(hash);
  const hold = (transaction: ReadTransaction) => chain.held.set(transaction.hash, transaction);
  const cached = wanted.filter((place) => sizes.has(place.hash) && !isHeld(place));
  for (const transaction of await listCached(queries, chainId, cached)) hold(transaction);
  const failures: unknown[] = [];
  const inTurn = limiter(REQUESTS_AT_ONCE);
  const fetchOne = async (place: TransactionPlace) => {
    if (bytes > MAX_LATE_BYTES || failures.length >= REQUESTS_AT_ONCE) return;
    try {
      await chain.takeTurn(ended);
      const transaction = await fetchTransaction(plan, turn, place);
      bytes += transaction.input.length / 2;
      hold(transaction);
    } catch (error) {
      failures.push(error);
    }
  };
  const missing = wanted.filter((place) => !isHeld(place));
  await Promise.all(missing.map((place) => inTurn(ended, () => fetchOne(place))));
  if (failures.length > 0) {
    rest(plan, chain);
    warnOf(plan, failures[0]);
    return;
  }
  chain.failures = 0;
  chain.done = first;
}

/** Each failed turn doubles the pause before the next one. */
function rest({ times }: LatePlan, chain: Chain): void {
  chain.failures++;
  chain.restUntil = performance.now() + Math.min(1_000 * 2 ** chain.failures, times?.longest ?? 600_000);
}

const warnOf = ({ warn }: LatePlan, error: unknown): void =>
  warn(`Past transactions cannot be fetched: ${withoutKeys(messageOf(error))}`);

/** Asks one node after another, by place: a node with all blocks may index only recent transactions by hash. */
async function fetchTransaction(
  plan: LatePlan,
  { chainId, queries, ended }: Turn,
  place: TransactionPlace,
): Promise<ReadTransaction> {
  const params = [place.blockNumber, place.transactionIndex].map((number) => `0x${number.toString(16)}`);
  let failure: unknown = new Error("no node is configured");
  for (const url of plan.nodesOf(chainId)) {
    try {
      const limit = AbortSignal.any([ended, AbortSignal.timeout(REQUEST_MS)]);
      const call = { method: "eth_getTransactionByBlockNumberAndIndex", params };
      const { result, error } = await callNode(url, call, limit, MAX_TRANSACTION_BYTES);
      if (error)
        throw new Error(`the node answered error ${error.code}: ${String(error.message).slice(0, 200)}`);
      if (result === null || result === undefined) {
        const { hash, blockNumber, transactionIndex } = place;
        throw new Error(
          `The node does not have transaction ${hash}, number ${transactionIndex} of block ${blockNumber}`,
        );
      }
      return await storeTransaction(queries, chainId, place, result);
    } catch (error) {
      failure = error;
    }
    ended.throwIfAborted();
  }
  throw failure;
}

type Rows = { schema: string; chainId: number; first: number };

async function listWaiting({ query }: Queries, { schema, chainId, first }: Rows): Promise<Waiting[]> {
  const rows = await query<TransactionPlace & { number: number; isClaim: boolean }>(
    `select number, kind = 'claim' as "isClaim", block_number as "blockNumber", transaction_index as "transactionIndex",
       transaction_hash as hash from "${schema}".missing_transactions
     where chain_id = $1 and number >= $2 order by number limit ${MAX_LATE_ROWS}`,
    [chainId, first],
  );
  return rows.map(({ number, isClaim, ...place }) => ({ number, place: isClaim ? null : place }));
}
