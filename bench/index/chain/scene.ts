import { concat, type Hex, keccak256, zeroAddress, zeroHash } from "viem";
import { labelhash } from "../../../src/ens/name.ts";
import { type Contract, contracts } from "./contracts.ts";
import { Ledger } from "./ledger.ts";
import { addressOf, type Chance, hashOf, seeded } from "./seeded.ts";

/** A name of the chain as its contracts have it now. */
export type Name = {
  /** The text; logs of names that were registered by hash alone never hold it. */
  label: string;
  hash: Hex;
  node: Hex;
  owner: Hex;
  /** Unix seconds; null for subnames, which have none. */
  expiry: number | null;
  isWrapped: boolean;
  resolver: Contract | null;
  /** True in the registry of 2017 alone. */
  isOld: boolean;
};

/** What acts act on. */
export type Scene = {
  ledger: Ledger;
  chance: Chance;
  /** .eth names by number, once registered. */
  names: (Name | undefined)[];
  subnames: Name[];
  /** Reverse nodes by address, with the resolver each has. */
  reverse: Map<Hex, { node: Hex; hash: Hex; resolver: Contract }>;
  /** How many people there are; a few of them hold much. */
  people: number;
};

export const childNode = (parent: Hex, hash: Hex): Hex => keccak256(concat([parent, hash]));
const ETH_LABEL = labelhash("eth");
export const ETH_NODE = childNode(zeroHash, ETH_LABEL);
const REVERSE_LABEL = labelhash("reverse");
const REVERSE_NODE = childNode(zeroHash, REVERSE_LABEL);
const ADDR_LABEL = labelhash("addr");
export const ADDR_REVERSE_NODE = childNode(REVERSE_NODE, ADDR_LABEL);

const root = addressOf("root");

/** A scene in which the registry of 2017 has the top-level names. */
export function openScene(names: number, seed: number): Scene {
  const ledger = new Ledger();
  ledger.begin(3_330_000, { from: root, to: contracts.oldRegistry.address, value: 0n, input: "0x06ab5923" });
  ledger.log(contracts.oldRegistry, "NewOwner", zeroHash, ETH_LABEL, contracts.oldRegistrar.address);
  ledger.log(contracts.oldRegistry, "NewOwner", zeroHash, REVERSE_LABEL, root);
  ledger.log(
    contracts.oldRegistry,
    "NewOwner",
    REVERSE_NODE,
    ADDR_LABEL,
    contracts.reverseRegistrar2.address,
  );
  return {
    ledger,
    chance: seeded(seed),
    names: new Array(names),
    subnames: [],
    reverse: new Map(),
    people: Math.ceil(names * 0.45),
  };
}

/** Block at which the registry of 2020 was set up. */
export const NEW_REGISTRY_BLOCK = 9_380_420;

/** The registry of 2020 gets the top-level names. */
export function openNewRegistry({ ledger }: Scene): void {
  const { registry, registrar, reverseRegistrar2 } = contracts;
  ledger.begin(NEW_REGISTRY_BLOCK, { from: root, to: registry.address, value: 0n, input: "0x06ab5923" });
  ledger.log(registry, "NewOwner", zeroHash, ETH_LABEL, registrar.address);
  ledger.log(registry, "NewOwner", zeroHash, REVERSE_LABEL, root);
  ledger.log(registry, "NewOwner", REVERSE_NODE, ADDR_LABEL, reverseRegistrar2.address);
}

/** The reverse registrar of 2023 takes over the addresses' nodes. */
export function openReverseRegistrar({ ledger }: Scene, block: number): void {
  const { registry, reverseRegistrar3 } = contracts;
  ledger.begin(block, { from: root, to: registry.address, value: 0n, input: "0x06ab5923" });
  ledger.log(registry, "NewOwner", REVERSE_NODE, ADDR_LABEL, reverseRegistrar3.address);
}

/** A random account; a tenth of all acts are those of the hundred busiest. */
export function anAccount({ chance, people }: Pick<Scene, "chance" | "people">): Hex {
  return addressOf(`person ${chance.happens(0.1) ? chance.whole(100) : chance.whole(people)}`);
}

const words =
  "sun moon river stone cloud tiger apple ocean pixel crypto nova magic delta vault lucky happy silver golden ghost " +
  "ninja honey wolf storm frost ember coral maple jazz orbit quest rebel spark turbo vivid zen";
const stems = words.split(" ");

/** Labels that many people give to subnames, some of which are registered under .eth too. */
export const commonLabels = "www pay mail blog app nft dao wallet shop me vip club art game bank".split(" ");

/** The label of the .eth name with this number. */
export function labelOf(chance: Chance, number: number): string {
  if (number % 97 === 0 && number / 97 < commonLabels.length) return commonLabels[number / 97] as string;
  if (number % 11 === 0) return String(1_000_000 + number);
  return `${chance.pick(stems)}${chance.happens(0.3) ? chance.pick(stems) : ""}${number.toString(36)}`;
}

export const newName = (label: string, parent: Hex, owner: Hex): Name => {
  const hash = labelhash(label);
  return {
    label,
    hash,
    node: childNode(parent, hash),
    owner,
    expiry: null,
    isWrapped: false,
    resolver: null,
    isOld: false,
  };
};

/** Who owns an address's reverse node, and at which resolver it has a name. */
export function reverseOf(scene: Scene, address: Hex) {
  const known = scene.reverse.get(address);
  if (known) return { ...known, isNew: false };
  const hash = labelhash(address.slice(2));
  return { node: childNode(ADDR_REVERSE_NODE, hash), hash, resolver: null, isNew: true };
}

export const tokenOf = (hash: Hex): bigint => BigInt(hash);

/** A sum in wei, as a registration costs. */
export const price = (chance: Chance): bigint =>
  BigInt(1 + chance.whole(50)) * 10n ** 15n + BigInt(chance.whole(1e9));

/** Calldata that is never read: a selector and this number of words. */
export const input = (selector: string, wordCount: number): Hex =>
  `0x${selector}${hashOf(selector).slice(2).repeat(wordCount)}`;

export const ZERO_ADDRESS = zeroAddress;
