import { counted } from "../commandLine/counted.ts";
import type { LogPlace, RangeDifference } from "./compareLogs.ts";
import { safeJson } from "./report.ts";

/** What a comparison of logs found. */
export type LogsResult = {
  chainId: number;
  chain: string;
  seed: number;
  /** Ranges of blocks that were compared. */
  ranges: number;
  blocks: number;
  /** Logs of the node in them. */
  logs: number;
  differences: RangeDifference[];
  seconds: number;
  /** Why the run ended early; null if it is complete. */
  failure: string | null;
};

/** Ranges and logs that the text shows; JSON has all. */
const SHOWN_RANGES = 20;
const SHOWN_LOGS = 3;

export function logsText(result: LogsResult): string {
  const { ranges, blocks, logs, chain, seed, seconds, differences, failure } = result;
  const head = `${counted(ranges, "range")} with ${counted(blocks, "block")} and ${counted(logs, "log")} of ${chain}, chosen by seed ${seed}, compared with the cache in ${Math.round(seconds)} s.`;
  const shown = differences.slice(0, SHOWN_RANGES).map((one) => rangeText(one, result));
  const more = differences.length - shown.length;
  const verdict =
    differences.length === 0
      ? "The cache and the node have the same logs."
      : `${differences.length} ${differences.length === 1 ? "range differs" : "ranges differ"}.`;
  return [
    ...(ranges > 0 ? [head] : []),
    ...shown,
    ...(more > 0 ? [`… and ${more} more; use --json to see them.`] : []),
    ...(ranges > 0 ? [verdict] : []),
    ...(failure === null ? [] : [`Not finished: ${failure}`]),
  ].join("\n\n");
}

function rangeText(
  { from, to, missing, unknown, changed }: RangeDifference,
  { chainId }: LogsResult,
): string {
  return [
    `Blocks ${from} to ${to}`,
    ...sortText("only the node has", missing),
    ...sortText("only the cache has", unknown),
    ...sortText("different in both", changed),
    `  npm run verify -- --refetch ${from}-${to} --chain ${chainId}`,
  ].join("\n");
}

function sortText(what: string, places: readonly LogPlace[]): string[] {
  if (places.length === 0) return [];
  const shown = places
    .slice(0, SHOWN_LOGS)
    .map(
      ({ blockNumber, logIndex, transactionHash, address }) =>
        `    log ${logIndex} of block ${blockNumber}, by ${plainHex(address)} in ${plainHex(transactionHash)}`,
    );
  const more = places.length > SHOWN_LOGS ? ["    …"] : [];
  return [`  ${what}: ${places.length}`, ...shown, ...more];
}

/** A node may answer anything. */
const plainHex = (text: string): string => (/^0x[0-9a-f]{1,64}$/.test(text) ? text : "(no hash)");

export const logsJson = ({ chainId, failure, ...result }: LogsResult): string =>
  safeJson({
    complete: failure === null,
    failure,
    chain_id: chainId,
    ...result,
    differences: result.differences.map(({ from, to, ...sorts }) => ({ from, to, ...shownSorts(sorts) })),
  });

const shownSorts = (sorts: Record<"missing" | "unknown" | "changed", LogPlace[]>) =>
  Object.fromEntries(
    Object.entries(sorts).map(([sort, places]) => [
      sort,
      places.map(({ blockNumber, logIndex, transactionHash, address }) => ({
        block_number: blockNumber,
        log_index: logIndex,
        transaction_hash: transactionHash,
        address,
      })),
    ]),
  );
