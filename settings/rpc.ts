import { layer2 } from "../abis/deployments/layer2.ts";
import type { Deployment } from "../abis/deployments.ts";
import { check, complaint, type Given, SettingsError } from "./check.ts";
import { httpUrls, onOrOff, wholeNumber } from "./kinds.ts";
import type { Network } from "./network.ts";
import { optional, type ValuesOf, withDefault } from "./variable.ts";

/** How the indexer reads the chain, and how answers at request time do. */
export type RpcSettings = {
  /** The chains that are indexed: the main one, and each layer 2 whose RPC URL is set. */
  deployment: Deployment;
  /** RPC URLs of the indexer, by chain id. */
  rpcUrls: Record<number, string[]>;
  /** Requests per second at which indexing starts on each URL; Ponder then speeds up by itself. */
  rpcRequestsPerSecond: number;
  /** RPC URLs for answers from the chain at request time; empty if there are none. */
  liveRpcUrls: string[];
  /** Whether CCIP-Read gateways may be at loopback addresses: for development only. */
  loopbackGateways: boolean;
  /** Whether the indexer reads contract state at past blocks (needs an archive node). */
  archiveReads: boolean;
};

const layer2Urls = layer2.map(({ name, chainId }) => `\`RPC_URL_${chainId}\` (${name})`).join(", ");

/** One variable for each chain: `RPC_URL_1` for mainnet. */
export const rpcUrlVariable = optional(httpUrls(), {
  example: "https://rpc.example.org",
  unset: "devnet: `http://127.0.0.1:8545`; else required for the network itself",
  meaning: `RPC URLs of the indexer, one variable per chain: \`RPC_URL_1\` for mainnet, \`RPC_URL_11155111\` for Sepolia. Primary names of a layer 2 are indexed if its URL is set: ${layer2Urls}.`,
});

export const rpcVariables = {
  LIVE_RPC_URL: optional(httpUrls(), {
    example: "https://rpc.example.org",
    unset: "devnet: the local chain",
    meaning:
      "RPC URLs for answers from the chain at request time. If there are none, names that need on-chain resolution answer `LIVE_RESOLUTION_FAILED`.",
  }),
  CCIP_LOOPBACK: optional(onOrOff, {
    example: "off",
    unset: "devnet: `on`; else `off`",
    meaning:
      "Whether CCIP-Read gateways of resolvers may be at loopback addresses and use plain http. For development only.",
  }),
  RPC_REQUESTS_PER_SECOND: withDefault(200, wholeNumber({ from: 1, to: 10_000 }), {
    meaning:
      "Requests per second at which indexing starts on each URL. Indexing speeds up while the node keeps up. Lower it if your plan has a rate limit.",
  }),
  ARCHIVE_READS: optional(onOrOff, {
    example: "off",
    unset: "devnet: `on`; else `off`",
    meaning:
      "Whether the indexer reads contract state at past blocks, which needs an archive node. It then knows text values that old resolvers did not log, and exact prices of wrapped renewals. A change asks for a new index.",
  }),
};

type RpcValues = ValuesOf<typeof rpcVariables> & { ENS_NETWORK: Network };

/** What needs an archive node or local gateways is on by default on a devnet only. */
export function toRpcSettings(known: RpcValues, given: Given, deployment: Deployment): RpcSettings {
  const usual = known.ENS_NETWORK === "devnet" ? "on" : "off";
  const rpcUrls = readRpcUrls(deployment, known, given);
  return {
    deployment: { ...deployment, layer2: deployment.layer2.filter((chain) => rpcUrls[chain.chainId]) },
    rpcUrls,
    rpcRequestsPerSecond: known.RPC_REQUESTS_PER_SECOND,
    liveRpcUrls: liveUrls(known, rpcUrls[deployment.chainId] ?? []),
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
    const value = check({ [name]: rpcUrlVariable }, given)[name];
    if (value !== undefined) urls[chainId] = value;
  }
  urls[deployment.chainId] ??= defaultRpcUrls(deployment, ENS_NETWORK);
  return urls;
}

function defaultRpcUrls({ chainId, name }: Deployment, network: Network): string[] {
  if (network === "devnet") return ["http://127.0.0.1:8545"];
  const expected = `http(s) URLs of a node of ${name}, comma-separated`;
  throw new SettingsError(complaint(`RPC_URL_${chainId}`, { ...rpcUrlVariable, expected }));
}

/** A devnet's own node is asked by default. A public node has limits, so the operator has to choose one. */
const liveUrls = ({ ENS_NETWORK, LIVE_RPC_URL }: RpcValues, devnetUrls: string[]): string[] =>
  LIVE_RPC_URL ?? (ENS_NETWORK === "devnet" ? devnetUrls : []);
