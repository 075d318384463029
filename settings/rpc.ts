import { layer2Of } from "../abis/deployments/layer2.ts";
import type { Deployment } from "../abis/deployments.ts";
import { check, complaint, type Given, SettingsError } from "./check.ts";
import { digits, httpUrls, httpUrlsOrOff, onOrOff, wholeNumber } from "./kinds.ts";
import { type ChainLogSource, readLogSources } from "./logSource.ts";
import type { Network } from "./network.ts";
import { optional, type ValuesOf, withDefault } from "./variable.ts";

/** How the indexer reads the chain, and how answers at request time do. */
export type RpcSettings = {
  /** The chains that are indexed: the main one, and each layer 2 whose RPC URL is set. */
  deployment: Deployment;
  /** RPC URLs of the indexer, by chain id. */
  rpcUrls: Record<number, string[]>;
  /** Where past logs come from in place of RPC: a Portal's URL or an archive's folder, by chain id. */
  logSources: Record<number, ChainLogSource>;
  /** Requests per second at which indexing starts on each URL; Ponder then speeds up by itself. */
  rpcRequestsPerSecond: number;
  /** Past transactions that the indexer fetches before the index is ready. */
  transactionsAtOnce: number;
  /** Requests per second for the rest, fetched in the background. */
  transactionsPerSecond: number;
  /** RPC URLs for answers from the chain at request time: the indexer's, unless others are named; empty if off. */
  liveRpcUrls: string[];
  /** Requests per second that answers at request time send, to all their URLs together. */
  liveRequestsPerSecond: number;
  /** Whether CCIP-Read gateways may be at loopback addresses: for development only. */
  loopbackGateways: boolean;
  /** Whether the indexer reads contract state at past blocks (needs an archive node). */
  archiveReads: boolean;
};

const urlOf = ({ name, chainId }: { name: string; chainId: number }) => `\`RPC_URL_${chainId}\` (${name})`;

const chainsOfLayer2 = [...layer2Of("mainnet"), ...layer2Of("sepolia")];
const withNames = chainsOfLayer2.flatMap(({ managedName, ...chain }) =>
  managedName ? `${urlOf(chain)}: ${managedName.name}` : [],
);
const withoutNames = chainsOfLayer2.filter(({ managedName }) => managedName === undefined).map(urlOf);

/** Ponder sends requests by `fetch`, which refuses such a URL, and would try again for a minute before it says so. */
const isWithoutLogin = ({ username, password }: URL): boolean => username === "" && password === "";

const indexerUrls = httpUrls(
  "comma-separated http(s) URLs without user and password (put a key in the path or the query)",
  isWithoutLogin,
);

/** One variable for each chain: `RPC_URL_1` for mainnet. */
export const rpcUrlVariable = optional(indexerUrls, {
  example: "https://rpc.example.org",
  unset: "devnet: `http://127.0.0.1:8545`; else required for the main chain",
  meaning: `RPC URLs for the indexer, one variable per chain: \`RPC_URL_1\` for mainnet, \`RPC_URL_11155111\` for Sepolia. Setting a layer 2's URL indexes its primary names, and the names below its own name (${withNames.join(", ")}); ${withoutNames.join(", ")} have primary names only. Layer 2 names [cost more](performance.md#names-of-layer-2). Adding or removing a chain requires a new index. A URL for an unknown chain is an error.`,
});

export const rpcVariables = {
  LIVE_RPC_URL: optional(httpUrlsOrOff, {
    example: "https://rpc.example.org",
    unset: "the indexer's URLs for the main chain",
    meaning:
      "RPC URLs for reading the chain at request time. Use separate ones to keep callers from using up your indexer's plan. With `off`, the chain is never read: answers that need it fail with `LIVE_RESOLUTION_FAILED`, and there are no prices. Prices on a layer 2 come from its `RPC_URL_<chain id>`, at most once a block, unless this is `off`.",
  }),
  LIVE_REQUESTS_PER_SECOND: withDefault(60, digits({ from: 1, to: 10_000 }), {
    meaning:
      "Average requests per second that each process sends to `LIVE_RPC_URL`. A request that would wait more than 10 seconds fails at once. At the default, a bulk request of 500 live names takes 8 seconds, and callers can cause at most 5.2 million requests a day.",
  }),
  CCIP_LOOPBACK: optional(onOrOff, {
    example: "off",
    unset: "devnet: `on`; else `off`",
    meaning:
      "Allows CCIP-Read gateways and webhook receivers at loopback addresses and over plain http. For development only.",
  }),
  RPC_REQUESTS_PER_SECOND: withDefault(200, wholeNumber({ from: 1, to: 10_000 }), {
    meaning:
      "Initial requests per second to each URL while indexing. The rate rises while the node keeps up. Lower it if your plan has a rate limit.",
  }),
  TRANSACTIONS_AT_ONCE: withDefault(5_000, wholeNumber({ from: 0, to: 1_000_000_000 }), {
    meaning:
      "Past transactions that each start fetches before the index is ready. The rest are [fetched in the background](first-index.md#transactions). With `ARCHIVE_READS`, all are fetched before.",
  }),
  TRANSACTIONS_PER_SECOND: optional(wholeNumber({ from: 1, to: 10_000 }), {
    example: "25",
    unset: "a quarter of `RPC_REQUESTS_PER_SECOND`",
    meaning: "Requests per second and chain for transactions fetched in the background.",
  }),
  ARCHIVE_READS: optional(onOrOff, {
    example: "off",
    unset: "devnet: `on`; else `off`",
    meaning:
      "Reads contract state at past blocks, which needs an archive node. The index then has text values that old resolvers did not log, primary names at reverse resolvers without events and, where no price feed is known, prices of wrapped renewals. Changing it requires a new index.",
  }),
};

type RpcValues = ValuesOf<typeof rpcVariables> & { ENS_NETWORK: Network };

/** What needs an archive node or local gateways is on by default on a devnet only. */
export function toRpcSettings(known: RpcValues, given: Given, deployment: Deployment): RpcSettings {
  const usual = known.ENS_NETWORK === "devnet" ? "on" : "off";
  const rpcUrls = readRpcUrls(deployment, known, given);
  const archiveReads = (known.ARCHIVE_READS ?? usual) === "on";
  const followed = { ...deployment, layer2: deployment.layer2.filter((chain) => rpcUrls[chain.chainId]) };
  return {
    deployment: followed,
    rpcUrls,
    logSources: readLogSources(followed, given),
    rpcRequestsPerSecond: known.RPC_REQUESTS_PER_SECOND,
    // A value that no transaction tells can be read at its own block only while that is indexed.
    transactionsAtOnce: archiveReads ? Number.POSITIVE_INFINITY : known.TRANSACTIONS_AT_ONCE,
    transactionsPerSecond:
      known.TRANSACTIONS_PER_SECOND ?? Math.max(1, Math.floor(known.RPC_REQUESTS_PER_SECOND / 4)),
    liveRpcUrls: liveUrls(known, rpcUrls[deployment.chainId] ?? []),
    liveRequestsPerSecond: known.LIVE_REQUESTS_PER_SECOND,
    loopbackGateways: (known.CCIP_LOOPBACK ?? usual) === "on",
    archiveReads,
  };
}

function readRpcUrls(
  deployment: Deployment,
  { ENS_NETWORK }: RpcValues,
  given: Given,
): Record<number, string[]> {
  refuseUnknownChains(deployment, given);
  const urls: Record<number, string[]> = {};
  for (const { chainId } of [deployment, ...deployment.layer2]) {
    const name = `RPC_URL_${chainId}`;
    const value = check({ [name]: rpcUrlVariable }, given)[name];
    if (value !== undefined) urls[chainId] = value;
  }
  urls[deployment.chainId] ??= defaultRpcUrls(deployment, ENS_NETWORK);
  return urls;
}

/** The chains of all networks: one file may have the settings of several. */
const knownChains = [1, 11155111, 31337, ...chainsOfLayer2.map(({ chainId }) => chainId)];

/** A variable of a chain that no network has would have no effect, and no one would see. */
function refuseUnknownChains({ name, chainId, layer2 }: Deployment, given: Given): void {
  const own = [chainId, ...layer2.map((chain) => chain.chainId)];
  const complaints = Object.entries(given).flatMap(([variable, value]) => {
    const [, stem, id] = /^(RPC_URL|LOG_SOURCE)_(\d+)$/.exec(variable) ?? [];
    if (id === undefined || !value || [...own, ...knownChains].includes(Number(id))) return [];
    return [
      `${variable} is not a chain of ${name}: expected ${own.map((one) => `${stem}_${one}`).join(", ")}`,
    ];
  });
  if (complaints.length > 0) throw new SettingsError(complaints.join("\n"));
}

function defaultRpcUrls({ chainId, name }: Deployment, network: Network): string[] {
  if (network === "devnet") return ["http://127.0.0.1:8545"];
  const expected = `comma-separated http(s) URLs of a ${name} node`;
  throw new SettingsError(complaint(`RPC_URL_${chainId}`, { ...rpcUrlVariable, expected }));
}

const liveUrls = ({ LIVE_RPC_URL = [] }: RpcValues, indexerUrls: string[]): string[] => {
  if (LIVE_RPC_URL === "off") return [];
  return LIVE_RPC_URL.length > 0 ? LIVE_RPC_URL : indexerUrls;
};
