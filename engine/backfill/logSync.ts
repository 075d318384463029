// Part of the patch logSync: fetches past logs with few requests, where only logs are followed.

import { type Connection, executeAs } from "../connection.ts";
import type { Query } from "../ponderInternals.ts";
import { type Fragments, splitBySource } from "../sources/coverage.ts";
import {
  describeFalseSource,
  type FalseSource,
  listFalseSources,
  noteFalseSource,
} from "../sources/falseSources.ts";
import { type LogSource, openLogSource, SourceError } from "../sources/logSource.ts";
import type { Receipt } from "../sources/receiptsRoot.ts";
import { noteSourceBlocks } from "../sources/sourceBlocks.ts";
import {
  type CheckedBy,
  type Difference,
  findDifference,
  type Header,
  type ReadTransaction,
} from "../sources/sourceChecks.ts";
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

type FilterInterval = { filter: LogFilter; interval: Interval };
type FactoryInterval = { factory: Factory; interval: Interval };

type Store = Cache & {
  insertChildAddresses: (found: {
    factory: Factory;
    childAddresses: Children;
    chainId: number;
  }) => Promise<void>;
};

type Given = {
  requiredIntervals: FilterInterval[];
  requiredFactoryIntervals: FactoryInterval[];
  syncStore: Store;
};

/** What Ponder's own modules do (sync-historical/index.js imports them). */
export type Ponder = Encoders &
  Fragments & {
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
    /** Ends Ponder with an exit code that says that a new start is of no use. */
    NonRetryableUserError: new (
      message: string,
    ) => Error;
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

function createLogSync(
  ponder: Ponder,
  { rpc, chain, common, childAddresses, syncProgress, database }: Chain,
) {
  const { start, current, finalized, end = finalized } = syncProgress;
  const configured = globalThis.namedexLogSources?.byChain[chain.id];
  const variable = configured?.variable ?? "LOG_SOURCE";
  let source: Promise<LogSource | null> | undefined;
  let refusal: Error | null = null;
  let hasReceipts = true;
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

  function wantedOfFixed({ filter, interval }: FilterInterval): Wanted[] {
    if (ponder.isAddressFactory(filter.address)) return [];
    const address = filter.address as Hex | readonly Hex[] | undefined;
    return [wantedBy(filter, address === undefined ? null : ([address].flat() as Hex[]), interval)];
  }

  const fixedQueries = (factories: readonly FactoryInterval[], filters: readonly FilterInterval[]) =>
    mergeWanted([
      ...factories.map(({ factory, interval }) => wantedByFactory(factory, interval)),
      ...filters.flatMap(wantedOfFixed),
    ]);
  const foundQueries = (filters: readonly FilterInterval[]) => mergeFound(filters.flatMap(wantedOfFound));

  const partsOf = (filter: LogFilter): string[][] =>
    ponder.getFragments(filter).map(({ adjacentIds }) => adjacentIds);
  /** A cache, and an archive of it, has a factory's own logs only where a handler wants them. */
  const filterOf = ({ address, eventSelector }: Factory) => {
    const topics = { topic0: eventSelector, topic1: null, topic2: null, topic3: null };
    return { type: "log", chainId: chain.id, address, ...topics, hasTransactionReceipt: false };
  };

  const fetchFromNode = async (queries: readonly Wanted[]): Promise<Log[]> =>
    (await Promise.all(queries.map((wanted) => fetchRange(wanted, wanted.interval)))).flat();

  /** A source that finds logs by queries is asked for all those of the same blocks at once. */
  async function fetchFromSource(from: LogSource, queries: readonly Wanted[]): Promise<Log[]> {
    const byBlocks = Map.groupBy(queries, ({ interval }) => interval.join());
    const asked = [...byBlocks.values()].map((same) => from.logs(same, (same[0] as Wanted).interval));
    return (await Promise.all(asked)).flat();
  }

  const queryOn =
    (connection: Connection): Query =>
    (text) =>
      executeAs("log_source")(connection, text);

  /** The source of the settings, opened at the first range; null where the node alone is asked. */
  async function findSource(): Promise<LogSource | null> {
    if (configured === undefined) return null;
    const found = await openLogSource(configured.location, {
      chainId: chain.id,
      onRequest: () => progress.requested(),
    });
    const [known] = (await listFalseSources(queryOn(database.syncQB), chain.id)).filter(
      (one) => one.location === found.name,
    );
    if (known !== undefined) throw refuse(known);
    const newest = Math.min(found.last.number, Number(finalized.number));
    const hash = await found.hashOf(newest);
    const header = await headerOf(newest);
    if (hash === null || hash === header.hash) return found;
    throw await refuseSource(found, { block: newest, what: `its hash is ${header.hash}, not ${hash}` });
  }

  /** All later attempts fail, too: Ponder repeats a transaction that failed, which would compare other blocks. */
  function refuse(found: FalseSource): Error {
    refusal ??= new ponder.NonRetryableUserError(describeFalseSource(variable, found));
    return refusal;
  }

  type Checked = { interval: Interval; logs: Log[]; node: CheckedBy };

  async function check(from: LogSource, { interval, logs, node }: Checked): Promise<void> {
    const difference = await findDifference({ interval, logs }, node);
    if (difference !== null) throw await refuseSource(from, difference);
  }

  async function refuseSource({ name }: LogSource, difference: Difference): Promise<Error> {
    const found = { ...difference, location: name, schema: globalThis.namedexLogSources?.schema ?? "" };
    const refused = refuse(found);
    await database.syncQB.transaction((inside) =>
      noteFalseSource(queryOn(inside), { ...found, chainId: chain.id }),
    );
    return refused;
  }

  const headerOf = (block: number): Promise<Header> =>
    ponder.eth_getBlockByNumber(rpc, [toHex(block), false], context) as Promise<unknown> as Promise<Header>;

  async function transactionOf({ blockNumber, transactionIndex }: Log): Promise<ReadTransaction | null> {
    const request = {
      method: "eth_getTransactionByBlockNumberAndIndex",
      params: [blockNumber, transactionIndex],
    };
    const transaction = await rpc.request(request, context);
    progress.requested();
    return transaction as ReadTransaction | null;
  }

  async function receiptsOf(block: number): Promise<Receipt[] | null> {
    if (!hasReceipts) return null;
    const request = { method: "eth_getBlockReceipts", params: [toHex(block)] };
    const receipts = await rpc.request(request, context).catch(() => null);
    progress.requested();
    hasReceipts = Array.isArray(receipts);
    return hasReceipts ? (receipts as Receipt[]) : null;
  }

  async function syncRange(given: Given): Promise<Log[]> {
    const { requiredIntervals, syncStore } = given;
    const factories = widestOfEach(given.requiredFactoryIntervals);
    const isWanted = wantedLogsBy(ponder, { required: requiredIntervals, childAddresses });
    if (refusal !== null) throw refusal;
    source ??= findSource();
    const from = await source.catch((error) => {
      source = undefined;
      throw error;
    });
    const ofFilters = splitBySource(from, requiredIntervals, ({ filter }) => partsOf(filter), ponder);
    const ofFactories = splitBySource(from, factories, ({ factory }) => partsOf(filterOf(factory)), ponder);
    const logs = new Map<string, Log>();
    const keep = (fetched: readonly Log[], isKept: (log: Log) => boolean) => {
      for (const log of fetched) if (isKept(log)) logs.set(placeOf(log), log);
    };
    const blocks = bounds([...ofFilters.ofSource, ...ofFactories.ofSource]);
    const fetchBoth = async (queriesOf: (part: "ofSource" | "ofNode") => Wanted[]) => {
      const ofSource = from === null || from.givesAll ? [] : fetchFromSource(from, queriesOf("ofSource"));
      return (await Promise.all([ofSource, fetchFromNode(queriesOf("ofNode"))])).flat();
    };
    if (from?.givesAll && blocks !== null) keep(await from.logs([], blocks), () => true);
    keep(await fetchBoth((part) => fixedQueries(ofFactories[part], ofFilters[part])), () => true);
    const inOrder = [...logs.values()].sort(byPlace);
    for (const required of factories) {
      const found = findChildren(inOrder, required);
      await syncStore.insertChildAddresses({
        factory: required.factory,
        childAddresses: found,
        chainId: chain.id,
      });
    }
    keep(await fetchBoth((part) => foundQueries(ofFilters[part])), isWanted);
    if (from !== null && blocks !== null) {
      const isCompared = (log: Log) =>
        isWanted(log) ||
        factories.some((one) => isWithin(log, one.interval) && ponder.isLogFactoryMatched({ ...one, log }));
      await check(from, {
        interval: blocks,
        logs: [...logs.values()].filter(isCompared),
        node: {
          isCompared,
          header: headerOf,
          receipts: receiptsOf,
          transaction: transactionOf,
          logs: async (interval) => {
            const [inside, ofFactory] = [clipped(requiredIntervals, interval), clipped(factories, interval)];
            const asked = [...fixedQueries(ofFactory, inside), ...foundQueries(inside)];
            return distinct(await fetchFromNode(asked)).filter(isCompared);
          },
        },
      });
      const schema = globalThis.namedexLogSources?.schema ?? "";
      const noted = { chainId: chain.id, location: from.name, schema, from: blocks[0], to: blocks[1] };
      await noteSourceBlocks(queryOn(database.syncQB), noted);
    }
    return [...logs.values()].filter(isWanted).sort(byPlace);
  }

  return {
    /** What a source cannot answer, it cannot answer the next time either. */
    syncBlockRangeData: (given: Given): Promise<Log[]> =>
      syncRange(given).catch((error) => {
        if (!(error instanceof SourceError)) throw error;
        throw new ponder.NonRetryableUserError(`${variable}: ${error.message}`);
      }),

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

const placeOf = ({ blockNumber, logIndex }: Log): string => `${blockNumber}_${logIndex}`;

const byPlace = (a: Log, b: Log): number =>
  Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex);

const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

const isWithin = ({ blockNumber }: Log, [from, to]: Interval): boolean =>
  from <= Number(blockNumber) && Number(blockNumber) <= to;

/** The first and the last block of all; null if there are none. */
const bounds = (all: readonly { interval: Interval }[]): Interval | null =>
  all.length === 0
    ? null
    : [
        Math.min(...all.map(({ interval }) => interval[0])),
        Math.max(...all.map(({ interval }) => interval[1])),
      ];

const distinct = (logs: readonly Log[]): Log[] => [
  ...new Map(logs.map((log) => [placeOf(log), log])).values(),
];

/** What is wanted of a part of the blocks. */
const clipped = <Wanted extends { interval: Interval }>(
  all: readonly Wanted[],
  [from, to]: Interval,
): Wanted[] =>
  all.flatMap((wanted) => {
    const interval: Interval = [Math.max(from, wanted.interval[0]), Math.min(to, wanted.interval[1])];
    return interval[0] > interval[1] ? [] : [{ ...wanted, interval }];
  });

/** One interval for each factory: Ponder lists a factory for each filter that uses it. */
function widestOfEach(all: readonly FactoryInterval[]): FactoryInterval[] {
  const byId = new Map<string, FactoryInterval>();
  for (const { factory, interval } of all) {
    const [from, to] = byId.get(factory.id)?.interval ?? interval;
    byId.set(factory.id, { factory, interval: [Math.min(from, interval[0]), Math.max(to, interval[1])] });
  }
  return [...byId.values()];
}

/** Whether any filter wants a log of its blocks. Filters are looked up by the log's event: there are more than a hundred. */
function wantedLogsBy(
  { isAddressFactory, isAddressMatched, isLogFilterMatched }: Ponder,
  {
    required,
    childAddresses,
  }: { required: readonly FilterInterval[]; childAddresses: Chain["childAddresses"] },
): (log: Log) => boolean {
  const ofAnyEvent = required.filter(({ filter: { topic0 } }) => topic0 === null || topic0 === undefined);
  const byEvent = new Map<string, FilterInterval[]>();
  for (const one of required) {
    for (const topic of [one.filter.topic0 ?? []].flat())
      byEvent.set(topic, [...(byEvent.get(topic) ?? []), one]);
  }
  return (log) =>
    [...ofAnyEvent, ...(byEvent.get(log.topics[0]?.toLowerCase() ?? "") ?? [])].some(
      ({ filter, interval }) => {
        if (!isWithin(log, interval) || !isLogFilterMatched({ filter, log })) return false;
        if (!isAddressFactory(filter.address)) return true;
        const children = childAddresses.get(filter.address.id);
        const seen = { address: log.address, blockNumber: Number(log.blockNumber), childAddresses: children };
        return isAddressMatched(seen);
      },
    );
}
