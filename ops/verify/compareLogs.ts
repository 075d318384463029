import { type CachedFilter, type CachedLog, listCachedLogs } from "../../engine/cachedLogs.ts";
import type { Query } from "../../engine/ponderInternals.ts";
import type { Range } from "./logRanges.ts";
import type { LogReader } from "./nodeLogs.ts";

/** What a log is, when it is shown. */
export type LogPlace = { blockNumber: number; logIndex: number; transactionHash: string; address: string };

/** A range in which cache and node do not have the same logs. */
export type RangeDifference = Range & {
  /** Logs that the node has and the cache does not: the index lacks what they say. */
  missing: LogPlace[];
  /** Logs that the cache has and the node does not. */
  unknown: LogPlace[];
  /** Logs that both have, with other content. */
  changed: LogPlace[];
};

/** Logs of one range of each sort that the result has. */
const MAX_PLACES = 100;

export type ComparedRange = { logs: number; difference: RangeDifference | null };

/** Compares the logs of one range: those that a filter of the cache wants, in blocks that the cache has for it. */
export async function compareRange(
  query: Query,
  {
    chainId,
    range,
    filters,
    readLogs,
  }: { chainId: number; range: Range; filters: readonly CachedFilter[]; readLogs: LogReader },
): Promise<ComparedRange> {
  const wanted = (log: CachedLog) => filters.some((filter) => covers(filter, log));
  const cached = toMap((await listCachedLogs(query, { chainId, ...range })).filter(wanted));
  const given = toMap((await readLogs(range)).filter(wanted));
  const missing = [...given].filter(([place]) => !cached.has(place)).map(([, log]) => log);
  const unknown = [...cached].filter(([place]) => !given.has(place)).map(([, log]) => log);
  const changed = [...given]
    .filter(([place, log]) => {
      const own = cached.get(place);
      return own !== undefined && contentOf(own) !== contentOf(log);
    })
    .map(([, log]) => log);
  const isEqual = missing.length + unknown.length + changed.length === 0;
  return {
    logs: given.size,
    difference: isEqual
      ? null
      : { ...range, missing: placesOf(missing), unknown: placesOf(unknown), changed: placesOf(changed) },
  };
}

const covers = ({ contracts, topics, ranges }: CachedFilter, log: CachedLog): boolean =>
  (contracts === null || (contracts.get(log.address) ?? Number.POSITIVE_INFINITY) <= log.blockNumber) &&
  topics.every((topic, index) => topic === null || topic === log.topics[index]?.toLowerCase()) &&
  ranges.some(([from, to]) => from <= log.blockNumber && log.blockNumber <= to);

const toMap = (logs: readonly CachedLog[]): Map<string, CachedLog> =>
  new Map(logs.map((log) => [`${log.blockNumber}/${log.logIndex}`, log]));

const contentOf = ({
  blockHash,
  transactionHash,
  transactionIndex,
  address,
  topics,
  data,
}: CachedLog): string =>
  JSON.stringify([blockHash, transactionHash, transactionIndex, address, topics, data]).toLowerCase();

const placesOf = (logs: readonly CachedLog[]): LogPlace[] =>
  logs.slice(0, MAX_PLACES).map(({ blockNumber, logIndex, transactionHash, address }) => ({
    blockNumber,
    logIndex,
    transactionHash,
    address,
  }));
