import { comparisonSetting } from "../../src/api/names/comparison/listChecks.ts";
import { createGateways } from "../../src/api/names/live/ccip/gatewayClient.ts";
import { liveContractsOf } from "../../src/api/names/live/deployment.ts";
import { createLive, type Live } from "../../src/api/names/live/live.ts";
import { createPrices } from "../../src/api/names/live/prices/priceTerms.ts";
import { sellersOf } from "../../src/api/names/live/prices/sellers.ts";
import { createRpc } from "../../src/api/names/live/rpc.ts";
import type { Ctx } from "../../src/api/server/http/context.ts";
import { deployment } from "./rows.ts";

/** Chain access through nodes at these URLs. */
const asking = (urls: readonly string[]): Live =>
  createLive({
    rpc: createRpc({ urls }),
    gateways: createGateways({ allowLoopback: false }),
    answers: {
      find: async () => new Map(),
      findRecent: async () => new Map(),
      put: async () => {},
      removeOld: async () => {},
    },
    contracts: {
      ...liveContractsOf(deployment),
      universalResolver: "0x00000000000000000000000000000000000000f0",
    },
  })("test");

/** A configured but dead node: nothing listens at this port. */
export const lostNode: Live = asking(["http://127.0.0.1:9"]);

/** Operations that always ask the chain, and fail without a node. */
export const needsNode: readonly string[] = ["/domain/{name}/verify", "/domain/{name}/price"];

/** The chain access of a request's context without a configured node: every question fails. */
export const noChain: Pick<
  Ctx,
  "live" | "liveBlock" | "prices" | "provenLabels" | "freshness" | "namesAt" | "comparison"
> = {
  live: asking([]),
  liveBlock: async () => ({ number: 1, timestamp: 1 }),
  prices: createPrices({
    sellers: sellersOf({ ...deployment, layer2: [] }),
    reach: () => asking([]).reach(),
  }),
  comparison: { setting: comparisonSetting(deployment), note: () => {} },
  provenLabels: { find: async () => new Map(), countAfter: async () => 0, remember: () => {} },
  namesAt: "https://names.example/explore/name/",
  freshness: {
    require: async () => {},
    report: () => Promise.reject(new Error("There is no index here to report of")),
    watch: () => {},
  },
};
