import type { Address, Hex } from "viem";
import type {
  ChainDeployment,
  ContractEntry,
  Deployment,
  Ensv2Deployment,
  Layer2Deployment,
  Role,
} from "./deployments.ts";
import { type ManagedName, managedNameOf } from "./layer2/managedNames.ts";

/** What the API has to know about the deployment's contracts, found by address. */
export type Contracts = {
  /** Chain id of the registry. */
  chainId: number;
  /** Chains with names: the main one first, then each layer 2 with a managed name. */
  chainIds: number[];
  /** Every chain of the deployment, the main one first: also layer 2s of which only claimed names and agents are indexed. */
  indexedChainIds: number[];
  /** The names whose subnames an indexed layer 2 keeps. */
  managed: Managed[];
  /** The word for a chain of the deployment; the id itself for a chain that is no part of it. */
  chainName: (chainId: number) => string;
  /** True if a resolver answers exactly what its events said, so that the index may answer for it. */
  isIndexedResolver: (resolver: Address, chainId?: number) => boolean;
  /** The resolvers that a chain of the deployment lists, and those of them that the index may answer for. */
  resolversOf: (chainId: number) => ResolversOfChain;
  /** Every resolver that the deployment lists, lower case as in SQL. */
  listedResolvers: Address[];
  /** Resolvers that the index may answer for, lower case as in SQL. */
  indexedResolvers: Address[];
  /**
   * True if a resolver answers the record of the default coin type for every EVM chain without a record of its own.
   * Source: ENSIP-19; ens-contracts, contracts/resolvers/profiles/AddrResolver.sol of 2025; base/basenames,
   * src/L2/resolver/AddrResolver.sol.
   */
  answersDefaultAddress: (resolver: Address, chainId?: number) => boolean;
  /** Where addresses claim names: each family of reverse registrars, on each chain of the deployment that has it. */
  reverseRegistrars: { registrar: string; chainId: number }[];
  /** The NameWrapper, lower case as in SQL; undefined where the deployment has none. */
  wrapper: Address | undefined;
  /** The NameWrappers of all chains, lower case. */
  wrappers: readonly Address[];
  /** The contracts that decide who may change names of a chain. */
  nameContracts: (chainId: number) => NameContracts;
  /** Where agents are bound to tokens: each chain of the deployment that has an adapter, with its registry. */
  agentHomes: AgentHome[];
  /** Contracts whose tokens are names, lower case. */
  nameTokens: { registrars: Address[]; wrappers: Address[] };
  /** ENSv2; undefined where the deployment has none. */
  ensv2: Ensv2Contracts | undefined;
  /** What answers call an emitter: its family, with the deployment block where a family has several contracts. */
  contractLabel: (emitter: { family: string; chainId: number; address: Hex }) => string;
  /**
   * What people call a contract of the deployment; its `contractLabel` where the deployment gives no title, undefined for
   * other addresses. Without a chain, any chain's.
   *
   * @example contractTitle("0xF29100983E058B709F3D539b0c765937B804AC15") // "Public Resolver (2025)"
   */
  contractTitle: (address: string, chainId?: number) => string | undefined;
};

/** The contracts of ENSv2, lower case as in SQL. */
export type Ensv2Contracts = Pick<
  Ensv2Deployment,
  "paymentTokens" | "graceSeconds" | "premiumSeconds" | "bonusSeconds"
> & {
  rootRegistry: Address;
  ethRegistry: Address;
  /** Code of registries that the index may answer for; the wrapper registries are among them. */
  registryCode: ReadonlySet<Address>;
  wrapperCode: ReadonlySet<Address>;
  resolverCode: ReadonlySet<Address>;
  /** Senders of a registration that migrate names. */
  migrationControllers: ReadonlySet<Address>;
  /**
   * Contracts that can hold names of ENSv1 and are not their owners: migration controllers while they work, and
   * graveyards. What one of them holds has no owner.
   */
  nonOwners: ReadonlySet<Address>;
  ensV1Resolvers: ReadonlySet<Address>;
  helper: Address | undefined;
};

/** Contracts of one chain that decide who may change its names, lower case; undefined where the chain has none. */
export type NameContracts = {
  registry: Address | undefined;
  /** The registry of 2017. */
  registryOld: Address | undefined;
  registrar: Address | undefined;
  wrapper: Address | undefined;
  /** Resolvers whose rule of who may write is known. */
  resolvers: ReadonlyMap<Address, WritableResolver>;
};

/** Whether a resolver takes the owner of the NameWrapper's token for the owner of a wrapped name. */
export type WritableResolver = { seesWrapper: boolean };

/** A name whose subnames an indexed layer 2 keeps. */
export type Managed = ManagedName & {
  /** Resolvers on the main chain that answer for these subnames from the layer 2, lower case as in SQL. */
  bridges: Address[];
};

/** Resolvers of one chain, lower case. */
export type ResolversOfChain = { listed: Address[]; indexed: Address[]; withDefault: Address[] };

/** An adapter of agents (ERC-8217) and the identity registry (ERC-8004) that it uses, lower case. */
export type AgentHome = { chainId: number; adapter: Address; registry: Address };

/** Families of which a deployment has several contracts, told apart in answers by their deployment block. */
const numberedFamilies: readonly string[] = ["CONTROLLER", "RESOLVER"];

/** First generation of the public resolver that knows ENSIP-19. */
const DEFAULT_ADDRESS_GENERATION = 5;

/** First generation of the public resolver that asks the registry of 2020; those before ask that of 2017. */
const REGISTRY_OF_2020_GENERATION = 3;
/** First generation that knows the NameWrapper. */
const WRAPPER_GENERATION = 4;
/** The generation of 3DNS has a rule of its own. */
const DNS_TOKEN_GENERATION = 6;

/** What `primary_names.registrar` calls the contracts of a role. */
const reverseRegistrarFamilies: Partial<Record<Role, string>> = {
  "reverse-registrar": "REVERSE_REGISTRAR",
  "default-reverse-registrar": "DEFAULT_REVERSE_REGISTRAR",
  "l2-reverse-registrar": "L2_REVERSE_REGISTRAR",
};

/** Makes the address book of a deployment. */
export function contractsOf(deployment: Deployment): Contracts {
  const chains: ChainDeployment[] = [deployment, ...deployment.layer2];
  const names = new Map(chains.map((chain) => [chain.chainId, chain.name]));
  const startBlocks = new Map(chains.flatMap(listStartBlocks));
  const resolversByChain = new Map(chains.map((chain) => [chain.chainId, listResolvers(chain)]));
  if (deployment.ensv2) {
    const { chainId } = deployment;
    resolversByChain.set(chainId, withPublicResolvers(listResolvers(deployment), deployment.ensv2));
  }
  const resolversOf = (chainId: number) => resolversByChain.get(chainId) ?? noResolvers;
  const { listed, indexed } = resolversOf(deployment.chainId);
  const wrapper = deployment.contracts.find((entry) => entry.role === "wrapper");
  const managed = deployment.layer2.flatMap(listManaged);
  const namesOf = new Map(chains.map((chain) => [chain.chainId, nameContractsOf(chain)]));
  const titles = new Map(chains.map((chain) => [chain.chainId, titlesOn(chain, deployment)]));
  return {
    chainId: deployment.chainId,
    chainIds: [deployment.chainId, ...managed.map(({ chainId }) => chainId)],
    indexedChainIds: chains.map(({ chainId }) => chainId),
    managed,
    chainName: (chainId) => names.get(chainId) ?? String(chainId),
    isIndexedResolver: (resolver, chainId = deployment.chainId) =>
      resolversOf(chainId).indexed.includes(resolver.toLowerCase() as Address),
    resolversOf,
    listedResolvers: listed,
    indexedResolvers: indexed,
    answersDefaultAddress: (resolver, chainId = deployment.chainId) =>
      resolversOf(chainId).withDefault.includes(resolver.toLowerCase() as Address),
    reverseRegistrars: chains.flatMap(listReverseRegistrars),
    wrapper: wrapper && lowerCase(wrapper),
    wrappers: chains.flatMap(({ contracts }) =>
      contracts.filter(({ role }) => role === "wrapper").map(lowerCase),
    ),
    nameContracts: (chainId) => namesOf.get(chainId) ?? noNameContracts,
    agentHomes: chains.flatMap(findAgentHome),
    nameTokens: {
      registrars: deployment.contracts.filter(isRegistrarOf2020).map(lowerCase),
      wrappers: wrapper ? [lowerCase(wrapper)] : [],
    },
    ensv2: deployment.ensv2 && ensv2ContractsOf(deployment.ensv2),
    contractLabel: ({ family, chainId, address }) => {
      const block = startBlocks.get(emitterKey(chainId, address));
      return numberedFamilies.includes(family) && block !== undefined ? `${family}_${block}` : family;
    },
    contractTitle: (address, chainId) => {
      const wanted = chainId === undefined ? [...titles.values()] : [titles.get(chainId)];
      return wanted.map((known) => known?.get(address.toLowerCase())).find((title) => title !== undefined);
    },
  };
}

/** Titles of a chain's contracts by their addresses in lower case. */
function titlesOn(chain: ChainDeployment, deployment: Deployment): Map<string, string> {
  const listed = chain.contracts.map((entry): [Address, string] => [entry.address, titleOf(entry)]);
  const more = chain === deployment ? titlesOnMainChain(deployment) : [];
  return new Map([...more, ...listed].map(([address, title]) => [address.toLowerCase(), title]));
}

function titleOf({ title, role, generation, startBlock }: ContractEntry): string {
  const family = familyTitles[`${role} ${generation}`] ?? role.toUpperCase().replaceAll("-", "_");
  return title ?? (numberedFamilies.includes(family) ? `${family}_${startBlock}` : family);
}

/** Families whose word is not that of their role. */
const familyTitles: Record<string, string> = {
  "registry 1": "REGISTRY_OLD",
  "registrar 0": "REGISTRAR_AUCTION",
  "registrar 1": "REGISTRAR_OLD",
  "wrapper 1": "NAME_WRAPPER",
};

/** Contracts that the deployment names outside its list. */
function titlesOnMainChain({ layer2, ensv2, universalResolver }: Deployment): [Address, string][] {
  const bridges = layer2.flatMap(({ managedName }) =>
    (managedName?.bridges ?? []).map((bridge): [Address, string] => [
      bridge,
      `Resolver of ${managedName?.name}`,
    ]),
  );
  const kinds: [title: string, addresses: readonly (Address | undefined)[]][] = [
    ["Universal Resolver", [universalResolver, ensv2?.universalResolver?.top]],
    ["ENSv2 Root Registry", [ensv2?.rootRegistry]],
    ["ENSv2 .eth Registry", [ensv2?.ethRegistry]],
    ["ENSv2 Registrar", ensv2?.registrars ?? []],
    ["ENSv2 Renewer of ENSv1", ensv2?.renewersV1 ?? []],
    ["ENSv2 Migration Controller", ensv2?.migrationControllers ?? []],
    ["ENSv2 Graveyard", ensv2?.graveyards ?? []],
    ["ENSv2 Factory", ensv2?.factories ?? []],
    ["ENSv1 Fallback Resolver", ensv2?.ensV1Resolvers ?? []],
    ["ENSv2 Public Resolver", ensv2?.publicResolvers ?? []],
  ];
  const others = kinds.flatMap(([title, addresses]) =>
    addresses.flatMap((address): [Address, string][] => (address === undefined ? [] : [[address, title]])),
  );
  return [...bridges, ...others];
}

/** The first block of each chain that has something to index. */
export const firstBlocksOf = (deployment: Deployment): Record<number, number> =>
  Object.fromEntries(
    [deployment, ...deployment.layer2].map(({ chainId, contracts }) => [
      chainId,
      Math.min(...contracts.map((entry) => entry.startBlock)),
    ]),
  );

function ensv2ContractsOf(ensv2: Ensv2Deployment): Ensv2Contracts {
  const { paymentTokens, graceSeconds, premiumSeconds, bonusSeconds, implementations } = ensv2;
  return {
    graceSeconds,
    premiumSeconds,
    bonusSeconds,
    paymentTokens: paymentTokens.map((token) => ({ ...token, address: inLowerCase(token.address) })),
    rootRegistry: inLowerCase(ensv2.rootRegistry),
    ethRegistry: inLowerCase(ensv2.ethRegistry),
    registryCode: setOf([...implementations.registry, ...implementations.wrapper]),
    wrapperCode: setOf(implementations.wrapper),
    resolverCode: setOf(implementations.resolver),
    migrationControllers: setOf(ensv2.migrationControllers),
    nonOwners: setOf([...ensv2.migrationControllers, ...ensv2.graveyards]),
    ensV1Resolvers: setOf(ensv2.ensV1Resolvers),
    helper: ensv2.helper && inLowerCase(ensv2.helper),
  };
}

const inLowerCase = (address: Address): Address => address.toLowerCase() as Address;

const setOf = (addresses: readonly Address[]): ReadonlySet<Address> => new Set(addresses.map(inLowerCase));

const noResolvers: ResolversOfChain = { listed: [], indexed: [], withDefault: [] };

function listResolvers({ contracts }: ChainDeployment): ResolversOfChain {
  const resolvers = contracts.filter(({ role }) => role === "resolver");
  const indexed = new Set(resolvers.filter((entry) => entry.static).map(lowerCase));
  const withDefault = resolvers.filter(({ generation }) => generation >= DEFAULT_ADDRESS_GENERATION);
  return { listed: resolvers.map(lowerCase), indexed: [...indexed], withDefault: withDefault.map(lowerCase) };
}

/** Resolvers of ENSv2 that keep records by node are as good as the newest ones of ENSv1. */
function withPublicResolvers(
  { listed, indexed, withDefault }: ResolversOfChain,
  ensv2: Ensv2Deployment,
): ResolversOfChain {
  const more = ensv2.publicResolvers.map(inLowerCase);
  return {
    listed: [...listed, ...more],
    indexed: [...indexed, ...more],
    withDefault: [...withDefault, ...more],
  };
}

function listManaged({ chainId, managedName }: Layer2Deployment): Managed[] {
  const known = managedNameOf(chainId);
  if (known === undefined || managedName === undefined) return [];
  return [{ ...known, bridges: managedName.bridges.map(inLowerCase) }];
}

const lowerCase = (entry: ContractEntry): Address => inLowerCase(entry.address);

/** The registrar into which all .eth names were brought; tokens of the earlier ones are no names any more. */
const isRegistrarOf2020 = ({ role, generation }: ContractEntry): boolean =>
  role === "registrar" && generation === 2;

function findAgentHome({ chainId, contracts }: ChainDeployment): AgentHome[] {
  const [adapter, registry] = (["agent-adapter", "agent-registry"] as const).map((wanted) =>
    contracts.find(({ role }) => role === wanted),
  );
  if (!adapter || !registry) return [];
  return [{ chainId, adapter: lowerCase(adapter), registry: lowerCase(registry) }];
}

const noNameContracts: NameContracts = {
  registry: undefined,
  registryOld: undefined,
  registrar: undefined,
  wrapper: undefined,
  resolvers: new Map(),
};

function nameContractsOf({ contracts }: ChainDeployment): NameContracts {
  const find = (role: Role, ...generations: number[]) => {
    const entry = contracts.find((one) => one.role === role && generations.includes(one.generation));
    return entry && lowerCase(entry);
  };
  const resolvers = contracts.filter(
    ({ role, generation, static: isStatic }) =>
      role === "resolver" &&
      isStatic === true &&
      generation >= REGISTRY_OF_2020_GENERATION &&
      generation !== DNS_TOKEN_GENERATION,
  );
  return {
    registry: find("registry", 2),
    registryOld: find("registry", 1),
    registrar: find("registrar", 2, 3),
    wrapper: find("wrapper", 1),
    resolvers: new Map(
      resolvers.map((entry) => [lowerCase(entry), { seesWrapper: entry.generation >= WRAPPER_GENERATION }]),
    ),
  };
}

const emitterKey = (chainId: number, address: Hex): string => `${chainId}:${address.toLowerCase()}`;

const listStartBlocks = (chain: ChainDeployment): [string, number][] =>
  chain.contracts.map((entry) => [emitterKey(chain.chainId, entry.address), entry.startBlock]);

/**
 * Several contracts of a family on one chain followed each other: they count as one. That of Basenames gave no primary
 * names.
 */
function listReverseRegistrars({ chainId, contracts }: ChainDeployment) {
  const counted = contracts.filter(
    (entry) => !(entry.role === "reverse-registrar" && entry.generation === 4),
  );
  const families = new Set(counted.map(({ role }) => reverseRegistrarFamilies[role]));
  return [...families].flatMap((registrar) => (registrar === undefined ? [] : [{ registrar, chainId }]));
}
