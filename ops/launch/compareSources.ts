import { setTimeout as sleep } from "node:timers/promises";
import { numberToHex } from "viem";
import { LogRange } from "../../engine/backfill/logRange.ts";
import { type CachedFilter, hasCache, listCachedFilters, listCachedTimes } from "../../engine/cachedLogs.ts";
import { listSchemas, type Query, readIndexer } from "../../engine/ponderInternals.ts";
import { describeFalseSource, listFalseSources, noteFalseSource } from "../../engine/sources/falseSources.ts";
import { type Receipt, receiptsRoot } from "../../engine/sources/receiptsRoot.ts";
import {
  countSourceBlocks,
  findUncompared,
  hasSourceBlocks,
  noteCompared,
} from "../../engine/sources/sourceBlocks.ts";
import type { Difference } from "../../engine/sources/sourceChecks.ts";
import type { Settings } from "../../settings/settings.ts";
import { pairLocks } from "../../src/api/server/postgres/advisoryLocks.ts";
import { inTransaction, queriesOf } from "../../src/api/server/postgres/client.ts";
import { messageOf } from "../../src/api/server/postgres/databaseErrors.ts";
import { onOwnConnection, takeLock } from "../../src/api/server/postgres/lockedWork.ts";
import {
  noteSourceComparison,
  noteSourceDifference,
} from "../../src/api/server/serviceDb/sourceComparisons.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import { compareRange, type RangeDifference } from "../verify/compareLogs.ts";
import type { Range } from "../verify/logRanges.ts";
import { type Node, NodeError, openNode } from "../verify/node.ts";
import { type LogReader, logReader, type NodeLog, parseLogs } from "../verify/nodeLogs.ts";

/** The comparison takes this fraction (1/10) of the plan's requests: a ready indexer needs few. */
export const PLAN_SHARE = 10;
/** Blocks compared at once, unless the node accepts fewer. */
const MOST_BLOCKS = 10_000;
/** Pause between searches for blocks to compare, and after a failure. */
const PAUSE_MS = 60_000;
/** Interval at which progress is stored. */
const NOTE_MS = 5_000;

export type ComparisonPlan = Pick<
  Settings,
  | "databaseUrl"
  | "serviceDatabaseUrls"
  | "serviceSchema"
  | "schema"
  | "rpcUrls"
  | "rpcRequestsPerSecond"
  | "logSources"
> & { log: Record<"info" | "warn" | "error", (line: string) => void>; pauseMs?: number };

/**
 * Compares all logs from a source with the operator's node, once the index is ready. Progress is stored with the cache, so a restart
 * resumes. If several indexers share a database, one at a time compares a chain.
 *
 * @returns a function that stops it
 */
export function compareSources(plan: ComparisonPlan): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    let before = "";
    while (!signal.aborted) {
      const failure = await compareNow(plan, signal).then(
        () => "",
        (error: unknown) => onOneLine(messageOf(error)),
      );
      if (signal.aborted) return;
      if (failure !== "" && failure !== before) {
        plan.log.warn(`Past logs could not be compared with the node and will be later: ${failure}`);
      }
      before = failure;
      await sleep(plan.pauseMs ?? PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  };
  void run();
  return () => stopping.abort();
}

/** Compares everything not yet compared. Does nothing before the index is ready. */
export async function compareNow(plan: ComparisonPlan, stopped: AbortSignal): Promise<void> {
  const { databaseUrl, schema, serviceDatabaseUrls, serviceSchema } = plan;
  const applicationName = `${schema}_sources`;
  await onOwnConnection({ databaseUrl, applicationName, stopped }, async (client, ended) => {
    const { query } = queriesOf(client);
    if (!(await hasSourceBlocks(query)) || !(await hasCache(query))) return;
    if (!(await listSchemas(query)).includes(schema) || !(await readIndexer(query, schema))?.isReady) return;
    const store = openStore({ databaseUrl: serviceDatabaseUrls, schema: serviceSchema });
    try {
      for (const chainId of Object.keys(plan.rpcUrls).map(Number)) {
        const comparison: Comparison = {
          plan,
          chainId,
          query,
          store,
          signal: ended,
          removing: (work) => inTransaction(client, work),
        };
        await note(comparison);
        const isOurs = await takeLock({ query }, [pairLocks.sourceComparison, String(chainId)]);
        if (isOurs) await compareChain(comparison);
        await note(comparison);
      }
    } finally {
      await store.close();
    }
  });
}

type Comparison = {
  plan: ComparisonPlan;
  chainId: number;
  query: Query;
  store: Store;
  signal: AbortSignal;
  removing: (work: () => Promise<void>) => Promise<void>;
};

/** Stores for the API how far the comparison is, or that this index is false, which another indexer may have found. */
async function note({ plan: { schema }, chainId, query, store }: Comparison): Promise<void> {
  const found = await countSourceBlocks(query, { chainId, schema });
  if (found.blocks > 0) await noteSourceComparison(store, schema, { chainId, ...found });
  const known = (await listFalseSources(query, chainId)).find((one) => one.schema === schema);
  if (known !== undefined) await noteSourceDifference(store, schema, { chainId, block: known.block });
}

async function compareChain(comparison: Comparison): Promise<void> {
  const { plan, chainId, query, signal } = comparison;
  const size = new LogRange(MOST_BLOCKS);
  const requestsPerSecond = Math.max(1, Math.floor(plan.rpcRequestsPerSecond / PLAN_SHARE));
  const node = openNode({ urls: plan.rpcUrls[chainId] ?? [], requestsPerSecond, signal });
  const seen = { refusals: 0 };
  const counting: Node = {
    signal,
    ask: (call) =>
      node.ask(call).catch((error: unknown) => {
        seen.refusals++;
        throw error;
      }),
  };
  const filters = await listCachedFilters(query, chainId);
  let [blocks, notedAt] = [0, performance.now()];
  for (;;) {
    signal.throwIfAborted();
    const next = await findUncompared(query, { chainId, schema: plan.schema });
    if (next === null) break;
    const range = { from: next.from, to: Math.min(next.to, next.from + size.size - 1) };
    seen.refusals = 0;
    const difference = await compareBlocks({ query, chainId, filters, node: counting, range });
    if (difference !== null) return refuse(comparison, { location: next.location, difference });
    await noteCompared(query, { ...next, ...range });
    const compared = range.to - range.from + 1;
    if (seen.refusals > 0) size.refused(compared, null);
    else size.answered(compared);
    blocks += compared;
    if (performance.now() - notedAt < NOTE_MS) continue;
    notedAt = performance.now();
    await note(comparison);
  }
  if (blocks > 0) plan.log.info(`Chain ${chainId}: all past logs of its source equal those of the node.`);
}

async function refuse(
  { plan, chainId, query, store, removing }: Comparison,
  { location, difference }: { location: string; difference: Difference },
): Promise<void> {
  const { schema, logSources, log } = plan;
  // This index first: the following steps may fail, and the next run then repeats them.
  await noteSourceDifference(store, schema, { chainId, block: difference.block });
  await removing(() => noteFalseSource(query, { location, schema: null, chainId, ...difference }));
  const variable = logSources[chainId]?.variable ?? "LOG_SOURCE";
  log.error(describeFalseSource(variable, { location, schema, ...difference }));
}

type Compared = {
  query: Query;
  chainId: number;
  filters: readonly CachedFilter[];
  node: Node;
  range: Range;
};

/** The first block of a range with a false log in the cache, or null. @throws NodeError if the node contradicts itself */
async function compareBlocks(compared: Compared): Promise<Difference | null> {
  const found = await differenceBy(compared, logReader(compared.node, compared.filters));
  if (found === null) return null;
  const range = { from: found.block, to: found.block };
  // Meanwhile, another indexer may have removed blocks of another source from the cache.
  const filters = await listCachedFilters(compared.query, compared.chainId);
  const block = { ...compared, range, filters };
  const proven = await differenceBy(block, provenLogs(block));
  if (proven !== null) return proven;
  throw new NodeError(
    `the node contradicts itself: by eth_getLogs, block ${found.block} differs from the cache (${found.what}), by its receipts not`,
  );
}

async function differenceBy(
  { query, chainId, filters, range }: Compared,
  readLogs: LogReader,
): Promise<Difference | null> {
  let given: NodeLog[] = [];
  const reading: LogReader = async (asked) => {
    given = await readLogs(asked);
    return given;
  };
  const { difference } = await compareRange(query, { chainId, range, filters, readLogs: reading });
  const inLogs = difference === null ? null : firstOf(difference);
  const times = await listCachedTimes(query, { chainId, ...range });
  for (const { blockNumber: block, timestamp } of given.toSorted((a, b) => a.blockNumber - b.blockNumber)) {
    if (inLogs !== null && block >= inLogs.block) break;
    const cached = times.get(block);
    // Some nodes give no time, zero, or milliseconds.
    if (cached === undefined || !timestamp || cached === timestamp) continue;
    if (cached === Math.floor(timestamp / 1_000)) continue;
    return { block, what: `its time is ${timestamp}, not ${cached}` };
  }
  return inLogs;
}

function firstOf({ missing, unknown, changed }: RangeDifference): Difference {
  const all = [
    ...missing.map((log) => ({ log, what: `log ${log.logIndex} is missing` })),
    ...unknown.map((log) => ({ log, what: `the node has no log ${log.logIndex}` })),
    ...changed.map((log) => ({ log, what: `log ${log.logIndex} has other content` })),
  ].sort((a, b) => a.log.blockNumber - b.log.blockNumber);
  const [first] = all as [(typeof all)[0]];
  return { block: first.log.blockNumber, what: first.what };
}

/**
 * The logs of one block from its receipts, if their root matches the header: a node that has pruned old logs may return an empty list.
 * If receipts are unavailable or have another form, asks `eth_getLogs` again.
 */
const provenLogs =
  ({ node, filters }: Compared): LogReader =>
  async (range) => {
    const number = numberToHex(range.from);
    const header = await node.ask({ method: "eth_getBlockByNumber", params: [number, false] });
    const { receiptsRoot: root, timestamp } = (header ?? {}) as {
      receiptsRoot?: unknown;
      timestamp?: unknown;
    };
    if (typeof timestamp !== "string") throw new NodeError(`the node has no block ${range.from}`);
    const receipts = await node
      .ask({ method: "eth_getBlockReceipts", params: [number] })
      .catch((error: unknown) => {
        if (error instanceof NodeError && error.isAnswer) return null;
        throw error;
      });
    const isProven = Array.isArray(receipts) && receiptsRoot(receipts as Receipt[]) === root;
    const logs = isProven
      ? parseLogs((receipts as Receipt[]).flatMap((receipt) => receipt.logs))
      : await logReader(node, filters)(range);
    return logs.map((log) => ({ ...log, timestamp: Number(timestamp) }));
  };
