import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterEach, beforeEach } from "vitest";
import { type GatewayProcess, type RunningGateway, startGateway, startGatewayHere } from "./gateway.ts";
import type { Upstream } from "./upstream.ts";

/** How long this process, which runs the indexers, was held up during a test, in nanoseconds. */
const holdUps = monitorEventLoopDelay({ resolution: 20 });
holdUps.enable();
beforeEach(() => holdUps.reset());

/**
 * An indexer that is silent for seconds is rightly dropped. Such a test counts only if our
 * indexers had time to speak.
 */
export const unlessHeldUp = { retry: { count: 2, condition: () => holdUps.max > 1e9 } };

/** What one test started. It ends with the test. */
const running: { ends: (() => unknown)[]; upstreams: Upstream[] } = { ends: [], upstreams: [] };

afterEach(async () => {
  await Promise.all(running.ends.splice(0).map((end) => end()));
  await Promise.all(running.upstreams.splice(0).map((upstream) => upstream.kill().catch(() => {})));
});

/** A gateway in front of these indexers until the test ends. */
export async function open(
  upstreams: Upstream[],
  settings: Record<string, string> = {},
): Promise<RunningGateway> {
  running.upstreams.push(...upstreams);
  const gateway = await startGatewayHere(upstreams, settings);
  // It would wait for callers that stay until their timeout. Do not wait for them.
  running.ends.push(() => void gateway.stop());
  return gateway;
}

/** The same in a separate process. */
export async function openProcess(
  upstreams: Upstream[],
  settings: Record<string, string> = {},
): Promise<GatewayProcess> {
  running.upstreams.push(...upstreams);
  const gateway = await startGateway(upstreams, settings);
  running.ends.push(() => gateway.stop("SIGKILL"));
  return gateway;
}
