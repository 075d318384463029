import type { Deployment } from "../../abis/deployments.ts";
import { compare } from "../../ops/verify/compare.ts";
import { openNode } from "../../ops/verify/node.ts";
import { valuesOf } from "../../ops/verify/result.ts";
import { takeSamples } from "../../ops/verify/sampling.ts";
import { createRpc } from "../../src/api/names/live/rpc.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";
import type { Stack } from "../support/stack.ts";
import { show, type Verdict } from "./oracle.ts";

const SAMPLES = 5_000;

/** The result of `npm run verify` for an index at the head of its chain: it may find nothing that the oracle does not. */
export async function judgeByVerify(
  stack: Pick<Stack, "databaseUrl" | "schema">,
  { rpcUrl, deployment }: { rpcUrl: string; deployment: Deployment },
): Promise<Verdict> {
  const { signal } = new AbortController();
  const urls = [rpcUrl];
  const result = await withClient({ connectionString: stack.databaseUrl }, (client) =>
    compare({
      client,
      schema: stack.schema,
      deployment,
      signal,
      at: null,
      node: openNode({ urls, requestsPerSecond: 1_000, signal }),
      rpc: createRpc({ urls, timeoutMs: 60_000 }),
      choose: (reach) => takeSamples({ ...reach, samples: SAMPLES, seed: 1 }),
    }),
  );
  return {
    differences: result.differences.map(
      ({ table, column, of, index, chain }) =>
        `verify: ${table}.${column} of ${show(of)}: is ${show(index)}, chain says ${show(chain)}`,
    ),
    counts: { verified: valuesOf(result) },
  };
}
