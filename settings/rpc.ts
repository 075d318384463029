import { z } from "zod";
import type { Deployment } from "../abis/deployments.ts";
import { type Given, SettingsError } from "./fault.ts";
import type { Network } from "./network.ts";
import { onOrOff, readUrls } from "./words.ts";

/** How the chain is asked, by the indexer and for live answers. */
export type RpcSettings = {
  /** The chains that are indexed: the main one, and the layer 2s for which an RPC URL is set. */
  deployment: Deployment;
  /** RPC URLs of the indexer, by chain id. */
  rpcUrls: Record<number, string[]>;
  /** Requests a second at which indexing starts on each URL; it then speeds up by itself. */
  rpcRequestsPerSecond: number;
  /** RPC URLs for answers from the chain at request time; empty if there are none. */
  liveRpcUrls: string[];
  /** Whether gateways that resolvers name (CCIP-Read) may be at loopback addresses: for development only. */
  loopbackGateways: boolean;
  /** Whether the indexer reads contract state at past blocks (needs an archive node). */
  archiveReads: boolean;
};

export const rpcVariables = z.object({
  LIVE_RPC_URL: z.string().optional(),
  CCIP_LOOPBACK: onOrOff.optional(),
  RPC_REQUESTS_PER_SECOND: z.coerce.number().int().min(1).max(10_000).default(200),
  ARCHIVE_READS: onOrOff.optional(),
});

export const rpcExpectations = {
  CCIP_LOOPBACK: ["on or off", "off"],
  RPC_REQUESTS_PER_SECOND: ["a whole number from 1 to 10000", "200"],
  ARCHIVE_READS: ["on or off", "off"],
} as const;

type RpcValues = z.output<typeof rpcVariables> & { ENS_NETWORK: Network };

/** What needs a node or gateways of one's own is on by itself on a devnet alone. */
export function toRpcSettings(known: RpcValues, given: Given, deployment: Deployment): RpcSettings {
  const usual = known.ENS_NETWORK === "devnet" ? "on" : "off";
  const rpcUrls = readRpcUrls(deployment, known, given);
  return {
    deployment: { ...deployment, layer2: deployment.layer2.filter((chain) => rpcUrls[chain.chainId]) },
    rpcUrls,
    rpcRequestsPerSecond: known.RPC_REQUESTS_PER_SECOND,
    liveRpcUrls: readLiveUrls(known, rpcUrls[deployment.chainId] ?? []),
    loopbackGateways: (known.CCIP_LOOPBACK ?? usual) === "on",
    archiveReads: (known.ARCHIVE_READS ?? usual) === "on",
  };
}

function readRpcUrls(
  deployment: Deployment,
  { ENS_NETWORK }: RpcValues,
  given: Given,
): Record<number, string[]> {
  const urls: Record<number, string[]> = {};
  for (const { chainId } of [deployment, ...deployment.layer2]) {
    const name = `RPC_URL_${chainId}`;
    const value = given[name];
    if (value !== undefined) urls[chainId] = readUrls(name, value);
  }
  if (urls[deployment.chainId] === undefined) {
    if (ENS_NETWORK !== "devnet") {
      throw new SettingsError(
        `RPC_URL_${deployment.chainId} is not set: expected http(s) URLs of a node of ${deployment.name}, comma-separated, for example RPC_URL_${deployment.chainId}=https://rpc.example.org`,
      );
    }
    urls[deployment.chainId] = ["http://127.0.0.1:8545"];
  }
  return urls;
}

/** Without a setting, a devnet's own node is asked; a public one has limits that are the operator's to spend. */
function readLiveUrls({ ENS_NETWORK, LIVE_RPC_URL }: RpcValues, devnetUrls: string[]): string[] {
  if (LIVE_RPC_URL !== undefined) return readUrls("LIVE_RPC_URL", LIVE_RPC_URL);
  return ENS_NETWORK === "devnet" ? devnetUrls : [];
}
