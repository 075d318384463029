import { type Client, labelhash, namehash, zeroAddress, zeroHash } from "viem";
import type { ChainDeployment } from "../abis/deployments.ts";
import { dnsEncode } from "./acts/names.ts";
import {
  addressOf,
  archived,
  call,
  create,
  type DeployedContract,
  type Deployer,
  double,
  type Entries,
  placeMulticall3,
  skipAddresses,
  startDeployment,
  toChainDeployment,
  toContracts,
} from "./deployer.ts";

/*
 * The contracts of layer 2s. The registries of Base and Linea, and the registrar of Linea, are ENSv1's own with another
 * name at the top: the real contracts of 2020 stand for them. The others are doubles of ours.
 */

const DAY = 86_400n;
const ETH_NODE = namehash("eth");
/** 1600 USD for one ether, in the 8 decimals of the price feed. */
const USD_PER_ETHER = 1_600n * 10n ** 8n;
/** Wei per second for labels of 1, 2, 3, 4, 5 and 10 characters: 0.1, 0.01, 0.001 and 0.0001 ETH a year from the third on. */
const BASE_RENTS = [0n, 0n, 3_170_979_198n, 317_097_919n, 31_709_791n, 3_170_979n];
/** Wei at the end of grace, and the days until it reaches 0. */
const BASE_PREMIUM = [1_000n * 10n ** 18n, 21n] as const;
/**
 * AttoUSD per second, as on Ethereum, and no premium. The oracle that Linea has asks a million ether of all who are no
 * proved persons, so that none buys: the stories would have nothing to tell.
 */
const LINEA_RENTS = [0n, 0n, 20_294_266_869_609n, 5_073_566_717_402n, 158_548_959_919n];
const COMMITMENT_AGES = [60n, DAY] as const;

/** Keys of discounts at the controllers of Basenames: of more than any name of the stories costs, and of 0.0005 ETH. */
export const DISCOUNTS = { free: labelhash("free"), part: labelhash("part") } as const;

/** A layer 2 with contracts: what the index is configured with, and what acts call by name. */
export type Layer2Contracts = { chain: ChainDeployment; contracts: Record<string, DeployedContract> };

/**
 * Puts the one ENS contract that every layer 2 has on an empty anvil chain: its reverse registrar. The answer belongs into
 * the `layer2` of the main chain's deployment.
 */
export async function deployLayer2(client: Client, { name }: { name: string }): Promise<Layer2Contracts> {
  const deployer = await startDeployment(client);
  await deployLayer2ReverseRegistrar(deployer);
  const entries = { l2ReverseRegistrar: { role: "l2-reverse-registrar", generation: 1 } } as const;
  return { chain: toChainDeployment(name, deployer, entries), contracts: toContracts(deployer) };
}

/** The label of a chain's reverse names, and what stands below it. */
const coinTypeLabel = (chainId: number): string => (0x80000000n | BigInt(chainId)).toString(16);

export async function deployLayer2ReverseRegistrar(deployer: Deployer): Promise<void> {
  const node = namehash(`${coinTypeLabel(deployer.chainId)}.reverse`);
  const args = [BigInt(deployer.chainId), node];
  await create(deployer, "l2ReverseRegistrar", double("L2ReverseRegistrarDouble"), args);
}

/** `controllerUnlisted` is not listed: the deployment file does not know it. */
const BASENAMES_ENTRIES: Entries = {
  registry: { role: "registry", generation: 2 },
  registrar: { role: "registrar", generation: 3 },
  controller1: { role: "controller", generation: 6 },
  controller2: { role: "controller", generation: 6 },
  controller3: { role: "controller", generation: 6 },
  resolver1: { role: "resolver", generation: 4, static: true },
  resolver2: { role: "resolver", generation: 5, static: true },
  reverseRegistrar: { role: "reverse-registrar", generation: 4 },
  l2ReverseRegistrar: { role: "l2-reverse-registrar", generation: 1 },
};

/** Puts Basenames on an empty anvil chain. No controller may register yet: the registrar's owner adds them one by one. */
export async function deployBasenames(client: Client): Promise<Layer2Contracts> {
  const deployer = await startDeployment(client);
  await deployRegistryOf(deployer, "base", async (registry, baseNode) =>
    create(deployer, "registrar", double("BasenamesRegistrarDouble"), [registry, baseNode]),
  );
  await create(deployer, "priceOracle", double("BasenamesPriceOracleDouble"), [BASE_RENTS, ...BASE_PREMIUM]);
  await deployBasenamesReverse(deployer);
  await deployBasenamesControllers(deployer);
  await deployLayer2ReverseRegistrar(deployer);
  await deployForTests(deployer);
  return {
    chain: toChainDeployment("base", deployer, BASENAMES_ENTRIES),
    contracts: toContracts(deployer),
  };
}

async function deployBasenamesReverse(deployer: Deployer): Promise<void> {
  const registry = addressOf(deployer, "registry");
  const label = coinTypeLabel(deployer.chainId);
  const reverseArguments = [registry, namehash(`${label}.reverse`)];
  await create(deployer, "reverseRegistrar", double("BasenamesReverseRegistrarDouble"), reverseArguments);
  const reverseRegistrar = addressOf(deployer, "reverseRegistrar");
  await giveReverse(deployer, label);
  const resolverArguments = [registry, reverseRegistrar];
  await create(deployer, "resolver1", double("BasenamesResolver2024Double"), resolverArguments);
  await create(deployer, "resolver2", double("BasenamesResolver2025Double"), resolverArguments);
  await call(deployer, "reverseRegistrar", "setDefaultResolver", [addressOf(deployer, "resolver1")]);
}

/** The first two controllers write to the resolver that is asked for, the third all reverse names to the first resolver. */
async function deployBasenamesControllers(deployer: Deployer): Promise<void> {
  const resolver1 = addressOf(deployer, "resolver1");
  const first = { resolver: "resolver1", reverseResolver: zeroAddress };
  const later = { resolver: "resolver2", reverseResolver: resolver1, minDuration: 365n * DAY };
  const plans = [
    { name: "controller1", ...first, minDuration: 28n * DAY },
    { name: "controller2", ...first, minDuration: 365n * DAY },
    { name: "controller3", ...later },
    { name: "controllerUnlisted", ...later },
  ];
  for (const { name, minDuration, reverseResolver, resolver } of plans) {
    await create(deployer, name, double("BasenamesControllerDouble"), [
      addressOf(deployer, "registrar"),
      addressOf(deployer, "priceOracle"),
      addressOf(deployer, "reverseRegistrar"),
      minDuration,
      reverseResolver,
      deployer.account,
    ]);
    const controller = addressOf(deployer, name);
    await call(deployer, name, "setDiscount", [DISCOUNTS.free, 10n ** 20n]);
    await call(deployer, name, "setDiscount", [DISCOUNTS.part, 5n * 10n ** 14n]);
    await call(deployer, "reverseRegistrar", "setControllerApproval", [controller, true]);
    await call(deployer, resolver, "setControllerApproval", [controller, true]);
  }
}

/** Its own reverse registrar is at a node that Ethereum's has too: it is not listed. */
const LINEANAMES_ENTRIES: Entries = {
  registry: { role: "registry", generation: 2 },
  registrar: { role: "registrar", generation: 2 },
  wrapper: { role: "wrapper", generation: 1 },
  controller: { role: "controller", generation: 7 },
  resolver: { role: "resolver", generation: 4, static: true },
  l2ReverseRegistrar: { role: "l2-reverse-registrar", generation: 1 },
};

/** Puts Lineanames on an empty anvil chain. */
export async function deployLineanames(client: Client): Promise<Layer2Contracts> {
  const deployer = await startDeployment(client);
  const name = ["linea", "eth"];
  await deployRegistryOf(deployer, "linea", async (registry, baseNode) =>
    create(deployer, "registrar", archived("ethregistrar/BaseRegistrarImplementation"), [registry, baseNode]),
  );
  const [registry, registrar] = [addressOf(deployer, "registry"), addressOf(deployer, "registrar")];
  const baseNode = namehash("linea.eth");
  await create(deployer, "usdOracle", archived("ethregistrar/DummyOracle"), [USD_PER_ETHER]);
  const oracleArguments = [addressOf(deployer, "usdOracle"), LINEA_RENTS, 0n, 0n];
  await create(deployer, "priceOracle", double("PriceOracleDouble"), oracleArguments);
  await create(deployer, "reverseRegistrar", double("ReverseRegistrarDouble"), [registry]);
  await giveReverse(deployer, "addr");
  const wrapperArguments = [registry, registrar, baseNode, dnsEncode(name)];
  await create(deployer, "wrapper", double("NameWrapperDouble"), wrapperArguments);
  const wrapper = addressOf(deployer, "wrapper");
  await call(deployer, "registrar", "addController", [wrapper]);
  const reverseRegistrar = addressOf(deployer, "reverseRegistrar");
  await create(deployer, "controller", double("LineaControllerDouble"), [
    registrar,
    addressOf(deployer, "priceOracle"),
    ...COMMITMENT_AGES,
    reverseRegistrar,
    wrapper,
    baseNode,
  ]);
  const controller = addressOf(deployer, "controller");
  await call(deployer, "wrapper", "setController", [controller, true]);
  await call(deployer, "reverseRegistrar", "setController", [controller, true]);
  const resolverArguments = [registry, wrapper, controller, reverseRegistrar];
  await create(deployer, "resolver", double("PublicResolver2023Double"), resolverArguments);
  await call(deployer, "reverseRegistrar", "setDefaultResolver", [addressOf(deployer, "resolver")]);
  await deployLayer2ReverseRegistrar(deployer);
  await deployForTests(deployer);
  return {
    chain: toChainDeployment("linea", deployer, LINEANAMES_ENTRIES),
    contracts: toContracts(deployer),
  };
}

/** The resolver is not static: it is not known whether 3DNS can change its own. */
const DNS_TOKEN_ENTRIES: Entries = {
  dnsToken: { role: "dns-token", generation: 1 },
  resolver: { role: "resolver", generation: 6 },
};

/** Deploys 3DNS on an empty anvil chain, as on Optimism. No top-level name is open yet. */
export async function deployDnsTokens(client: Client): Promise<Layer2Contracts> {
  const deployer = await startDeployment(client);
  await skipAddresses(deployer);
  await create(deployer, "dnsToken", double("DnsTokenDouble"), [deployer.account]);
  const resolverArguments = [addressOf(deployer, "dnsToken"), zeroAddress, zeroAddress, zeroAddress];
  await create(deployer, "resolver", double("PublicResolver2023Double"), resolverArguments);
  await call(deployer, "dnsToken", "setPrimaryResolver", [addressOf(deployer, "resolver")]);
  await deployForTests(deployer);
  return {
    chain: toChainDeployment("optimism", deployer, DNS_TOKEN_ENTRIES),
    contracts: toContracts(deployer),
  };
}

/** The registry, and the registrar as owner of the managed name. */
async function deployRegistryOf(
  deployer: Deployer,
  label: string,
  createRegistrar: (registry: string, node: string) => Promise<void>,
): Promise<void> {
  const { account } = deployer;
  await skipAddresses(deployer);
  await create(deployer, "registry", archived("ens/ENSRegistry"));
  await createRegistrar(addressOf(deployer, "registry"), namehash(`${label}.eth`));
  await call(deployer, "registry", "setSubnodeOwner", [zeroHash, labelhash("eth"), account]);
  const registrar = addressOf(deployer, "registrar");
  await call(deployer, "registry", "setSubnodeOwner", [ETH_NODE, labelhash(label), registrar]);
}

/** Makes the reverse registrar the owner of `<label>.reverse`. */
async function giveReverse(deployer: Deployer, label: string): Promise<void> {
  const registrar = addressOf(deployer, "reverseRegistrar");
  await call(deployer, "registry", "setSubnodeOwner", [zeroHash, labelhash("reverse"), deployer.account]);
  await call(deployer, "registry", "setSubnodeOwner", [namehash("reverse"), labelhash(label), registrar]);
}

async function deployForTests(deployer: Deployer): Promise<void> {
  await create(deployer, "batch", double("Batch"));
  await create(deployer, "logEmitter", double("LogEmitter"));
  await placeMulticall3(deployer);
}
