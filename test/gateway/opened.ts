import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterEach, beforeEach } from "vitest";
import { type GatewayProcess, type RunningGateway, startGateway, startGatewayHere } from "./gateway.ts";
import type { Upstream } from "./upstream.ts";

/** For how long this process, in which the indexers live, was held up during a test, in nanoseconds. */
const holdUps = monitorEventLoopDelay({ resolution: 20 });
holdUps.enable();
beforeEach(() => holdUps.reset());

/** An indexer that says nothing for seconds is rightly left: such a test counts only where ours had the time to speak. */
export const unlessHeldUp = { retry: { count: 2, condition: () => holdUps.max > 1e9 } };

/** What one test started: ended with it. */
const running: { ends: (() => unknown)[]; upstreams: Upstream[] } = { ends: [], upstreams: [] };

afterEach(async () => {
  await Promise.all(running.ends.splice(0).map((end) => end()));
  await Promise.all(running.upstreams.splice(0).map((upstream) => upstream.kill().catch(() => {})));
});

/** A gateway before these indexers, until the test ends. */
export async function open(
  upstreams: Upstream[],
  settings: Record<string, string> = {},
): Promise<RunningGateway> {
  running.upstreams.push(...upstreams);
  const gateway = await startGatewayHere(upstreams, settings);
  // It waits for callers who stay until their time is up: not for them.
  running.ends.push(() => void gateway.stop());
  return gateway;
}

/** The same in a process of its own. */
export async function openProcess(
  upstreams: Upstream[],
  settings: Record<string, string> = {},
): Promise<GatewayProcess> {
  running.upstreams.push(...upstreams);
  const gateway = await startGateway(upstreams, settings);
  running.ends.push(() => gateway.stop("SIGKILL"));
  return gateway;
}
