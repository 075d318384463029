import type { AbiEvent, Hex } from "viem";
import {
  basenamesControllerAbi,
  controllerCostAbi,
  controllerPremiumAbi,
  controllerReferrerAbi,
  renewalReferrerAbi,
} from "../../../abis/controllers.ts";
import {
  type ChainDeployment,
  knownDeployments,
  listContracts,
  type Role,
} from "../../../abis/deployments.ts";
import { nameWrapperAbi } from "../../../abis/nameWrapper.ts";
import { basenamesRegistrarAbi, registrarAbi } from "../../../abis/registrar.ts";
import { registryAbi } from "../../../abis/registry.ts";
import { resolverAbi, resolverUnindexedKeyAbi } from "../../../abis/resolver.ts";
import {
  basenamesReverseRegistrarAbi,
  defaultReverseRegistrarAbi,
  nameForAddrAbi,
  reverseRegistrarAbi,
} from "../../../abis/reverse.ts";
import { type Encoder, encoderOf } from "./encode.ts";

const mainnet = knownDeployments.mainnet();

/** Address on mainnet, lower case, and the encoders of its events by their names. */
export type Contract = {
  address: Hex;
  role: string;
  generation: number;
  startBlock: number;
  events: Record<string, Encoder>;
};

const contract = (role: Role, generation: number, abi: readonly unknown[], position = 0): Contract =>
  contractOf(mainnet, { role, generation, position }, abi);

type Which = { role: Role; generation: number; position?: number };

function contractOf(
  chain: ChainDeployment,
  { role, generation, position = 0 }: Which,
  abi: readonly unknown[],
): Contract {
  const entry = listContracts(chain, role, generation)[position];
  if (entry === undefined) throw new Error(`${chain.name} has no ${role} of generation ${generation}`);
  const events = (abi as readonly AbiEvent[]).map((event) => [event.name, encoderOf(event)] as const);
  // Of an overloaded event the first declaration counts, the one with the value for TextChanged.
  return {
    address: entry.address.toLowerCase() as Hex,
    role,
    generation,
    startBlock: entry.startBlock,
    events: Object.fromEntries(events.toReversed()),
  };
}

/** TextChanged of the resolver of 2020: the key, indexed and plain, and no value. */
const resolverWithoutValueAbi = resolverAbi.filter(
  ({ name, inputs }) => name !== "TextChanged" || inputs.length === 3,
);

/** The contracts that act in the generated chain. */
export const contracts = {
  oldRegistry: contract("registry", 1, registryAbi),
  registry: contract("registry", 2, registryAbi),
  oldRegistrar: contract("registrar", 1, registrarAbi),
  registrar: contract("registrar", 2, registrarAbi),
  controller1: contract("controller", 1, controllerCostAbi),
  controller2: contract("controller", 2, controllerCostAbi),
  controller3: contract("controller", 3, controllerCostAbi),
  controller4: contract("controller", 4, controllerPremiumAbi),
  controller5: contract("controller", 5, controllerReferrerAbi),
  referrer: contract("renewal-referrer", 1, renewalReferrerAbi),
  wrapper: contract("wrapper", 1, nameWrapperAbi),
  resolver2: contract("resolver", 2, [...resolverAbi.slice(2), ...resolverUnindexedKeyAbi], 1),
  resolver3: contract("resolver", 3, resolverWithoutValueAbi, 1),
  resolver4: contract("resolver", 4, resolverAbi),
  resolver5: contract("resolver", 5, resolverAbi),
  silentResolver: contract("reverse-resolver", 1, []),
  reverseRegistrar2: contract("reverse-registrar", 2, []),
  reverseRegistrar3: contract("reverse-registrar", 3, reverseRegistrarAbi),
  defaultReverseRegistrar: contract("default-reverse-registrar", 1, defaultReverseRegistrarAbi),
};

/** A resolver of another author: its logs count, its address is on no list. */
export const foreignResolver: Contract = {
  ...contracts.resolver4,
  address: "0x5555555555555555555555555555555555555555",
};

const base = mainnet.layer2.find(({ chainId }) => chainId === 8453) ?? mainnet;

/** The contracts that act on Base. */
export const baseContracts = {
  registry: contractOf(base, { role: "registry", generation: 2 }, registryAbi),
  registrar: contractOf(base, { role: "registrar", generation: 3 }, [
    ...registrarAbi,
    ...basenamesRegistrarAbi,
  ]),
  controller: contractOf(base, { role: "controller", generation: 6, position: 2 }, basenamesControllerAbi),
  resolver: contractOf(base, { role: "resolver", generation: 5 }, resolverAbi),
  reverseRegistrar: contractOf(
    base,
    { role: "reverse-registrar", generation: 4 },
    basenamesReverseRegistrarAbi,
  ),
  l2ReverseRegistrar: contractOf(base, { role: "l2-reverse-registrar", generation: 1 }, nameForAddrAbi),
};
