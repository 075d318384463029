import { createRequire } from "node:module";
import { type Address, type Client, labelhash, namehash, zeroAddress, zeroHash } from "viem";
import type { Deployment } from "../abis/deployments.ts";
import { dnsEncode } from "./acts/names.ts";
import { deployEnsv2 } from "./deployEnsv2.ts";
import {
  type Artifact,
  addressOf,
  archived,
  call,
  create,
  type DeployedContract,
  type Deployer,
  double,
  type Entries,
  placeMulticall3,
  readArtifact,
  startDeployment,
  toChainDeployment,
  toContracts,
} from "./deployer.ts";
import { deployLayer2ReverseRegistrar } from "./deployLayer2.ts";
import { GATEWAY_PORT, GATEWAY_SIGNER, gatewayUrl } from "./gateway.ts";

const DAY = 86_400n;
const ETH_NODE = namehash("eth");
const REVERSE_NODE = namehash("reverse");
/** 1600 USD for one ether, in the 8 decimals of the price feed. */
const USD_PER_ETHER = 1_600n * 10n ** 8n;
/** AttoUSD per second for labels of 1, 2, 3, 4 and more characters: 640, 160 and 5 USD a year from the third on. */
const RENTS = [0, 0, 20_294_266_869_609, 5_073_566_717_402, 158_548_959_919];
const LINEAR_PREMIUM = 2_000n * 10n ** 18n;
/** AttoUSD at the end of grace, and the days until it reaches 0. */
const PREMIUM = [100_000_000n * 10n ** 18n, 21n] as const;
/** Seconds between commitment and registration: at least, at most. */
const COMMITMENT_AGES = [60n, DAY] as const;

/** The chain after deployment: what the index is configured with, and what tests call by name. */
export type Devnet = { deployment: Deployment; contracts: Record<string, DeployedContract> };

/** What differs between devnets. */
export type DeployOptions = {
  /** The chain's word in answers; "devnet" unless told. */
  name?: string;
  /** Also put a layer 2's reverse registrar on this same chain, for tests of its events. */
  layer2ReverseRegistrar?: boolean;
  /** Also put the resolver at `addr.reverse` that gives an address its default name (ENSIP-19). */
  ethReverseResolver?: boolean;
  /** Also put ENSv2 beside ENSv1, as far as its first phase goes. */
  ensv2?: boolean;
  /** Where the off-chain resolver's gateway is to be found; on its usual port of this computer unless told. */
  gatewayUrl?: string;
};

/** By the names that acts call the contracts by. The number is the generation. */
const ENTRIES: Entries = {
  oldRegistry: { role: "registry", generation: 1, title: "ENS Registry (2017)" },
  registry: { role: "registry", generation: 2, title: "ENS Registry" },
  auctionRegistrar: { role: "registrar", generation: 0, title: "Auction Registrar (2017)" },
  oldRegistrar: { role: "registrar", generation: 1, title: ".eth Registrar (2019)" },
  registrar: { role: "registrar", generation: 2, title: ".eth Registrar" },
  controller1: { role: "controller", generation: 1, title: ".eth Controller (2019)" },
  controller3: { role: "controller", generation: 3, title: ".eth Controller (2020)" },
  controller4: { role: "controller", generation: 4, title: ".eth Controller (2023)" },
  controller5: { role: "controller", generation: 5, title: ".eth Controller (2025)" },
  feedAggregator: { role: "price-feed", generation: 1, title: "ETH/USD Price Feed" },
  renewalReferrer: { role: "renewal-referrer", generation: 1, title: "Renewal Referrer" },
  wrapper: { role: "wrapper", generation: 1, title: "NameWrapper" },
  resolver2: { role: "resolver", generation: 2, static: true, title: "Public Resolver (2019)" },
  resolver3: { role: "resolver", generation: 3, static: true, title: "Public Resolver (2020)" },
  resolver4: { role: "resolver", generation: 4, static: true, title: "Public Resolver (2023)" },
  resolver5: { role: "resolver", generation: 5, static: true, title: "Public Resolver (2025)" },
  reverseRegistrar2: { role: "reverse-registrar", generation: 2, title: "Reverse Registrar (2020)" },
  reverseRegistrar3: { role: "reverse-registrar", generation: 3, title: "Reverse Registrar" },
  reverseResolver1: { role: "reverse-resolver", generation: 1, title: "Default Reverse Resolver" },
  defaultReverseRegistrar: {
    role: "default-reverse-registrar",
    generation: 1,
    title: "Default Reverse Registrar",
  },
  l2ReverseRegistrar: { role: "l2-reverse-registrar", generation: 1, title: "L2 Reverse Registrar" },
  agentRegistry: { role: "agent-registry", generation: 1, title: "ERC-8004 Identity Registry" },
  agentAdapter: { role: "agent-adapter", generation: 1, title: "ERC-8004 Adapter" },
};

/**
 * Puts ENS on an empty anvil chain, in the order of its history: the contracts of 2017 to 2020 are the real ones, from
 * npm; the later ones are our doubles. The first account deploys and owns all, so that on a chain of the same start
 * every address is the same. At the end both registries, all registrars and all controllers work side by side:
 * `.eth` of the old registry belongs to the auction registrar, `addr.reverse` to the reverse registrar of 2023, and the
 * first account, who owns what is above them, can give each to another generation.
 */
export async function deployContracts(client: Client, options: DeployOptions = {}): Promise<Devnet> {
  const deployer = await startDeployment(client);
  await deployRegistries(deployer);
  await deployOldRegistrars(deployer);
  await deployRegistrarOf2020(deployer);
  await deployEarlyResolvers(deployer);
  await deployWrapperAndReverse(deployer, options);
  await deployLaterControllers(deployer);
  await deployLaterResolvers(deployer);
  await deployTestContracts(deployer);
  await deployAgents(deployer);
  await deployLiveResolution(deployer, options);
  const ensv2 = options.ensv2 ? await deployEnsv2(deployer) : undefined;
  if (options.ethReverseResolver) await deployEthReverseResolver(deployer);
  return {
    deployment: {
      ...toChainDeployment(options.name ?? "devnet", deployer, ENTRIES),
      layer2: [],
      // No later block is known to have had this phase, so each registration confirms it.
      priceFeed: {
        proxy: addressOf(deployer, "usdOracle"),
        rents: RENTS,
        takeovers: [],
        lastSeen: deployer.places.get("feedAggregator")?.startBlock ?? 0,
      },
      ...(ensv2 && { ensv2, universalResolver: addressOf(deployer, "topProxy") }),
    },
    contracts: toContracts(deployer),
  };
}

async function deployRegistries(deployer: Deployer): Promise<void> {
  // The registrar of 2019 in npm expects an answer of setSubnodeOwner, which the build of `ens-022` does not give.
  await create(deployer, "oldRegistry", archived("ens/ENSRegistry"));
  const oldRegistry = addressOf(deployer, "oldRegistry");
  await create(deployer, "registry", archived("ens/ENSRegistryWithFallback"), [oldRegistry]);
  await create(deployer, "root", rootArtifact(), [addressOf(deployer, "registry")]);
  await call(deployer, "registry", "setOwner", [zeroHash, addressOf(deployer, "root")]);
  await call(deployer, "root", "setController", [deployer.account, true]);
  await call(deployer, "root", "setSubnodeOwner", [labelhash("reverse"), deployer.account]);
}

/** The auctions of 2017 and the registrar of 2019 with its controller, both on the old registry. */
async function deployOldRegistrars(deployer: Deployer): Promise<void> {
  const { account, startTime } = deployer;
  const oldRegistry = addressOf(deployer, "oldRegistry");
  // Auctions opened name by name in the first eight weeks: nine weeks after the start every name may be auctioned.
  const auctionsFrom = startTime - 63n * DAY;
  const auctionArguments = [oldRegistry, ETH_NODE, auctionsFrom];
  await create(deployer, "auctionRegistrar", archived("ens-022/HashRegistrar"), auctionArguments);
  const auctionRegistrar = addressOf(deployer, "auctionRegistrar");
  await call(deployer, "oldRegistry", "setSubnodeOwner", [zeroHash, labelhash("eth"), auctionRegistrar]);
  await create(deployer, "oldRegistrar", archived("ethregistrar/OldBaseRegistrarImplementation"), [
    oldRegistry,
    auctionRegistrar,
    ETH_NODE,
    startTime + 365n * DAY,
  ]);
  await create(deployer, "feedAggregator", double("FeedAggregatorDouble"), [USD_PER_ETHER]);
  await create(deployer, "usdOracle", double("FeedProxyDouble"), [addressOf(deployer, "feedAggregator")]);
  const usdOracle = addressOf(deployer, "usdOracle");
  await create(deployer, "priceOracle1", archived("ethregistrar/StablePriceOracle"), [usdOracle, RENTS]);
  await create(deployer, "controller1", archived("ethregistrar-202/ETHRegistrarController"), [
    addressOf(deployer, "oldRegistrar"),
    addressOf(deployer, "priceOracle1"),
    ...COMMITMENT_AGES,
  ]);
  await call(deployer, "oldRegistrar", "addController", [addressOf(deployer, "controller1")]);
  // The first account may register directly, as the tests of the registrar itself do.
  await call(deployer, "oldRegistrar", "addController", [account]);
}

async function deployRegistrarOf2020(deployer: Deployer): Promise<void> {
  const registry = addressOf(deployer, "registry");
  const registrarArtifact = archived("ethregistrar/BaseRegistrarImplementation");
  await create(deployer, "registrar", registrarArtifact, [registry, ETH_NODE]);
  const registrar = addressOf(deployer, "registrar");
  await call(deployer, "root", "setSubnodeOwner", [labelhash("eth"), registrar]);
  await create(deployer, "priceOracle3", archived("ethregistrar/LinearPremiumPriceOracle"), [
    addressOf(deployer, "usdOracle"),
    RENTS,
    LINEAR_PREMIUM,
    LINEAR_PREMIUM / (28n * DAY),
  ]);
  await create(deployer, "controller3", archived("ethregistrar/ETHRegistrarController"), [
    registrar,
    addressOf(deployer, "priceOracle3"),
    ...COMMITMENT_AGES,
  ]);
  await call(deployer, "registrar", "addController", [addressOf(deployer, "controller3")]);
  await create(deployer, "registrarMigration", archived("ethregistrar/RegistrarMigration"), [
    addressOf(deployer, "oldRegistrar"),
    registrar,
    zeroAddress,
    zeroAddress,
  ]);
  await call(deployer, "registrar", "addController", [addressOf(deployer, "registrarMigration")]);
}

async function deployEarlyResolvers(deployer: Deployer): Promise<void> {
  const registry = addressOf(deployer, "registry");
  await create(deployer, "resolver2", archived("ens-022/PublicResolver"), [registry]);
  await create(deployer, "resolver3", archived("resolver/PublicResolver"), [registry]);
  await create(deployer, "reverseResolver1", archived("resolver/DefaultReverseResolver"), [registry]);
  const reverseArguments = [registry, addressOf(deployer, "reverseResolver1")];
  await create(deployer, "reverseRegistrar2", archived("ens/ReverseRegistrar"), reverseArguments);
  await giveReverseTo(deployer, "reverseRegistrar2");
}

async function deployWrapperAndReverse(deployer: Deployer, options: DeployOptions): Promise<void> {
  const registry = addressOf(deployer, "registry");
  const wrapperArguments = [registry, addressOf(deployer, "registrar"), ETH_NODE, dnsEncode(["eth"])];
  await create(deployer, "wrapper", double("NameWrapperDouble"), wrapperArguments);
  await call(deployer, "registrar", "addController", [addressOf(deployer, "wrapper")]);
  await create(deployer, "upgradedWrapper", double("UpgradedWrapperDouble"));
  await create(deployer, "reverseRegistrar3", double("ReverseRegistrarDouble"), [registry]);
  await giveReverseTo(deployer, "reverseRegistrar3");
  await create(deployer, "defaultReverseRegistrar", double("DefaultReverseRegistrarDouble"));
  if (options.layer2ReverseRegistrar) await deployLayer2ReverseRegistrar(deployer);
}

async function deployEthReverseResolver(deployer: Deployer): Promise<void> {
  const defaultRegistrar = addressOf(deployer, "defaultReverseRegistrar");
  await create(deployer, "ethReverseResolver", double("EthReverseResolverDouble"), [defaultRegistrar]);
  const [owner, resolver] = [
    addressOf(deployer, "reverseRegistrar3"),
    addressOf(deployer, "ethReverseResolver"),
  ];
  await call(deployer, "registry", "setSubnodeRecord", [
    REVERSE_NODE,
    labelhash("addr"),
    owner,
    resolver,
    0n,
  ]);
}

async function deployLaterControllers(deployer: Deployer): Promise<void> {
  const { account } = deployer;
  const registrar = addressOf(deployer, "registrar");
  const reverseRegistrar = addressOf(deployer, "reverseRegistrar3");
  const oracleArguments = [addressOf(deployer, "usdOracle"), RENTS, ...PREMIUM];
  await create(deployer, "priceOracle4", double("PriceOracleDouble"), oracleArguments);
  const common = [registrar, addressOf(deployer, "priceOracle4"), ...COMMITMENT_AGES, reverseRegistrar];
  const [wrapper, registry] = [addressOf(deployer, "wrapper"), addressOf(deployer, "registry")];
  await create(deployer, "controller4", double("WrappedControllerDouble"), [...common, wrapper]);
  const controller4 = addressOf(deployer, "controller4");
  await call(deployer, "wrapper", "setController", [controller4, true]);
  await call(deployer, "reverseRegistrar3", "setController", [controller4, true]);
  const defaultReverse = addressOf(deployer, "defaultReverseRegistrar");
  const controller5Arguments = [...common, defaultReverse, registry];
  await create(deployer, "controller5", double("ReferrerControllerDouble"), controller5Arguments);
  const controller5 = addressOf(deployer, "controller5");
  await call(deployer, "registrar", "addController", [controller5]);
  await call(deployer, "reverseRegistrar3", "setController", [controller5, true]);
  await call(deployer, "defaultReverseRegistrar", "setController", [controller5, true]);
  await create(deployer, "renewalReferrer", double("RenewalReferrerDouble"), [controller4]);
  await create(deployer, "bulkRenewal", double("BulkRenewalDouble"), [controller4]);
  await call(deployer, "registrar", "addController", [account]);
}

/** Each trusts the controller of its own time. */
async function deployLaterResolvers(deployer: Deployer): Promise<void> {
  const common = [addressOf(deployer, "registry"), addressOf(deployer, "wrapper")];
  const reverseRegistrar = addressOf(deployer, "reverseRegistrar3");
  const [controller4, controller5] = [addressOf(deployer, "controller4"), addressOf(deployer, "controller5")];
  const arguments4 = [...common, controller4, reverseRegistrar];
  const arguments5 = [...common, controller5, reverseRegistrar];
  await create(deployer, "resolver4", double("PublicResolver2023Double"), arguments4);
  await create(deployer, "resolver5", double("PublicResolver2025Double"), arguments5);
  await call(deployer, "reverseRegistrar3", "setDefaultResolver", [addressOf(deployer, "resolver4")]);
}

async function deployTestContracts(deployer: Deployer): Promise<void> {
  await create(deployer, "batch", double("Batch"));
  await create(deployer, "logEmitter", double("LogEmitter"));
  await placeMulticall3(deployer);
}

async function deployAgents(deployer: Deployer): Promise<void> {
  await create(deployer, "agentRegistry", double("IdentityRegistryDouble"));
  const registry = addressOf(deployer, "agentRegistry");
  await create(deployer, "agentAdapter", double("AgentAdapterDouble"), [registry]);
}

async function giveReverseTo(
  deployer: Deployer,
  name: "reverseRegistrar2" | "reverseRegistrar3",
): Promise<void> {
  const owner = addressOf(deployer, name);
  await call(deployer, "registry", "setSubnodeOwner", [REVERSE_NODE, labelhash("addr"), owner]);
}

/** What names off chain are resolved by: the Universal Resolver, and a resolver whose records are at a gateway. */
async function deployLiveResolution(deployer: Deployer, { gatewayUrl: url }: DeployOptions): Promise<void> {
  await create(deployer, "universalResolver", double("UniversalResolverDouble"), [
    addressOf(deployer, "registry"),
    addressOf(deployer, "defaultReverseRegistrar"),
  ]);
  await create(deployer, "offchainResolver", offchainResolver(), [
    url ?? gatewayUrl(GATEWAY_PORT),
    [GATEWAY_SIGNER],
  ]);
}

/** Puts resolvers on the chain that no index can answer for, most of them faulty: for tests of live resolution. */
export async function deployLiveResolvers(client: Client): Promise<Record<string, DeployedContract>> {
  const deployer = await startDeployment(client);
  await create(deployer, "wildcardResolver", double("WildcardResolver"));
  await create(deployer, "revertingResolver", double("RevertingResolver"));
  await create(deployer, "garbageResolver", double("GarbageResolver"));
  await create(deployer, "changeableResolver", double("ChangeableResolver"));
  await create(deployer, "lookupResolver", double("LookupResolver"), [false]);
  await create(deployer, "endlessResolver", double("LookupResolver"), [true]);
  await create(deployer, "hostileResolver", double("HostileResolver"));
  return toContracts(deployer);
}

/** Puts what only an attacker would write on a devnet, for the tests of bounds. */
export async function deployHostileContracts(
  client: Client,
  { registry }: { registry: Address },
): Promise<Record<string, DeployedContract>> {
  const deployer = await startDeployment(client);
  await create(deployer, "hostileNames", double("HostileNames"), [registry]);
  await create(deployer, "hostileLogs", double("HostileLogs"));
  return toContracts(deployer);
}

/** The real resolver of ENS' own off-chain example, which no test double replaces. */
function offchainResolver(): Artifact {
  const contract = "@ensdomains/offchain-resolver-contracts/artifacts/contracts/OffchainResolver.sol";
  return readArtifact(require.resolve(`${contract}/OffchainResolver.json`));
}

const require = createRequire(import.meta.url);

function rootArtifact(): Artifact {
  return readArtifact(require.resolve("@ensdomains/root/build/contracts/Root.json"));
}
