import type { Contracts } from "../../../abis/contracts.ts";
import type { Settings } from "../../../settings/settings.ts";
import { createGateways } from "../names/live/ccip/gatewayClient.ts";
import { liveContractsOf } from "../names/live/deployment.ts";
import { createLive } from "../names/live/live.ts";
import { createPrices } from "../names/live/prices/priceTerms.ts";
import { sellersOf } from "../names/live/prices/sellers.ts";
import { createRpc } from "../names/live/rpc.ts";
import { countedGateways, countedRpc, observeLive } from "../server/observe/live.ts";
import type { Meters } from "../server/observe/meters.ts";
import { liveAnswersIn } from "../server/serviceDb/liveAnswers.ts";
import type { Store } from "../server/serviceDb/store.ts";

type ChainsPlan = { settings: Settings; contracts: Contracts; store: Store; meters: Meters };

/** The service's own chain reads count as one caller's. */
export const OWN_SHARE = "the service";

/** Reads of the chains at request time. */
export function createChains({ settings, contracts, store, meters }: ChainsPlan) {
  const { deployment, liveRpcUrls, liveRequestsPerSecond: requestsPerSecond } = settings;
  const rpcOf = (urls: readonly string[]) => countedRpc(createRpc({ urls, requestsPerSecond }), meters);
  const liveFor = createLive({
    rpc: rpcOf(liveRpcUrls),
    gateways: countedGateways(
      createGateways({ allowLoopback: settings.loopbackGateways, ownHosts: ownHostsOf(settings) }),
      meters,
    ),
    answers: liveAnswersIn(store, contracts),
    contracts: liveContractsOf(deployment),
    observer: observeLive(meters),
  });
  /** Nodes of the layer 2s. At request time they are asked for prices only. */
  const rpcOfLayer2 = new Map(
    Object.entries(settings.rpcUrls).map(([id, urls]) => [
      Number(id),
      rpcOf(liveRpcUrls.length > 0 ? urls : []),
    ]),
  );
  return {
    /** Live reads in the share of a caller. */
    liveFor,
    prices: createPrices({
      sellers: sellersOf(deployment),
      reach: (id) => {
        const own = liveFor(OWN_SHARE).reach();
        const ofLayer2 = id === contracts.chainId ? undefined : rpcOfLayer2.get(id);
        return { ...own, ...(ofLayer2 && { rpc: ofLayer2 }) };
      },
    }),
    /** The nodes of a chain, null without any; the main chain's in the share of a caller. */
    nodesOf: (id: number, caller: string) => {
      const { rpc, ...others } = liveFor(caller).reach();
      const found = id === contracts.chainId ? rpc : rpcOfLayer2.get(id);
      return found?.isConfigured ? { ...others, rpc: found } : null;
    },
  };
}

/** Hosts at which the service itself answers: it sends no requests there. */
export const ownHostsOf = ({ publicUrls }: Pick<Settings, "publicUrls">): string[] =>
  publicUrls.map((url) => new URL(url).host);
