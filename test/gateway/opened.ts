import { monitorEventLoopDelay } from "node:perf_hooks";
import { onTestFinished } from "vitest";
import { type GatewayProcess, type RunningGateway, startGateway, startGatewayHere } from "./gateway.ts";
import type { Upstream } from "./upstream.ts";

/** How long this process, which runs the indexers, was held up during a test, in nanoseconds. */
const holdUps = monitorEventLoopDelay({ resolution: 20 });
holdUps.enable();

/**
 * An indexer that is silent for seconds is rightly dropped. Such a test counts only if our
 * indexers had time to speak.
 */
export const unlessHeldUp = { retry: { count: 2, condition: () => holdUps.max > 1e9 } };

/** Ends with the test what it started. Hooks of this module would be those of the first file only that shares a process. */
function endWithTest(upstreams: Upstream[], end: () => unknown): void {
  onTestFinished(async () => {
    await end();
    await Promise.all(upstreams.map((upstream) => upstream.kill().catch(() => {})));
  });
}

/** A gateway in front of these indexers until the test ends. */
export async function open(
  upstreams: Upstream[],
  settings: Record<string, string> = {},
): Promise<RunningGateway> {
  holdUps.reset();
  const gateway = await startGatewayHere(upstreams, settings);
  // It would wait for callers that stay until their timeout. Do not wait for them.
  endWithTest(upstreams, () => void gateway.stop());
  return gateway;
}

/** The same in a separate process. */
export async function openProcess(
  upstreams: Upstream[],
  settings: Record<string, string> = {},
): Promise<GatewayProcess> {
  holdUps.reset();
  const gateway = await startGateway(upstreams, settings);
  endWithTest(upstreams, () => gateway.stop("SIGKILL"));
  return gateway;
}
