import { hasCache, listCachedFilters } from "../../engine/cachedLogs.ts";
import type { Settings } from "../../settings/settings.ts";
import { queriesOf, withClient } from "../../src/api/server/postgres/client.ts";
import { CommandError } from "../commandLine/command.ts";
import { startProgress } from "../commandLine/progress.ts";
import { chainOf, nodeUrlsOf } from "./chains.ts";
import { compareRange } from "./compareLogs.ts";
import { chooseRanges } from "./logRanges.ts";
import { type LogsResult, logsJson, logsText } from "./logsReport.ts";
import { openNode } from "./node.ts";
import { logReader } from "./nodeLogs.ts";
import type { VerifyOptions } from "./options.ts";
import { codeOf, explain, requireChain } from "./outcome.ts";

export type LogsRun = { options: VerifyOptions; settings: Settings; signal: AbortSignal };

/** Compares the cache of logs with a node. A failure or an interruption ends it with what was compared so far. */
export async function verifyLogs({
  options,
  settings,
  signal,
}: LogsRun): Promise<{ text: string; code: number }> {
  const started = performance.now();
  const { chainId, name: chain } = chainOf(settings.deployment, options.chainId);
  const result: LogsResult = {
    chainId,
    chain,
    seed: options.seed,
    failure: null,
    seconds: 0,
    ranges: 0,
    blocks: 0,
    logs: 0,
    differences: [],
  };
  result.failure = await compareRanges({ options, settings, signal }, result).then(
    () => null,
    (error: unknown) => explain(error, signal),
  );
  result.seconds = (performance.now() - started) / 1_000;
  const code = codeOf({ failure: result.failure, differences: result.differences.length });
  return { text: options.isJson ? logsJson(result) : logsText(result), code };
}

async function compareRanges({ options, settings, signal }: LogsRun, result: LogsResult): Promise<void> {
  const { chainId } = result;
  const urls = options.url === null ? nodeUrlsOf(settings, chainId) : [options.url];
  const node = openNode({ urls, requestsPerSecond: settings.liveRequestsPerSecond, signal });
  await requireChain(node, { chainId, name: result.chain });
  const config = { connectionString: settings.databaseUrl, application_name: `${settings.schema}_verify` };
  await withClient(config, async (client) => {
    const { query } = queriesOf(client);
    const filters = (await hasCache(query)) ? await listCachedFilters(query, chainId) : [];
    const ranges = await chooseRanges(query, { ...options, filters, chainId });
    if (ranges.length === 0) {
      throw new CommandError(
        `The cache has no logs of chain ${chainId}. Logs of a development chain are not cached.`,
      );
    }
    const readLogs = logReader(node, filters);
    const inRanges = (count: number) => `${Math.round(count)} ranges`;
    const whole = ranges.length;
    const progress = startProgress(process.stderr, { title: "Comparing", whole, show: inRanges });
    for (const range of ranges) {
      signal.throwIfAborted();
      const { logs, difference } = await compareRange(query, { chainId, range, filters, readLogs });
      result.ranges += 1;
      result.blocks += range.to - range.from + 1;
      result.logs += logs;
      if (difference !== null) result.differences.push(difference);
      progress.add(1);
    }
    progress.end();
  });
}
