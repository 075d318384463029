// Part of the patch logSync: the logs that filters and factories want in a range.

import type { NodeLog } from "./cacheRows.ts";
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
import type { Chain, Children, FactoryInterval, FilterInterval, Ponder } from "./ponderSync.ts";

export type WantedLogs = ReturnType<typeof createWantedLogs>;

/** Builds the queries for the wanted logs, with the contracts found so far. */
export function createWantedLogs(ponder: Ponder, { chain, common, childAddresses }: Chain) {
  /** Contracts that the logs reveal and that were not yet known from that block on. */
  function findChildren(
    logs: readonly NodeLog[],
    { factory, interval: [from, to] }: FactoryInterval,
  ): Children {
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

  /** Anyone can emit the event of a factory without an address, in a form that contains no contract. */
  function childOf(log: NodeLog, factory: Factory): Hex | null {
    try {
      return ponder.getChildAddress({ log, factory });
    } catch (error) {
      if (factory.address === undefined) return null;
      throw error;
    }
  }

  /** Logs of found contracts. Above a number of contracts, only topics are requested, as in Ponder. */
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
  /** A cache and its archives have a factory's own logs only if a handler wants them. */
  const filterOf = ({ address, eventSelector }: Factory) => {
    const topics = { topic0: eventSelector, topic1: null, topic2: null, topic3: null };
    return { type: "log", chainId: chain.id, address, ...topics, hasTransactionReceipt: false };
  };

  return { findChildren, fixedQueries, foundQueries, partsOf, filterOf };
}

export const placeOf = ({ blockNumber, logIndex }: NodeLog): string => `${blockNumber}_${logIndex}`;

export const byPlace = (a: NodeLog, b: NodeLog): number =>
  Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex);

export const isWithin = ({ blockNumber }: NodeLog, [from, to]: Interval): boolean =>
  from <= Number(blockNumber) && Number(blockNumber) <= to;

/** The first and last block of all ranges; null if there are none. */
export const bounds = (all: readonly { interval: Interval }[]): Interval | null =>
  all.length === 0
    ? null
    : [
        Math.min(...all.map(({ interval }) => interval[0])),
        Math.max(...all.map(({ interval }) => interval[1])),
      ];

export const distinct = (logs: readonly NodeLog[]): NodeLog[] => [
  ...new Map(logs.map((log) => [placeOf(log), log])).values(),
];

/** What is wanted in a part of the blocks. */
export const clipped = <Wanted extends { interval: Interval }>(
  all: readonly Wanted[],
  [from, to]: Interval,
): Wanted[] =>
  all.flatMap((wanted) => {
    const interval: Interval = [Math.max(from, wanted.interval[0]), Math.min(to, wanted.interval[1])];
    return interval[0] > interval[1] ? [] : [{ ...wanted, interval }];
  });

/** One interval for each factory: Ponder lists a factory for each filter that uses it. */
export function widestOfEach(all: readonly FactoryInterval[]): FactoryInterval[] {
  const byId = new Map<string, FactoryInterval>();
  for (const { factory, interval } of all) {
    const [from, to] = byId.get(factory.id)?.interval ?? interval;
    byId.set(factory.id, { factory, interval: [Math.min(from, interval[0]), Math.max(to, interval[1])] });
  }
  return [...byId.values()];
}

/** Whether any filter wants a log. Filters are looked up by the log's event, because there are more than a hundred. */
export function wantedLogsBy(
  { isAddressFactory, isAddressMatched, isLogFilterMatched }: Ponder,
  {
    required,
    childAddresses,
  }: { required: readonly FilterInterval[]; childAddresses: Chain["childAddresses"] },
): (log: NodeLog) => boolean {
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
