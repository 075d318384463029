// Part of the patch logSync: fetches past logs with few requests, if the configuration follows only logs.

import { createCheckedSource, fetchFromSource } from "../sources/checkedSource.ts";
import { splitBySource } from "../sources/coverage.ts";
import { type Block, chunksOf, type NodeLog, writeLogs } from "./cacheRows.ts";
import { FetchProgress } from "./fetchProgress.ts";
import type { Interval, Wanted } from "./logGroups.ts";
import { createNodeRequests } from "./nodeRequests.ts";
import type { Chain, Given, Ponder, Store } from "./ponderSync.ts";
import { blockIn, checkTimes, transactionsIn } from "./thinBlocks.ts";
import {
  bounds,
  byPlace,
  clipped,
  createWantedLogs,
  distinct,
  isWithin,
  placeOf,
  wantedLogsBy,
  widestOfEach,
} from "./wantedLogs.ts";

/** Blocks written at once; also the most headers requested together. */
const BLOCKS_AT_ONCE = 2_000;

/**
 * Creates the replacement of Ponder's `createHistoricalSync`. It has the same two methods, and stores the same logs, contracts and
 * intervals. For each range, it sends one request for all fixed contracts, one for topics of any contract, and one each for filters on
 * other topics and for contracts found in logs. Undefined if the configuration follows anything besides logs.
 */
export const logSyncBy = (ponder: Ponder) => (chain: Chain) => {
  const areLogs = chain.eventCallbacks?.every(
    ({ filter }) => filter.type === "log" && !filter.hasTransactionReceipt,
  );
  return areLogs ? createLogSync(ponder, chain) : undefined;
};

function createLogSync(ponder: Ponder, run: Chain) {
  const { chain, common, childAddresses, syncProgress } = run;
  const { start, current, finalized, end = finalized } = syncProgress;
  const progress = new FetchProgress({
    first: current === undefined ? Number(start.number) : Number(current.number) + 1,
    last: Math.min(Number(finalized.number), Number(end.number)),
    say: (line) =>
      common.logger.info({ msg: "Fetching past logs", chain: chain.name, chain_id: chain.id, ...line }),
  });
  const onRequest = () => progress.requested();
  const node = createNodeRequests(ponder, run, onRequest);
  const source = createCheckedSource(ponder, run, { node, onRequest });
  const wanted = createWantedLogs(ponder, run);
  const checkTime = checkTimes();

  async function syncRange(given: Given): Promise<NodeLog[]> {
    const { requiredIntervals, syncStore } = given;
    const factories = widestOfEach(given.requiredFactoryIntervals);
    const isWanted = wantedLogsBy(ponder, { required: requiredIntervals, childAddresses });
    const from = await source.open();
    const ofFilters = splitBySource(from, requiredIntervals, ({ filter }) => wanted.partsOf(filter), ponder);
    const ofFactories = splitBySource(
      from,
      factories,
      ({ factory }) => wanted.partsOf(wanted.filterOf(factory)),
      ponder,
    );
    const logs = new Map<string, NodeLog>();
    const keep = (fetched: readonly NodeLog[], isKept: (log: NodeLog) => boolean) => {
      for (const log of fetched) if (isKept(log)) logs.set(placeOf(log), log);
    };
    const blocks = bounds([...ofFilters.ofSource, ...ofFactories.ofSource]);
    const fetchBoth = async (queriesOf: (part: "ofSource" | "ofNode") => Wanted[]) => {
      const ofSource = from === null || from.givesAll ? [] : fetchFromSource(from, queriesOf("ofSource"));
      return (await Promise.all([ofSource, node.fetchLogs(queriesOf("ofNode"))])).flat();
    };
    if (from?.givesAll && blocks !== null) keep(await from.logs([], blocks), () => true);
    keep(await fetchBoth((part) => wanted.fixedQueries(ofFactories[part], ofFilters[part])), () => true);
    const inOrder = [...logs.values()].sort(byPlace);
    for (const required of factories) {
      const found = wanted.findChildren(inOrder, required);
      await syncStore.insertChildAddresses({
        factory: required.factory,
        childAddresses: found,
        chainId: chain.id,
      });
    }
    keep(await fetchBoth((part) => wanted.foundQueries(ofFilters[part])), isWanted);
    if (from !== null && blocks !== null) {
      const isCompared = (log: NodeLog) =>
        isWanted(log) ||
        factories.some((one) => isWithin(log, one.interval) && ponder.isLogFactoryMatched({ ...one, log }));
      const logsOf = async (interval: Interval) => {
        const [inside, ofFactory] = [clipped(requiredIntervals, interval), clipped(factories, interval)];
        const asked = [...wanted.fixedQueries(ofFactory, inside), ...wanted.foundQueries(inside)];
        return distinct(await node.fetchLogs(asked)).filter(isCompared);
      };
      const compared = [...logs.values()].filter(isCompared);
      await source.check(from, { interval: blocks, logs: compared, node: { isCompared, logs: logsOf } });
    }
    return [...logs.values()].filter(isWanted).sort(byPlace);
  }

  return {
    syncBlockRangeData: (given: Given): Promise<NodeLog[]> =>
      syncRange(given).catch((error) => {
        throw source.finalError(error);
      }),

    async syncBlockData(given: {
      interval: Interval;
      logs: NodeLog[];
      syncStore: Store;
    }): Promise<Block | undefined> {
      const { interval, logs, syncStore } = given;
      await source.confirm(syncStore.connection);
      let newest: Block | undefined;
      const takeBlock = async (ofBlock: NodeLog[]) => {
        const [{ blockNumber: number }] = ofBlock as [NodeLog];
        const block = blockIn(ofBlock) ?? (await node.fetchHeader(number));
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
      const takePart = (part: NodeLog[][] = []) => Promise.all(part.map(takeBlock));
      let taken = await takePart(parts[0]);
      for (let i = 1; taken.length > 0; i++) {
        for (const { block } of taken) checkTime(block);
        newest = taken.at(-1)?.block;
        // Fetch the next part while writing this one.
        const written = writeLogs(syncStore, { ponder, chainId: chain.id, fetched: taken });
        [taken] = await Promise.all([takePart(parts[i]), written]);
      }
      progress.fetched(interval[1], logs.length);
      return newest;
    },
  };
}
