import type { LiveObserver } from "../../names/live/cache.ts";
import type { Gateways } from "../../names/live/ccip/gatewayClient.ts";
import type { Rpc } from "../../names/live/rpc.ts";
import type { Meters } from "./meters.ts";

/** Counts where live answers come from, and which step fails. */
export const observeLive = ({ liveQuestions, liveFailures }: Meters): LiveObserver => ({
  answered: (from) => liveQuestions.inc({ from }),
  failed: (step) => liveFailures.inc({ step }),
});

/** The nodes; each call is counted. */
export const countedRpc = (rpc: Rpc, { liveCalls }: Meters): Rpc => ({
  ...rpc,
  call: (...args) => {
    liveCalls.inc({ to: "node" });
    return rpc.call(...args);
  },
  block: (...args) => {
    liveCalls.inc({ to: "node" });
    return rpc.block(...args);
  },
});

/** The CCIP-Read gateways; each call is counted. */
export const countedGateways = (gateways: Gateways, { liveCalls }: Meters): Gateways => ({
  ...gateways,
  ask: (...args: Parameters<Gateways["ask"]>) => {
    liveCalls.inc({ to: "gateway" });
    return gateways.ask(...args);
  },
});
