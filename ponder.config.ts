import { createConfig, factory } from "ponder";
import { type AbiEvent, type Address, parseAbiItem } from "viem";
import { agentAdapterAbi } from "./abis/agentAdapter.ts";
import { agentRegistryAbi } from "./abis/agentRegistry.ts";
import {
  addedControllerAbi,
  basenamesControllerAbi,
  controllerCostAbi,
  controllerPremiumAbi,
  controllerReferrerAbi,
  lineanamesControllerAbi,
  renewalReferrerAbi,
} from "./abis/controllers.ts";
import { gatherFacts, withFacts } from "./abis/deploymentFacts.ts";
import { type ChainDeployment, listContracts, type Role } from "./abis/deployments.ts";
import { dnsTokenAbi } from "./abis/dnsToken.ts";
import {
  ensv2FactoryAbi,
  ensv2LabelStoreAbi,
  ensv2RegistrarAbi,
  ensv2RegistrarMarchAbi,
  ensv2RegistryAbi,
  ensv2RegistryFebruaryAbi,
  ensv2ResolverAbi,
  upgradedAbi,
} from "./abis/ensv2.ts";
import { dnsRegistrarAbi, shortNameClaimsAbi, subdomainRegistrarAbi } from "./abis/labelSources.ts";
import { nameWrapperAbi } from "./abis/nameWrapper.ts";
import { priceFeedAbi } from "./abis/priceFeed.ts";
import { auctionRegistrarAbi, basenamesRegistrarAbi, registrarAbi } from "./abis/registrar.ts";
import { registryAbi } from "./abis/registry.ts";
import { listedResolverAbi, resolverAbi, resolverUnindexedKeyAbi } from "./abis/resolver.ts";
import {
  basenamesReverseRegistrarAbi,
  defaultReverseRegistrarAbi,
  nameForAddrAbi,
  reverseRegistrarAbi,
} from "./abis/reverse.ts";
import { logsWithTransactions } from "./abis/transactionLogs.ts";
import { requirePatchedPonder } from "./patches/applied.js";
import { hideSecrets } from "./settings/hideSecrets.ts";
import { readSettings } from "./settings/settings.ts";

requirePatchedPonder();

// The first of our files that Ponder loads: before this it has asked neither node nor database.
hideSecrets(process.env, [process.stdout, process.stderr]);

const settings = readSettings(process.env);
const { deployment } = settings;
globalThis.namedexLogSources = {
  schema: settings.schema,
  byChain: settings.logSources,
  withTransactions: { [deployment.chainId]: logsWithTransactions(deployment) },
};
globalThis.namedexTransactionsAtOnce = settings.transactionsAtOnce;

/** Ponder starts with 20 requests a second for each URL of the list; repeating a URL raises that. */
const PONDER_START_RATE = 20;
const copies = Math.max(1, Math.floor(settings.rpcRequestsPerSecond / PONDER_START_RATE));

/** Chains of a developer's nodes start from nothing each time: poll them often, and cache nothing of them. */
const isLocal = (chain: ChainDeployment) => settings.network === "devnet" || chain.chainId === 31337;

const chains = Object.fromEntries(
  [deployment, ...deployment.layer2].map((chain) => [
    chain.name,
    {
      id: chain.chainId,
      rpc: Array.from({ length: copies }, () => settings.rpcUrls[chain.chainId] ?? []).flat(),
      pollingInterval: isLocal(chain) ? 100 : 1_000,
      disableCache: isLocal(chain),
    },
  ]),
);

type Place = { address?: Address[]; startBlock: number; endBlock?: number };

/** Addresses and blocks of a role's contracts, on each chain that has any; other chains are left out. */
function at(role: Role, ...generations: number[]): Record<string, Place> {
  return Object.fromEntries(
    [deployment, ...deployment.layer2].flatMap((chain) => {
      const entries = listContracts(chain, role, ...generations);
      if (entries.length === 0) return [];
      const ends = entries.map((entry) => entry.endBlock);
      const place: Place = {
        address: entries.map((entry) => entry.address),
        startBlock: Math.min(...entries.map((entry) => entry.startBlock)),
      };
      if (ends.every((end) => end !== undefined)) place.endBlock = Math.max(...ends);
      return [[chain.name, place]];
    }),
  );
}

/** Topics that a log must have besides that of its event. Only a filter by topic keeps other agents' logs out. */
type AgentFilters = [
  { event: "Registered"; args: { owner: Address[] } },
  { event: "URIUpdated"; args: { updatedBy: Address[] } },
  { event: "Transfer"; args: { from: Address[] } },
];

/** Registries of agents on chains that have an adapter, with a filter for the logs of the adapter's agents. */
function agentRegistries(): Record<string, Place & { filter: AgentFilters }> {
  const places = Object.entries(at("agent-registry")).flatMap(([chain, place]) => {
    const adapters = at("agent-adapter")[chain]?.address;
    if (adapters === undefined) return [];
    const filter: AgentFilters = [
      { event: "Registered", args: { owner: adapters } },
      { event: "URIUpdated", args: { updatedBy: adapters } },
      { event: "Transfer", args: { from: adapters } },
    ];
    return [[chain, { ...place, filter }] as const];
  });
  return Object.fromEntries(places);
}

type FoundPlace = { address: ReturnType<typeof factory>; startBlock: number };

/** The contracts of a role on layer 2s with names; none of the main chain. */
function onLayer2(role: Role): Record<string, Place> {
  const named = new Set(deployment.layer2.filter((chain) => chain.managedName).map((chain) => chain.name));
  return Object.fromEntries(Object.entries(at(role)).filter(([chain]) => named.has(chain)));
}

/** Contracts that a log of others tells of, from that log on. */
function foundBy(
  places: Record<string, Place>,
  signature: string,
  parameter: string,
): Record<string, FoundPlace> {
  const event = parseAbiItem(signature) as AbiEvent;
  return Object.fromEntries(
    Object.entries(places).map(([chain, { address = [], startBlock }]) => [
      chain,
      { address: factory({ address, event, parameter }), startBlock },
    ]),
  );
}

/**
 * Record events are indexed from any contract, because anyone can write a resolver. They can begin with the first
 * registry.
 */
const everywhere: Record<string, Place> = {
  [deployment.name]: {
    startBlock: Math.min(...listContracts(deployment, "registry").map((entry) => entry.startBlock)),
  },
};

/**
 * On a layer 2, unrelated contracts emit the same events by the million: there the listed resolvers are followed, and,
 * from the log on that names them, those that its registry names.
 */
const resolvers = { ...at("resolver"), ...everywhere };

const { ensv2 } = deployment;

/** Contracts of ENSv2, on the main chain; none without a block `ensv2` in the deployment. */
const ensv2At = (...address: (Address | undefined)[]): Record<string, Place> => {
  const known = address.filter((one) => one !== undefined);
  if (ensv2 === undefined || known.length === 0) return {};
  return { [deployment.name]: { address: known, startBlock: ensv2.startBlock } };
};

/**
 * Registries and resolvers that a listed factory deployed. It logs that last; but a log admits all of its block, and
 * before that block there was no such contract.
 */
function ensv2Proxies(): Record<string, FoundPlace> {
  if (ensv2 === undefined || ensv2.factories.length === 0) return {};
  const address = factory({ address: ensv2.factories, event: ensv2FactoryAbi[0], parameter: "proxyAddress" });
  return { [deployment.name]: { address, startBlock: ensv2.startBlock } };
}

/** Earlier layouts differ in what is indexed: the types of the arguments are the same. */
const ensv2Registries =
  ensv2?.layout === "2026-02"
    ? (ensv2RegistryFebruaryAbi as unknown as typeof ensv2RegistryAbi)
    : ensv2RegistryAbi;
const ensv2Registrars =
  ensv2?.layout === "2026-05" || ensv2 === undefined
    ? ensv2RegistrarAbi
    : (ensv2RegistrarMarchAbi as unknown as typeof ensv2RegistrarAbi);

const facts = gatherFacts(deployment, settings.archiveReads);

export default createConfig({
  database: { kind: "postgres", connectionString: settings.databaseUrl },
  ordering: "multichain",
  chains,
  contracts: {
    RegistryOld: { abi: registryAbi, chain: at("registry", 1) },
    Registry: { abi: withFacts(registryAbi, facts), chain: at("registry", 2) },
    AuctionRegistrar: { abi: auctionRegistrarAbi, chain: at("registrar", 0) },
    RegistrarOld: { abi: registrarAbi, chain: at("registrar", 1) },
    BaseRegistrar: { abi: registrarAbi, chain: at("registrar", 2, 3) },
    BasenamesRegistrar: { abi: basenamesRegistrarAbi, chain: at("registrar", 3) },
    LegacyController1: { abi: controllerCostAbi, chain: at("controller", 1) },
    LegacyController2: { abi: controllerCostAbi, chain: at("controller", 2) },
    LegacyController3: { abi: controllerCostAbi, chain: at("controller", 3) },
    WrappedController: { abi: controllerPremiumAbi, chain: at("controller", 4) },
    UnwrappedController: { abi: controllerReferrerAbi, chain: at("controller", 5) },
    BasenamesController: { abi: basenamesControllerAbi, chain: at("controller", 6) },
    LineanamesController: { abi: lineanamesControllerAbi, chain: at("controller", 7) },
    AddedController: {
      abi: addedControllerAbi,
      chain: foundBy(
        at("registrar", 1, 2, 3),
        "event ControllerAdded(address indexed controller)",
        "controller",
      ),
    },
    WrapperController: {
      abi: addedControllerAbi,
      chain: foundBy(
        at("wrapper"),
        "event ControllerChanged(address indexed controller, bool active)",
        "controller",
      ),
    },
    DnsToken: { abi: dnsTokenAbi, chain: at("dns-token") },
    PriceFeed: { abi: priceFeedAbi, chain: at("price-feed") },
    DnsRegistrar: { abi: dnsRegistrarAbi, chain: at("dns-registrar") },
    SubdomainRegistrar: { abi: subdomainRegistrarAbi, chain: at("subdomain-registrar") },
    ShortNameClaims: { abi: shortNameClaimsAbi, chain: at("short-name-claims") },
    RenewalReferrer: { abi: renewalReferrerAbi, chain: at("renewal-referrer") },
    NameWrapper: { abi: nameWrapperAbi, chain: at("wrapper") },
    Resolver: { abi: resolverAbi, chain: resolvers },
    FoundResolver: {
      abi: resolverAbi,
      chain: foundBy(
        onLayer2("registry"),
        "event NewResolver(bytes32 indexed node, address resolver)",
        "resolver",
      ),
    },
    ResolverUnindexedKey: { abi: resolverUnindexedKeyAbi, chain: everywhere },
    ListedResolver: { abi: listedResolverAbi, chain: at("resolver") },
    DefaultReverseResolver: { abi: listedResolverAbi, chain: at("reverse-resolver") },
    ReverseRegistrar: { abi: reverseRegistrarAbi, chain: at("reverse-registrar", 3) },
    BasenamesReverseRegistrar: { abi: basenamesReverseRegistrarAbi, chain: at("reverse-registrar", 4) },
    DefaultReverseRegistrar: { abi: defaultReverseRegistrarAbi, chain: at("default-reverse-registrar") },
    L2ReverseRegistrar: { abi: nameForAddrAbi, chain: at("l2-reverse-registrar") },
    Ensv2RootRegistry: { abi: ensv2Registries, chain: ensv2At(ensv2?.rootRegistry) },
    Ensv2EthRegistry: { abi: ensv2Registries, chain: ensv2At(ensv2?.ethRegistry) },
    Ensv2ProxyRegistry: { abi: ensv2Registries, chain: ensv2Proxies() },
    Ensv2Registrar: { abi: ensv2Registrars, chain: ensv2At(...(ensv2?.registrars ?? [])) },
    Ensv2RenewerV1: { abi: ensv2Registrars, chain: ensv2At(...(ensv2?.renewersV1 ?? [])) },
    Ensv2Factory: { abi: ensv2FactoryAbi, chain: ensv2At(...(ensv2?.factories ?? [])) },
    Ensv2LabelStore: { abi: ensv2LabelStoreAbi, chain: ensv2At(...(ensv2?.labelStores ?? [])) },
    Ensv2Resolver: { abi: ensv2ResolverAbi, chain: ensv2Proxies() },
    Ensv2UniversalResolver: {
      abi: upgradedAbi,
      chain: ensv2At(ensv2?.universalResolver?.top, ensv2?.universalResolver?.managed),
    },
    AgentAdapter: { abi: agentAdapterAbi, chain: at("agent-adapter") },
    AgentRegistry: { abi: agentRegistryAbi, chain: agentRegistries() },
  },
});
