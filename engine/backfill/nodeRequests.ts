// Part of the patch logSync: requests logs from the node, in ranges of the size that it accepts, and blocks.

import type { Block, NodeLog } from "./cacheRows.ts";
import type { Hex, Interval, Wanted } from "./logGroups.ts";
import { isAboutRange, LogRange } from "./logRange.ts";
import type { Chain, Ponder } from "./ponderSync.ts";

/** Concurrent log requests of one kind. Ponder limits those of a chain to 25. */
const REQUESTS_AT_ONCE = 8;

const toHex = (number: number): Hex => `0x${number.toString(16)}`;

/** Failures that a smaller range may avoid. Ponder has repeated the request for a minute. */
const mayBeAboutSize = ({ code, status, message }: { code?: number; status?: number; message?: string }) =>
  code !== 429 &&
  status !== 429 &&
  /too (?:large|many|big|wide|long)|limit|exceed|time(?:d )?out|maximum|range/i.test(message ?? "");

export type NodeRequests = ReturnType<typeof createNodeRequests>;

/** @param onRequest is called for each answer */
export function createNodeRequests(ponder: Ponder, { rpc, chain, common }: Chain, onRequest: () => void) {
  const ranges = new Map<string, LogRange>();
  const context = { logger: common.logger.child({ action: "fetch_block_data" }) };

  const rangeOf = ({ kind }: Wanted): LogRange => {
    const range = ranges.get(kind) ?? new LogRange(chain.ethGetLogsBlockRange);
    ranges.set(kind, range);
    return range;
  };

  async function fetchHeader(number: Hex): Promise<Block> {
    const block = await ponder.eth_getBlockByNumber(rpc, [number, false], context);
    onRequest();
    return block;
  }

  async function fetchPiece(wanted: Wanted, [from, to]: Interval): Promise<NodeLog[]> {
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
      onRequest();
      return logs;
    } catch (error) {
      const suggestion = ponder.getLogsRetryHelper({ params, error });
      const isAboutSize =
        suggestion.shouldRetry || isAboutRange(error as Error) || mayBeAboutSize(error as Error);
      if (blocks === 1 || !isAboutSize) throw error;
      const [first] = suggestion.ranges ?? [];
      const isSuggested = suggestion.isSuggestedRange === true && first !== undefined;
      const suggested = isSuggested ? Number(first.toBlock) - Number(first.fromBlock) : null;
      range.refused(blocks, suggested);
      return fetchRange(wanted, [from, to], Math.ceil(blocks / 2));
    }
  }

  /** Logs of a range, in requests of the size that the provider currently accepts, and of at most `most` blocks. */
  async function fetchRange(wanted: Wanted, [from, to]: Interval, most = to - from + 1): Promise<NodeLog[]> {
    let next = from;
    const found: NodeLog[] = [];
    const fetchNext = async () => {
      while (next <= to) {
        const first = next;
        next = first + Math.min(rangeOf(wanted).next(to + 1 - first), most);
        for (const log of await fetchPiece(wanted, [first, next - 1])) found.push(log);
      }
    };
    await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, fetchNext));
    return found;
  }

  return {
    fetchHeader,
    /** All logs that match the queries. */
    fetchLogs: async (queries: readonly Wanted[]): Promise<NodeLog[]> =>
      (await Promise.all(queries.map((wanted) => fetchRange(wanted, wanted.interval)))).flat(),
    /** The answer to any other request. */
    ask: async (method: string, params: unknown[]): Promise<unknown> => {
      const answer = await rpc.request({ method, params }, context);
      onRequest();
      return answer;
    },
  };
}
