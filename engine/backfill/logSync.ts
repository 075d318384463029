// Part of the patch logSync: fetches past logs with few requests, where only logs are followed.

import { type Block, type Cache, type Encoders, type NodeLog, writeLogs } from "./cacheRows.ts";
import { FetchProgress } from "./fetchProgress.ts";
import {
  type Factory,
  type Hex,
  type Interval,
  type LogFilter,
  mergeFound,
  mergeWanted,
  type Wanted,
  wantedBy,
  wantedByFactory,
} from "./logGroups.ts";
import { LogRange } from "./logRange.ts";
import { blockIn, checkTimes, transactionsIn } from "./thinBlocks.ts";

type Log = NodeLog;
/** Contracts that logs told of, each with the block from which it is followed. */
type Children = Map<Hex, number>;

/** A chain in a run of Ponder. */
type Chain = {
  rpc: unknown;
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

type FilterInterval = { filter: LogFilter; interval: Interval };
type FactoryInterval = { factory: Factory; interval: Interval };

type Store = Cache & {
  insertChildAddresses: (found: {
    factory: Factory;
    childAddresses: Children;
    chainId: number;
  }) => Promise<void>;
};

/** What Ponder's own modules do (sync-historical/index.js imports them). */
export type Ponder = Encoders & {
  eth_getLogs: (rpc: unknown, params: unknown[], context: unknown) => Promise<Log[]>;
  eth_getBlockByNumber: (rpc: unknown, params: [Hex, boolean], context: unknown) => Promise<Block>;
  getLogsRetryHelper: (failed: { params: unknown[]; error: unknown }) => {
    shouldRetry: boolean;
    ranges?: { fromBlock: Hex; toBlock: Hex }[];
    isSuggestedRange?: boolean;
  };
  validateLogsAndBlock: (logs: Log[], block: unknown, logsRequest: object, blockRequest: object) => void;
  getChildAddress: (from: { log: Log; factory: Factory }) => Hex;
  isAddressFactory: (address: unknown) => address is Factory;
  isAddressMatched: (seen: {
    address: Hex;
    blockNumber: number;
    childAddresses: Children | undefined;
  }) => boolean;
  isLogFactoryMatched: (pair: { factory: Factory; log: Log }) => boolean;
  isLogFilterMatched: (pair: { filter: LogFilter; log: Log }) => boolean;
};

/** Requests for logs of one kind that are under way at once. Ponder limits those of a chain to 25. */
const REQUESTS_AT_ONCE = 8;
/** Blocks that are written at once, and at most so many headers are asked for together. */
const BLOCKS_AT_ONCE = 2_000;

const toHex = (number: number): Hex => `0x${number.toString(16)}`;

/** A refusal that a smaller range may avoid, in words that Ponder does not know. */
const isAboutSize = ({ code, status, message }: { code?: number; status?: number; message?: string }) =>
  code !== 429 &&
  status !== 429 &&
  /too (?:large|many|big|wide|long)|limit|exceed|time(?:d )?out|maximum|range/i.test(message ?? "");

/**
 * Makes what replaces Ponder's `createHistoricalSync`. It has the same two methods, and stores the same logs, contracts and
 * intervals. Per range it asks once for all fixed contracts, once for topics of any contract, and once each for filters on other
 * topics and for contracts that logs told of. Undefined where something else than logs is followed.
 */
export const logSyncBy = (ponder: Ponder) => (chain: Chain) => {
  const areLogs = chain.eventCallbacks?.every(
    ({ filter }) => filter.type === "log" && !filter.hasTransactionReceipt,
  );
  return areLogs ? createLogSync(ponder, chain) : undefined;
};

function createLogSync(ponder: Ponder, { rpc, chain, common, childAddresses, syncProgress }: Chain) {
  const { start, current, finalized, end = finalized } = syncProgress;
  const progress = new FetchProgress({
    first: current === undefined ? Number(start.number) : Number(current.number) + 1,
    last: Math.min(Number(finalized.number), Number(end.number)),
    say: (line) =>
      common.logger.info({ msg: "Fetching past logs", chain: chain.name, chain_id: chain.id, ...line }),
  });
  const ranges = new Map<string, LogRange>();
  const context = { logger: common.logger.child({ action: "fetch_block_data" }) };
  const checkTime = checkTimes();

  const rangeOf = ({ kind }: Wanted): LogRange => {
    const range = ranges.get(kind) ?? new LogRange(chain.ethGetLogsBlockRange);
    ranges.set(kind, range);
    return range;
  };

  async function fetchHeader(number: Hex): Promise<Block> {
    const block = await ponder.eth_getBlockByNumber(rpc, [number, false], context);
    progress.requested();
    return block;
  }

  async function fetchPiece(wanted: Wanted, [from, to]: Interval): Promise<Log[]> {
    const range = rangeOf(wanted);
    const topics = wanted.topics.slice(0, wanted.topics.findLastIndex((words) => words !== null) + 1);
    const params = [
      {
        ...(wanted.address && { address: wanted.address }),
        topics,
        fromBlock: toHex(from),
        toBlock: toHex(to),
      },
    ];
    const blocks = to - from + 1;
    try {
      const logs = await ponder.eth_getLogs(rpc, params, context);
      range.answered(blocks);
      progress.requested();
      return logs;
    } catch (error) {
      const suggestion = ponder.getLogsRetryHelper({ params, error });
      if (blocks === 1 || !(suggestion.shouldRetry || isAboutSize(error as Error))) throw error;
      const [first] = suggestion.ranges ?? [];
      const isSuggested = suggestion.isSuggestedRange === true && first !== undefined;
      const suggested = isSuggested ? Number(first.toBlock) - Number(first.fromBlock) : null;
      range.refused(blocks, suggested, suggestion.shouldRetry);
      return fetchRange(wanted, [from, to], Math.ceil(blocks / 2));
    }
  }

  /** The logs of a range, in requests of the size that the provider takes by now, and of no more than `most` blocks. */
  async function fetchRange(wanted: Wanted, [from, to]: Interval, most = to - from + 1): Promise<Log[]> {
    let next = from;
    const found: Log[] = [];
    const fetchNext = async () => {
      while (next <= to) {
        const first = next;
        next = Math.min(to + 1, first + Math.min(rangeOf(wanted).size, most));
        for (const log of await fetchPiece(wanted, [first, next - 1])) found.push(log);
      }
    };
    await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, fetchNext));
    return found;
  }

  /** Contracts that the logs tell of, and that were not known from that block on. */
  function findChildren(logs: readonly Log[], { factory, interval: [from, to] }: FactoryInterval): Children {
    const known = childAddresses.get(factory.id) ?? new Map();
    const found: Children = new Map();
    for (const log of logs) {
      const block = Number(log.blockNumber);
      if (block < from || block > to || !ponder.isLogFactoryMatched({ factory, log })) continue;
      const address = childOf(log, factory);
      if (address === null || (known.get(address) ?? Number.POSITIVE_INFINITY) <= block) continue;
      found.set(address, block);
      known.set(address, block);
    }
    return found;
  }

  /** Anyone can log the event of a factory without an address, in a form that holds no contract. */
  function childOf(log: Log, factory: Factory): Hex | null {
    try {
      return ponder.getChildAddress({ log, factory });
    } catch (error) {
      if (factory.address === undefined) return null;
      throw error;
    }
  }

  /** The logs of found contracts. From a number on they are asked for by topics only, as Ponder does. */
  function wantedOfFound({ filter, interval }: FilterInterval): Wanted[] {
    if (!ponder.isAddressFactory(filter.address)) return [];
    const children = [...(childAddresses.get(filter.address.id)?.keys() ?? [])];
    if (children.length === 0) return [];
    const isMany = children.length >= common.options.factoryAddressCountThreshold;
    return [wantedBy(filter, isMany ? null : children, interval)];
  }

  return {
    async syncBlockRangeData(given: {
      requiredIntervals: FilterInterval[];
      requiredFactoryIntervals: FactoryInterval[];
      syncStore: Store;
    }): Promise<Log[]> {
      const { requiredIntervals, syncStore } = given;
      const factories = widestOfEach(given.requiredFactoryIntervals);
      const isWanted = wantedLogsBy(ponder, {
        filters: requiredIntervals.map(({ filter }) => filter),
        childAddresses,
      });
      const logs = new Map<string, Log>();
      const fetchAll = async (queries: readonly Wanted[], isKept: (log: Log) => boolean) => {
        const fetched = await Promise.all(queries.map((wanted) => fetchRange(wanted, wanted.interval)));
        for (const log of fetched.flat())
          if (isKept(log)) logs.set(`${log.blockNumber}_${log.logIndex}`, log);
      };
      const ofFactories = factories.map(({ factory, interval }) => wantedByFactory(factory, interval));
      const ofFixed = requiredIntervals.flatMap(({ filter, interval }) => {
        if (ponder.isAddressFactory(filter.address)) return [];
        const address = filter.address as Hex | readonly Hex[] | undefined;
        return [wantedBy(filter, address === undefined ? null : ([address].flat() as Hex[]), interval)];
      });
      await fetchAll(mergeWanted([...ofFactories, ...ofFixed]), () => true);
      const inOrder = [...logs.values()].sort(byPlace);
      for (const required of factories) {
        const found = findChildren(inOrder, required);
        await syncStore.insertChildAddresses({
          factory: required.factory,
          childAddresses: found,
          chainId: chain.id,
        });
      }
      await fetchAll(mergeFound(requiredIntervals.flatMap(wantedOfFound)), isWanted);
      return [...logs.values()].filter(isWanted).sort(byPlace);
    },

    async syncBlockData(given: {
      interval: Interval;
      logs: Log[];
      syncStore: Store;
    }): Promise<Block | undefined> {
      const { interval, logs, syncStore } = given;
      let newest: Block | undefined;
      const takeBlock = async (ofBlock: Log[]) => {
        const [{ blockNumber: number }] = ofBlock as [Log];
        const block = blockIn(ofBlock) ?? (await fetchHeader(number));
        const request = { method: "eth_getBlockByNumber", params: [number, false] };
        const range = { method: "eth_getLogs", params: [{ fromBlock: number, toBlock: number }] };
        const transactions = ofBlock.map(({ transactionIndex, transactionHash: hash }) => ({
          transactionIndex,
          hash,
        }));
        ponder.validateLogsAndBlock(ofBlock, { ...block, transactions }, range, request);
        return { block, transactions: transactionsIn(ofBlock), logs: ofBlock };
      };
      const blocks = [...Map.groupBy(logs, ({ blockNumber }) => blockNumber).values()];
      const parts = chunksOf(blocks, BLOCKS_AT_ONCE);
      const takePart = (part: Log[][] = []) => Promise.all(part.map(takeBlock));
      let taken = await takePart(parts[0]);
      for (let i = 1; taken.length > 0; i++) {
        for (const { block } of taken) checkTime(block);
        newest = taken.at(-1)?.block;
        // The next part is fetched while this one is written.
        const written = writeLogs(syncStore, { ponder, chainId: chain.id, fetched: taken });
        [taken] = await Promise.all([takePart(parts[i]), written]);
      }
      progress.fetched(interval[1], logs.length);
      return newest;
    },
  };
}

const byPlace = (a: Log, b: Log): number =>
  Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex);

const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

/** One interval for each factory: Ponder lists a factory for each filter that uses it. */
function widestOfEach(all: readonly FactoryInterval[]): FactoryInterval[] {
  const byId = new Map<string, FactoryInterval>();
  for (const { factory, interval } of all) {
    const [from, to] = byId.get(factory.id)?.interval ?? interval;
    byId.set(factory.id, { factory, interval: [Math.min(from, interval[0]), Math.max(to, interval[1])] });
  }
  return [...byId.values()];
}

/** Whether any filter wants a log. Filters are looked up by the log's event: there are more than a hundred. */
function wantedLogsBy(
  { isAddressFactory, isAddressMatched, isLogFilterMatched }: Ponder,
  { filters, childAddresses }: { filters: readonly LogFilter[]; childAddresses: Chain["childAddresses"] },
): (log: Log) => boolean {
  const ofAnyEvent = filters.filter(({ topic0 }) => topic0 === null || topic0 === undefined);
  const byEvent = new Map<string, LogFilter[]>();
  for (const filter of filters) {
    for (const topic of [filter.topic0 ?? []].flat())
      byEvent.set(topic, [...(byEvent.get(topic) ?? []), filter]);
  }
  return (log) =>
    [...ofAnyEvent, ...(byEvent.get(log.topics[0]?.toLowerCase() ?? "") ?? [])].some((filter) => {
      if (!isLogFilterMatched({ filter, log })) return false;
      if (!isAddressFactory(filter.address)) return true;
      const children = childAddresses.get(filter.address.id);
      const seen = { address: log.address, blockNumber: Number(log.blockNumber), childAddresses: children };
      return isAddressMatched(seen);
    });
}
