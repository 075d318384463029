import type { Hex } from "viem";
import { managedNameOf } from "../../../src/ens/managedNames.ts";
import { labelhash } from "../../../src/ens/name.ts";
import { baseContracts } from "./contracts.ts";
import { Ledger } from "./ledger.ts";
import { anAccount, childNode, input, labelOf, newName, price, tokenOf, ZERO_ADDRESS } from "./scene.ts";
import { addressOf, type Chance, hashOf, seeded } from "./seeded.ts";

// Base with Basenames. Each act logs what the contracts log in one transaction, in their order; test/chain/layer2-logs
// emits the same.

/** First and last block with logs: a block every two seconds since July 2024. */
const [FIRST_BLOCK, LAST_BLOCK] = [35_300_000, 54_000_000];
const HEAD = LAST_BLOCK + 100;
const [YEAR, SECONDS_OF_BLOCK] = [31_536_000, 2];
const GENESIS = 1_686_789_347;
const timeOf = (block: number): number => GENESIS + block * SECONDS_OF_BLOCK;

const { registry, registrar, controller, resolver, reverseRegistrar, l2ReverseRegistrar } = baseContracts;
const BASE_NODE = managedNameOf(8453)?.node ?? "0x";
const REVERSE_NODE = childNode(childNode(`0x${"0".repeat(64)}`, labelhash("reverse")), labelhash("80002105"));

type Scene = { ledger: Ledger; chance: Chance; people: number; reverse: Set<Hex> };
type Name = ReturnType<typeof newName> & { expiry: number };
type Act = { block: number; play: (scene: Scene, block: number) => void };

/** Generates the history of this number of names. Same seed, same chain. */
export function generateBase(names: number, seed = 1) {
  const chance = seeded(seed);
  const scene: Scene = {
    ledger: new Ledger(timeOf),
    chance,
    reverse: new Set<Hex>(),
    people: Math.ceil(names * 0.6),
  };
  const acts = Array.from({ length: names }, (_, number) => lifeOf(chance, number)).flat();
  for (const { block, play } of acts.sort((a, b) => a.block - b.block)) play(scene, block);
  return { ledger: scene.ledger, chainId: 8453, head: HEAD, timeOf };
}

/** What owners do later. The probabilities are estimates of Base's mix: a fifth as many logs as the sales. */
const kinds: readonly [probability: number, play: (scene: Scene, block: number, name: Name) => void][] = [
  [0.18, renew],
  [0.15, transfer],
  [0.3, setText],
  [0.1, setClaim],
  [0.04, addSubname],
];

function lifeOf(chance: Chance, number: number): Act[] {
  const start = FIRST_BLOCK + chance.whole(LAST_BLOCK - FIRST_BLOCK);
  const name = { current: undefined as Name | undefined };
  const acts: Act[] = [
    {
      block: start,
      play: (scene, block) => {
        name.current = register(scene, block, number);
      },
    },
  ];
  for (const [probability, play] of kinds) {
    if (!chance.happens(probability)) continue;
    const block = start + 1 + chance.whole(LAST_BLOCK - start);
    acts.push({ block, play: (scene, at) => name.current && play(scene, at, name.current) });
  }
  return acts;
}

/** A sale, with the address, some text, a reverse name for most and a discount for some. */
function register(scene: Scene, block: number, number: number): Name {
  const { ledger, chance } = scene;
  const owner = anAccount(scene);
  const expiry = timeOf(block) + (1 + chance.whole(3)) * YEAR;
  const name = { ...newName(labelOf(chance, number), BASE_NODE, owner), expiry };
  const hasDiscount = chance.happens(0.3);
  const cost = hasDiscount ? 0n : price(chance);
  const { node, hash, label } = name;
  ledger.begin(block, { from: owner, to: controller.address, value: cost, input: input("c7c79676", 24) });
  ledger.log(controller, "ETHPaymentProcessed", owner, cost);
  ledger.log(registrar, "Transfer", ZERO_ADDRESS, owner, tokenOf(hash));
  ledger.log(registry, "NewOwner", BASE_NODE, hash, owner);
  ledger.log(registry, "NewResolver", node, resolver.address);
  ledger.log(registrar, "NameRegisteredWithRecord", tokenOf(hash), owner, expiry, resolver.address, 0);
  ledger.log(resolver, "AddressChanged", node, 60, owner);
  ledger.log(resolver, "AddrChanged", node, owner);
  ledger.log(resolver, "AddressChanged", node, 2_147_492_101, owner);
  if (chance.happens(0.8)) writeReverse(scene, owner, `${label}.base.eth`);
  ledger.log(controller, "NameRegistered", label, hash, owner, expiry);
  if (hasDiscount) ledger.log(controller, "DiscountApplied", owner, hashOf("discount"));
  return name;
}

function writeReverse({ ledger, reverse }: Scene, address: Hex, text: string): void {
  const hash = labelhash(address.slice(2));
  const node = childNode(REVERSE_NODE, hash);
  ledger.log(reverseRegistrar, "BaseReverseClaimed", address, node);
  ledger.log(registry, "NewOwner", REVERSE_NODE, hash, address);
  if (!reverse.has(node)) ledger.log(registry, "NewResolver", node, resolver.address);
  ledger.log(resolver, "NameChanged", node, text);
  reverse.add(node);
}

function renew({ ledger, chance }: Scene, block: number, name: Name): void {
  const cost = price(chance);
  name.expiry += YEAR;
  const value = (cost * 11n) / 10n;
  ledger.begin(block, { from: name.owner, to: controller.address, value, input: input("acf1a841", 4) });
  ledger.log(controller, "ETHPaymentProcessed", name.owner, cost);
  ledger.log(registrar, "NameRenewed", tokenOf(name.hash), name.expiry);
  ledger.log(controller, "NameRenewed", name.label, name.hash, name.expiry);
}

/** A token is transferred; half of the receivers take the node too. */
function transfer(scene: Scene, block: number, name: Name): void {
  const { ledger, chance } = scene;
  const to = anAccount(scene);
  ledger.begin(block, { from: name.owner, to: registrar.address, value: 0n, input: input("23b872dd", 3) });
  ledger.log(registrar, "Transfer", name.owner, to, tokenOf(name.hash));
  if (chance.happens(0.5)) ledger.log(registry, "NewOwner", BASE_NODE, name.hash, to);
  name.owner = to;
}

function setText({ ledger, chance }: Scene, block: number, { owner, node, label }: Name): void {
  ledger.begin(block, { from: owner, to: resolver.address, value: 0n, input: input("10f13a8c", 8) });
  for (let count = 1 + chance.whole(3); count > 0; count--) {
    const key = chance.pick(["avatar", "description", "com.twitter", "url", "frames"]);
    ledger.log(resolver, "TextChanged", node, key, key, `https://${label}.example/${chance.whole(1e6)}`);
  }
}

function setClaim({ ledger }: Scene, block: number, { owner, label }: Name): void {
  const to = l2ReverseRegistrar.address;
  ledger.begin(block, { from: owner, to, value: 0n, input: input("c47f0027", 4) });
  ledger.log(l2ReverseRegistrar, "NameForAddrChanged", owner, `${label}.base.eth`);
}

function addSubname({ ledger, chance }: Scene, block: number, { owner, node }: Name): void {
  ledger.begin(block, { from: owner, to: registry.address, value: 0n, input: input("06ab5923", 3) });
  const hash = labelhash(`sub${chance.whole(1_000)}`);
  ledger.log(registry, "NewOwner", node, hash, addressOf(`sub ${node}`));
}
