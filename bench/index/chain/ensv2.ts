import type { AbiEvent, Hex } from "viem";
import { type Deployment, knownDeployments } from "../../../abis/deployments.ts";
import { ensv2LabelStoreAbi, ensv2RegistryAbi } from "../../../abis/ensv2.ts";
import { labelhash } from "../../../src/ens/name.ts";
import { type Contract, contracts } from "./contracts.ts";
import { encoderOf } from "./encode.ts";
import { timeOf } from "./ledger.ts";
import { ETH_NODE, input, type Name, type Scene, tokenOf, ZERO_ADDRESS } from "./scene.ts";
import { addressOf } from "./seeded.ts";

// ENSv2 after the history of ENSv1: names of ENSv1 are reserved, fifty in a transaction, and some are migrated. Each act
// logs what the contracts log in one transaction, in their order. Source: ensdomains/contracts-v2, src/registry,
// src/migration.

const contract = (name: string, abi: readonly unknown[]): Contract => ({
  address: addressOf(`ENSv2 ${name}`),
  role: `ensv2 ${name}`,
  generation: 2,
  startBlock: 0,
  events: Object.fromEntries((abi as AbiEvent[]).map((event) => [event.name, encoderOf(event)])),
});

const root = contract("root", ensv2RegistryAbi);
const eth = contract("eth", ensv2RegistryAbi);
const labelStore = contract("labels", ensv2LabelStoreAbi);
const [registrar, batchSender, controller, graveyard, resolver, ensV1Resolver] = [
  "registrar",
  "batch sender",
  "migration controller",
  "graveyard",
  "resolver",
  "ENSv1 resolver",
].map((name) => addressOf(`ENSv2 ${name}`)) as [Hex, Hex, Hex, Hex, Hex, Hex];

/** Mainnet with these contracts. */
export const deploymentWithEnsv2 = (startBlock: number): Deployment => ({
  ...knownDeployments.mainnet(),
  layer2: [],
  ensv2: {
    startBlock,
    layout: "2026-05",
    rootRegistry: root.address,
    ethRegistry: eth.address,
    registrars: [registrar],
    renewersV1: [],
    batchSenders: [batchSender],
    migrationControllers: [controller],
    graveyards: [graveyard],
    factories: [],
    labelStores: [labelStore.address],
    implementations: { registry: [], wrapper: [], resolver: [] },
    ensV1Resolvers: [ensV1Resolver],
    publicResolvers: [resolver],
    graceSeconds: 2_419_200,
    premiumSeconds: 1_814_400,
    bonusSeconds: BONUS,
    paymentTokens: [],
  },
});

const BONUS = 5_356_800;
const NAMES_OF_TRANSACTION = 50;
const FOREVER = 2n ** 64n - 1n;
/** Nibbles of roles: those of the registrar for all names, and those of a name's holder after a migration. */
const REGISTRAR_ROLES = (1n << 0n) | (1n << 16n);
const HOLDER_ROLES = (1n << 20n) | (1n << 24n) | (1n << 32n) | (1n << 148n) | (1n << 152n) | (1n << 156n);

/** Where a registry keeps a label: also the first token of it, and the key of its roles. */
const storageIdOf = (hash: Hex): bigint => (BigInt(hash) >> 32n) << 32n;

/** How many names are reserved, and of these migrated. */
export type Cutover = { reserved: number; migrated: number };

/**
 * Plays it after the last block of ENSv1. Names are reserved whether or not they ended; those that did not are migrated.
 *
 * @returns the last block
 * @throws if there are fewer names
 */
export function playEnsv2(scene: Scene, { reserved, migrated }: Cutover, lastBlock: number): number {
  const names = scene.names.flatMap((name) => name ?? []).slice(0, reserved);
  const movable = names.filter((name) => isMovable(name, lastBlock)).slice(0, migrated);
  if (names.length < reserved || movable.length < migrated) {
    throw new Error(
      `The generated chain has ${names.length} names to reserve and ${movable.length} to migrate: ask for fewer, or for more --names`,
    );
  }
  let block = lastBlock + 1;
  open(scene, block);
  for (let at = 0; at < names.length; at += NAMES_OF_TRANSACTION) {
    reserve(scene, ++block, names.slice(at, at + NAMES_OF_TRANSACTION));
  }
  scene.ledger.begin(++block, act("grantRoles"));
  scene.ledger.log(eth, "EACRolesChanged", 0, registrar, 0, REGISTRAR_ROLES);
  movable.forEach((name, i) => {
    if (i % 3 === 0) block++;
    migrate(scene, block, name);
  });
  return block;
}

const isMovable = ({ expiry, isOld }: Name, lastBlock: number): boolean =>
  !isOld && expiry !== null && expiry > timeOf(lastBlock) + MOVING_SECONDS;

/** All that is generated takes less. */
const MOVING_SECONDS = 60 * 86_400;

const act = (what: string, from: Hex = batchSender) => ({
  from,
  to: eth.address,
  value: 0n,
  input: input(what.length.toString(16).padStart(8, "0"), 8),
});

/** The registries, and `eth` in the root. */
function open({ ledger }: Scene, block: number): void {
  const hash = labelhash("eth");
  const token = storageIdOf(hash);
  ledger.begin(block, act("deploy"));
  ledger.log(root, "RegistryCreated");
  ledger.log(eth, "RegistryCreated");
  ledger.log(root, "LabelRegistered", token, hash, "eth", graveyard, FOREVER, batchSender);
  ledger.log(root, "TransferSingle", batchSender, ZERO_ADDRESS, graveyard, token, 1);
  ledger.log(root, "TokenResource", token, token);
  ledger.log(root, "SubregistryUpdated", token, eth.address, batchSender);
  ledger.log(eth, "ParentUpdated", root.address, "eth", batchSender);
}

function reserve({ ledger }: Scene, block: number, names: readonly Name[]): void {
  ledger.begin(block, act("batchRegister"));
  for (const { label, hash, expiry } of names) {
    const token = storageIdOf(hash);
    ledger.log(labelStore, "Label", hash, label);
    ledger.log(eth, "LabelReserved", token, hash, label, (expiry ?? 0) + BONUS, batchSender);
    ledger.log(eth, "ResolverUpdated", token, ensV1Resolver, batchSender);
  }
}

/** What ENSv1 has goes to the graveyard, and the reservation becomes the owner's. */
function migrate({ ledger }: Scene, block: number, name: Name): void {
  const { owner, hash, node, label, expiry, isWrapped } = name;
  const { registry, registrar: base, wrapper } = contracts;
  ledger.begin(block, act("migrate", owner));
  if (isWrapped) {
    ledger.log(wrapper, "TransferSingle", owner, owner, controller, tokenOf(node), 1);
    ledger.log(registry, "NewResolver", node, ZERO_ADDRESS);
    ledger.log(wrapper, "TransferSingle", controller, controller, ZERO_ADDRESS, tokenOf(node), 1);
    ledger.log(registry, "Transfer", node, graveyard);
    ledger.log(wrapper, "NameUnwrapped", node, graveyard);
    ledger.log(base, "Transfer", wrapper.address, graveyard, tokenOf(hash));
  } else {
    ledger.log(base, "Transfer", owner, controller, tokenOf(hash));
    ledger.log(registry, "NewOwner", ETH_NODE, hash, controller);
    ledger.log(registry, "Transfer", node, graveyard);
    if (name.resolver) ledger.log(registry, "NewResolver", node, ZERO_ADDRESS);
    ledger.log(base, "Transfer", controller, graveyard, tokenOf(hash));
  }
  const token = storageIdOf(hash);
  ledger.log(eth, "LabelRegistered", token, hash, label, owner, (expiry ?? 0) + BONUS, controller);
  ledger.log(eth, "TransferSingle", controller, ZERO_ADDRESS, owner, token, 1);
  ledger.log(eth, "TokenResource", token, token);
  ledger.log(eth, "EACRolesChanged", token, owner, 0, HOLDER_ROLES);
  ledger.log(eth, "ResolverUpdated", token, resolver, controller);
}
