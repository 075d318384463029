import type { Settings } from "../../settings/settings.ts";
import { LiveFailure } from "../../src/api/live/failure.ts";
import { createRpc } from "../../src/api/live/rpc.ts";
import { withClient } from "../../src/api/serviceDb/client.ts";
import { CommandError } from "../commandLine/command.ts";
import { compare } from "./compare.ts";
import { namedKeys, nodeOf } from "./namedKeys.ts";
import { type Node, NodeError, openNode, readChainId } from "./node.ts";
import type { VerifyOptions } from "./options.ts";
import { progressLine } from "./progressLine.ts";
import { type Run, reportJson, reportText } from "./report.ts";
import { type Result, valuesOf } from "./result.ts";
import { takeSamples } from "./sampling.ts";

/** Long enough for a large batch on a busy node. */
const CALL_TIMEOUT_MS = 20_000;

/** Exit codes: all is equal; something differs; it could not be found out. */
const EQUAL = 0;
const DIFFERENT = 1;
export const FAILED = 2;

export type VerifyRun = { options: VerifyOptions; settings: Settings; signal: AbortSignal };

/** What a run gives: what to print on standard output, and the exit code. */
export type Outcome = { text: string; code: number; result: Result | null; run: Run };

/** Compares the index with the contracts. A node that fails, or an interruption, ends it with what was compared so far. */
export async function verify({ options, settings, signal }: VerifyRun): Promise<Outcome> {
  const started = performance.now();
  const so: { far: Result | null } = { far: null };
  const failure = await compareAll({ options, settings, signal }, so).then(
    () => null,
    (error: unknown) => explain(error, signal),
  );
  const result = so.far;
  const { deployment, schema, port } = settings;
  const run: Run = {
    ...{ chain: deployment.name, chainId: deployment.chainId, schema, seed: options.seed, port },
    ...{ failure: failure ?? nothingCompared(result), seconds: (performance.now() - started) / 1_000 },
  };
  const text = options.isJson ? reportJson(result, run) : reportText(result, run);
  return { text, code: codeOf(result, run), result, run };
}

const nothingCompared = (result: Result | null): string | null =>
  result === null || valuesOf(result) === 0 ? "nothing could be compared" : null;

function codeOf(result: Result | null, { failure }: Run): number {
  if (failure !== null) return FAILED;
  return result?.differenceCount === 0 ? EQUAL : DIFFERENT;
}

async function compareAll(
  { options, settings, signal }: VerifyRun,
  so: { far: Result | null },
): Promise<void> {
  const { deployment, databaseUrl, schema } = settings;
  const nodes = options.names.map(nodeOf);
  const urls = options.url === null ? nodeUrls(settings) : [options.url];
  const requestsPerSecond = settings.liveRequestsPerSecond;
  const node = openNode({ urls, requestsPerSecond, signal });
  await requireChain(node, deployment);
  const show = progressLine(process.stderr, "values");
  const config = { connectionString: databaseUrl, application_name: `${schema}_verify` };
  so.far = await withClient(config, (client) =>
    compare({
      ...{ client, schema, deployment, node, signal, at: options.at },
      rpc: createRpc({ urls, requestsPerSecond, timeoutMs: CALL_TIMEOUT_MS }),
      choose: (reach) => (nodes.length > 0 ? namedKeys(nodes, reach) : takeSamples({ ...reach, ...options })),
      onProgress: (done, all, result) => {
        so.far = result;
        show(done, all);
      },
    }),
  );
}

/** Those of live answers are often others than the indexer's, so that a lie of one is found. */
const nodeUrls = ({ liveRpcUrls, rpcUrls, deployment }: Settings): string[] =>
  liveRpcUrls.length > 0 ? liveRpcUrls : (rpcUrls[deployment.chainId] ?? []);

/** @throws CommandError if the node serves another chain */
async function requireChain(node: Node, { chainId, name }: { chainId: number; name: string }): Promise<void> {
  const served = await readChainId(node);
  if (served === chainId) return;
  throw new CommandError(`The node serves the chain ${served}: expected a node of ${name} (${chainId}).`);
}

/** One sentence for what the operator can mend. @throws what nobody expected */
function explain(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "interrupted";
  if (error instanceof CommandError || error instanceof LiveFailure) return error.message;
  if (error instanceof NodeError)
    return `${error.message}. Fewer --samples, another --url, or for --at an archive node may help.`;
  const { code, message } = error as { code?: string; message?: string };
  if (code !== undefined) return `the database or a connection failed: ${message || code}`;
  throw error;
}
