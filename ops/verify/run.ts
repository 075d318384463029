import type { Hex } from "viem";
import type { Deployment } from "../../abis/deployments.ts";
import type { Settings } from "../../settings/settings.ts";
import { namedKeys } from "../../src/api/names/comparison/namedKeys.ts";
import { createRpc } from "../../src/api/names/live/rpc.ts";
import { parseName } from "../../src/api/names/schemas/input.ts";
import { queriesOf, withClient } from "../../src/api/server/postgres/client.ts";
import { messageOf } from "../../src/api/server/postgres/databaseErrors.ts";
import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import { type Progress, startProgress } from "../commandLine/progress.ts";
import { chainOf, deploymentOf, nodeUrlsOf } from "./chains.ts";
import { compare } from "./compare.ts";
import { compareEvents } from "./compareEvents.ts";
import { compareFeed } from "./compareFeed.ts";
import { NodeError, openNode } from "./node.ts";
import type { VerifyOptions } from "./options.ts";
import { codeOf, explain, requireChain } from "./outcome.ts";
import { type Run, reportJson, reportText } from "./report.ts";
import { noteNotCompared, type Result, valuesOf } from "./result.ts";
import { takeSamples } from "./sampling.ts";
import { isAboutIndex, storeResult } from "./storeResult.ts";

/** Long enough for a large batch on a busy node. */
const CALL_TIMEOUT_MS = 20_000;

export type VerifyRun = { options: VerifyOptions; settings: Settings; signal: AbortSignal };

/** What a run gives: what to print on standard output, and the exit code. */
export type Outcome = { text: string; code: number };

type SoFar = { far: Result | null; progress: Progress | null };

const inValues = (values: number): string => `${Math.round(values)} values`;

/** Compares the index with the contracts. A node that fails, or an interruption, ends it with what was compared so far. */
export async function verify({ options, settings, signal }: VerifyRun): Promise<Outcome> {
  const started = performance.now();
  const deployment = deploymentOf(settings.deployment, options.chainId);
  const so: SoFar = { far: null, progress: null };
  const failure = await compareAll({ options, settings, signal, deployment }, so).then(
    () => null,
    (error: unknown) => explain(error, signal),
  );
  so.progress?.end();
  const result = so.far;
  if (result !== null && failure === null && isAboutIndex(options)) {
    await storeResult(settings, result).catch((error: Error) =>
      console.error(
        `The result could not be stored, so /indexing-status does not show it: ${onOneLine(messageOf(error))}`,
      ),
    );
  }
  const { schema, port } = settings;
  const run: Run = {
    chain: deployment.name,
    chainId: deployment.chainId,
    schema,
    seed: options.seed,
    port,
    failure: failure ?? nothingCompared(result),
    seconds: (performance.now() - started) / 1_000,
  };
  const text = options.isJson ? reportJson(result, run) : reportText(result, run);
  return { text, code: codeOf({ failure: run.failure, differences: result?.differenceCount ?? 0 }) };
}

const nothingCompared = (result: Result | null): string | null =>
  result === null || valuesOf(result) === 0 ? "nothing could be compared" : null;

type Comparison = VerifyRun & {
  /** Of the chain that is compared. */
  deployment: Deployment;
};

/** @throws CommandError for a text that is no name */
function nodeOf(name: string): Hex {
  try {
    return parseName(name).node;
  } catch (error) {
    throw new CommandError(`--name ${JSON.stringify(name.slice(0, 100))}: ${(error as Error).message}`);
  }
}

async function compareAll({ options, settings, signal, deployment }: Comparison, so: SoFar): Promise<void> {
  const { databaseUrl, schema } = settings;
  const nodes = options.names.map(nodeOf);
  const urls = options.url === null ? nodeUrlsOf(settings, deployment.chainId) : [options.url];
  const requestsPerSecond = settings.liveRequestsPerSecond;
  const node = openNode({ urls, requestsPerSecond, signal });
  await requireChain(node, deployment);
  const config = { connectionString: databaseUrl, application_name: `${schema}_verify` };
  const result = await withClient(config, (client) =>
    compare({
      client,
      schema,
      deployment,
      node,
      signal,
      at: options.at,
      rpc: createRpc({ urls, requestsPerSecond, timeoutMs: CALL_TIMEOUT_MS }),
      choose: (reach) =>
        nodes.length > 0
          ? namedKeys(nodes, { ...reach, ...queriesOf(reach.client) })
          : takeSamples({ ...reach, ...options }),
      watch: (result, all) => {
        so.far = result;
        so.progress?.end();
        so.progress = startProgress(process.stderr, { title: "Comparing", whole: all, show: inValues });
        return so.progress.add;
      },
    }),
  );
  so.far = result;
  if (options.names.length > 0 || options.at !== null) return;
  const { samples, seed } = options;
  await compareEvents({ databaseUrl, schema, deployment, node, signal, samples, seed }, result);
  await compareFeed({ databaseUrl, schema, deployment, node }, result);
  if (options.chainId === null) await compareOtherEvents({ options, settings, signal }, result);
}

/** Compares the events of the other chains. One whose node does not answer is left out, and named. */
async function compareOtherEvents({ options, settings, signal }: VerifyRun, result: Result): Promise<void> {
  const { databaseUrl, schema, liveRequestsPerSecond: requestsPerSecond } = settings;
  const { samples, seed } = options;
  for (const { chainId, name } of settings.deployment.layer2) {
    const urls = nodeUrlsOf(settings, chainId);
    if (urls.length === 0) continue; // It is not indexed.
    const node = openNode({ urls, requestsPerSecond, signal });
    try {
      await requireChain(node, { chainId, name });
      const chain = chainOf(settings.deployment, chainId);
      await compareEvents({ databaseUrl, schema, deployment: chain, node, signal, samples, seed }, result);
    } catch (error) {
      if (!(error instanceof NodeError) || signal.aborted) throw error;
      noteNotCompared(result, `events of ${name} (${chainId}): ${onOneLine(error.message)}`);
    }
  }
}
