import { afterEach } from "vitest";
import { type GatewayProcess, startGateway } from "./gateway.ts";
import type { Upstream } from "./upstream.ts";

/** What one test started: ended with it. */
const running: { gateways: GatewayProcess[]; upstreams: Upstream[] } = { gateways: [], upstreams: [] };

afterEach(async () => {
  await Promise.all(running.gateways.splice(0).map((gateway) => gateway.stop("SIGKILL")));
  await Promise.all(running.upstreams.splice(0).map((upstream) => upstream.kill().catch(() => {})));
});

/** A gateway before these indexers, until the test ends. */
export async function open(
  upstreams: Upstream[],
  settings: Record<string, string> = {},
): Promise<GatewayProcess> {
  running.upstreams.push(...upstreams);
  const gateway = await startGateway(upstreams, settings);
  running.gateways.push(gateway);
  return gateway;
}
