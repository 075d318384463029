import { type Hex, stringToHex, zeroHash } from "viem";
import { contracts } from "./contracts.ts";
import { timeOf } from "./ledger.ts";
import { writeRecords, writeReverse } from "./records.ts";
import {
  anAccount,
  ETH_NODE,
  input,
  labelOf,
  type Name,
  newName,
  price,
  type Scene,
  tokenOf,
  ZERO_ADDRESS,
} from "./scene.ts";

// Each function logs what the contracts log in one transaction, in their order; a test holds it against the local
// chain's contracts.

const { registry, registrar, wrapper, resolver3, resolver4, resolver5 } = contracts;
const YEAR = 31_536_000;
const GRACE = 90 * 86_400;

/** A registration: what, when and by whom. */
export type Registration = {
  block: number;
  number: number;
  years: number;
  isBare: boolean;
  hasReverse: boolean;
};

function begin(scene: Scene, { block, number, years }: Registration, to: Hex, words: number) {
  const owner = anAccount(scene);
  const before = scene.names[number];
  const name = before ?? newName(labelOf(scene.chance, number), ETH_NODE, owner);
  const isAgain = before !== undefined && !before.isOld;
  const oldOwner = before?.isWrapped ? wrapper.address : before?.owner;
  const cost = price(scene.chance);
  scene.ledger.begin(block, { from: owner, to, value: (cost * 11n) / 10n, input: input("85f6d155", words) });
  if (isAgain && oldOwner)
    scene.ledger.log(registrar, "Transfer", oldOwner, ZERO_ADDRESS, tokenOf(name.hash));
  const expiry = timeOf(block) + years * YEAR;
  Object.assign(name, { owner, expiry, isWrapped: false, isOld: false });
  scene.names[number] = name;
  return { name, owner, cost, expiry };
}

/** The logs of the token, of the registry and of the registrar, for the first holder of the name. */
function mint({ ledger }: Scene, name: Name, holder: Hex, expiry: number) {
  ledger.log(registrar, "Transfer", ZERO_ADDRESS, holder, tokenOf(name.hash));
  ledger.log(registry, "NewOwner", ETH_NODE, name.hash, holder);
  ledger.log(registrar, "NameRegistered", tokenOf(name.hash), holder, expiry);
}

/** The controllers of 2019, with the registrar and the registry before those of 2020. */
export function registerOld(scene: Scene, act: Registration): void {
  const { oldRegistry, oldRegistrar, controller1, controller2, resolver2 } = contracts;
  const controller = act.block < 8_659_893 ? controller1 : controller2;
  const { name, owner, cost, expiry } = begin(scene, act, controller.address, 4);
  const { ledger } = scene;
  ledger.log(oldRegistrar, "Transfer", ZERO_ADDRESS, owner, tokenOf(name.hash));
  ledger.log(oldRegistry, "NewOwner", ETH_NODE, name.hash, owner);
  ledger.log(oldRegistrar, "NameRegistered", tokenOf(name.hash), owner, expiry);
  ledger.log(controller, "NameRegistered", name.label, name.hash, owner, cost, expiry);
  name.isOld = true;
  if (act.isBare) return;
  ledger.begin(act.block, { from: owner, to: oldRegistry.address, value: 0n, input: input("1896f70a", 2) });
  ledger.log(oldRegistry, "NewResolver", name.node, resolver2.address);
  ledger.begin(act.block, { from: owner, to: resolver2.address, value: 0n, input: input("d5fa2b00", 2) });
  ledger.log(resolver2, "AddrChanged", name.node, owner);
}

/** Brings a name of 2019 into the registrar of 2020. */
export function migrate(scene: Scene, block: number, number: number): void {
  const name = scene.names[number];
  if (name === undefined || name.expiry === null) return;
  const from = name.owner;
  scene.ledger.begin(block, { from, to: registrar.address, value: 0n, input: input("ae0c6a9d", 2) });
  mint(scene, name, from, name.expiry);
  name.isOld = false;
}

/** The controller of 2020, with or without a resolver and an address. */
export function registerV3(scene: Scene, act: Registration): void {
  const { controller3 } = contracts;
  const { name, owner, cost, expiry } = begin(scene, act, controller3.address, 6);
  const { ledger } = scene;
  mint(scene, name, act.isBare ? owner : controller3.address, expiry);
  if (!act.isBare) {
    name.resolver = resolver3;
    ledger.log(registry, "NewResolver", name.node, resolver3.address);
    writeRecords(scene, name, { address: owner });
    ledger.log(registry, "NewOwner", ETH_NODE, name.hash, owner);
    ledger.log(registrar, "Transfer", controller3.address, owner, tokenOf(name.hash));
  } else if (name.resolver) name.resolver = null;
  ledger.log(controller3, "NameRegistered", name.label, name.hash, owner, cost, expiry);
}

/** The controller of 2023, which wraps. */
export function registerV4(scene: Scene, act: Registration): void {
  const { controller4 } = contracts;
  const { name, owner, cost, expiry } = begin(scene, act, controller4.address, 12);
  const { ledger } = scene;
  mint(scene, name, wrapper.address, expiry);
  ledger.log(wrapper, "TransferSingle", controller4.address, ZERO_ADDRESS, owner, tokenOf(name.node), 1);
  ledger.log(wrapper, "NameWrapped", name.node, dnsName([name.label, "eth"]), owner, 196608, expiry + GRACE);
  name.isWrapped = true;
  if (!act.isBare) {
    name.resolver = resolver4;
    ledger.log(registry, "NewResolver", name.node, resolver4.address);
    writeRecords(scene, name, { address: owner, texts: scene.chance.whole(3) });
    if (act.hasReverse) writeReverse(scene, owner, resolver4, `${name.label}.eth`);
  }
  ledger.log(controller4, "NameRegistered", name.label, name.hash, owner, cost, 0n, expiry);
}

/** The controller of 2025, which does not. */
export function registerV5(scene: Scene, act: Registration): void {
  const { controller5 } = contracts;
  const { name, owner, cost, expiry } = begin(scene, act, controller5.address, 16);
  const { ledger } = scene;
  mint(scene, name, act.isBare ? owner : controller5.address, expiry);
  if (!act.isBare) {
    name.resolver = resolver5;
    ledger.log(registry, "Transfer", name.node, owner);
    ledger.log(registry, "NewResolver", name.node, resolver5.address);
    writeRecords(scene, name, { address: owner, texts: scene.chance.whole(3) });
    ledger.log(registrar, "Transfer", controller5.address, owner, tokenOf(name.hash));
    if (act.hasReverse) writeReverse(scene, owner, resolver5, `${name.label}.eth`);
  }
  ledger.log(controller5, "NameRegistered", name.label, name.hash, owner, cost, 0n, expiry, zeroHash);
}

/** A private controller that logs nothing: the label stays unknown. */
export function registerByHash(scene: Scene, act: Registration): void {
  const { name, owner, expiry } = begin(scene, act, registrar.address, 3);
  mint(scene, name, owner, expiry);
}

/** A renewal through the controller of that time. */
export function renew(scene: Scene, { block, number, years }: Registration): void {
  const name = scene.names[number];
  if (name?.expiry == null || name.isOld || name.expiry + GRACE < timeOf(block)) return;
  name.expiry += years * YEAR;
  const { ledger, chance } = scene;
  const { referrer, controller3, controller4, controller5 } = contracts;
  const isReferred = block > 23_784_217 && chance.happens(0.1);
  const isOfWrapped = isReferred || (block > 16_925_618 && (name.isWrapped || chance.happens(0.2)));
  const isOfNewest = !isOfWrapped && block > 22_764_821;
  const controller = isOfWrapped ? controller4 : isOfNewest ? controller5 : controller3;
  const cost = price(chance);
  const to = isReferred ? referrer : controller;
  ledger.begin(block, { from: name.owner, to: to.address, value: cost, input: input("acf1a841", 4) });
  ledger.log(registrar, "NameRenewed", tokenOf(name.hash), name.expiry);
  const end = isOfNewest ? [zeroHash] : [];
  ledger.log(controller, "NameRenewed", name.label, name.hash, cost, name.expiry, ...end);
  if (isReferred)
    ledger.log(referrer, "RenewalReferred", name.label, name.hash, cost, years * YEAR, zeroHash);
}

/** A name in DNS wire format. */
export function dnsName(labels: readonly string[]): Hex {
  const parts = labels.map((label) => {
    const bytes = stringToHex(label).slice(2);
    return (bytes.length / 2).toString(16).padStart(2, "0") + bytes;
  });
  return `0x${parts.join("")}00`;
}
