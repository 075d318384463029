import type { Figure } from "../report.ts";
import type { Measured, Rounds } from "./rounds.ts";

/** Logs of all contracts of ENS on mainnet in the middle of 2026, as others counted them. */
export const MAINNET_LOGS = 24_000_000;

export const GIB = 2 ** 30;

export const speedOf = ({ events, seconds }: Measured) => events / seconds;

/** The middle one; of an even number, the lower of the two in the middle. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

/** What a run says, with its targets. */
export function figuresOf({ cold, cacheBytes, warm }: Rounds, blocks: number): Figure[] {
  const last = warm.namedex.at(-1);
  if (last === undefined) throw new Error("nothing was measured");
  const speed = (runs: readonly Measured[]) => median(runs.map(speedOf));
  const figures: Omit<Figure, "bench">[] = [
    { name: "empty handlers, warm", value: speed(warm.floor), unit: "events/s" },
    { name: "one row per event, warm", value: speed(warm.insert), unit: "events/s" },
    versus("Namedex, warm, relative to empty handlers", warm.namedex, warm.floor, 0.25),
    versus("Namedex, warm, relative to one row per event", warm.namedex, warm.insert, 0.5),
    { name: "Namedex, cold", value: speedOf(cold), unit: "events/s" },
    { name: "processors used by the chain's node, cold", value: cold.nodeShare, unit: "processors" },
    ...requestFigures(cold, blocks),
    ...storeFigures(last),
    ...sizeFigures(last, cacheBytes),
    { name: "building the indexes", value: median(warm.namedex.map((run) => run.indexSeconds)), unit: "s" },
    ...handlerFigures(last),
  ];
  return figures.map((figure) => ({ bench: "index", ...figure }));
}

/** A speed, and what it is to another app's, each round for itself: the middle one counts. */
function versus(
  name: string,
  runs: readonly Measured[],
  others: readonly Measured[],
  atLeast: number,
): Omit<Figure, "bench"> {
  const ratio = median(runs.map((run, round) => speedOf(run) / speedOf(others[round] ?? run)));
  return {
    name,
    value: median(runs.map(speedOf)),
    unit: "events/s",
    ratio,
    target: { of: "ratio", atLeast },
  };
}

/** Handlers' use of the store, and what of it reaches the database before a batch is done. */
export function storeFigures({ events, metrics }: Measured): Omit<Figure, "bench">[] {
  const operations = metrics.sum("ponder_indexing_store_queries_total");
  const misses = metrics.sum("ponder_indexing_cache_requests_total", { type: "miss" });
  const direct = metrics.sum("ponder_indexing_store_queries_total", { method: "delete" });
  const raw = metrics.sum("ponder_indexing_store_raw_sql_duration_count");
  return [
    { name: "store operations per event", value: operations / events, unit: "operations" },
    {
      name: "database queries in handlers",
      value: misses + direct + raw,
      unit: "queries",
      target: { of: "value", atMost: 0 },
    },
  ];
}

/**
 * What the first index asked of the node. Least of all are as many requests as blocks with logs, whose times no log has, and one
 * for the logs of each range of blocks.
 */
export function requestFigures({ metrics }: Measured, blocks: number): Omit<Figure, "bench">[] {
  const byMethod = metrics.by("ponder_rpc_request_duration_count", "method");
  const all = [...byMethod.values()].reduce((sum, count) => sum + count, 0);
  const logs = byMethod.get("eth_getLogs") ?? 0;
  return [
    {
      name: "requests, cold, relative to blocks with logs",
      value: all,
      unit: "requests",
      ratio: all / blocks,
    },
    { name: "requests for logs, cold", value: logs, unit: "requests" },
  ];
}

/** Memory, and bytes in the database, of this run and of mainnet by the number of its logs. */
function sizeFigures(
  { events, peakBytes, tableBytes }: Measured,
  cacheBytes: number,
): Omit<Figure, "bench">[] {
  const mainnet = MAINNET_LOGS / events;
  return [
    { name: "peak memory of the indexer", value: peakBytes / GIB, unit: "GiB" },
    { name: "tables and indexes", value: tableBytes / GIB, unit: "GiB" },
    {
      name: "tables and indexes, scaled to mainnet's logs",
      value: (tableBytes / GIB) * mainnet,
      unit: "GiB",
    },
    { name: "RPC cache", value: cacheBytes / GIB, unit: "GiB" },
    { name: "RPC cache, scaled to mainnet's logs", value: (cacheBytes / GIB) * mainnet, unit: "GiB" },
  ];
}

/** The handlers that took most of the time. */
export function handlerFigures({ metrics }: Measured): Omit<Figure, "bench">[] {
  const totals = metrics.by("ponder_indexing_function_duration_sum", "event");
  const counts = metrics.by("ponder_indexing_function_duration_count", "event");
  return [...totals]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 12)
    .map(([event, total]) => ({
      name: `one ${event.replace(/\(.*/, "")}`,
      value: (total / (counts.get(event) ?? 1)) * 1_000,
      unit: "microseconds",
    }));
}
