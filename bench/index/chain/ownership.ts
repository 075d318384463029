import type { Hex } from "viem";
import { contracts } from "./contracts.ts";
import { timeOf } from "./ledger.ts";
import { writeRecords } from "./records.ts";
import { dnsName } from "./registrations.ts";
import {
  anAccount,
  commonLabels,
  ETH_NODE,
  input,
  type Name,
  newName,
  type Scene,
  tokenOf,
  ZERO_ADDRESS,
} from "./scene.ts";

const { registry, registrar, wrapper, resolver4 } = contracts;

/** A .eth name gets another owner, who sometimes takes the registry's record too. */
export function transfer(scene: Scene, block: number, name: Name): void {
  if (name.expiry !== null && name.expiry < timeOf(block)) return;
  const { ledger, chance } = scene;
  const [from, to] = [name.owner, anAccount(scene)];
  name.owner = to;
  const token = name.isWrapped ? wrapper : registrar;
  ledger.begin(block, { from, to: token.address, value: 0n, input: input("42842e0e", 3) });
  if (name.isWrapped) ledger.log(wrapper, "TransferSingle", from, from, to, tokenOf(name.node), 1);
  else ledger.log(registrar, "Transfer", from, to, tokenOf(name.hash));
  if (name.isWrapped || chance.happens(0.4)) return;
  ledger.begin(block, { from: to, to: registrar.address, value: 0n, input: input("28ed4f6c", 2) });
  ledger.log(registry, "NewOwner", ETH_NODE, name.hash, to);
}

/** An owner has a .eth name wrapped. */
export function wrap({ ledger }: Scene, block: number, name: Name): void {
  if (name.isWrapped || name.isOld || name.expiry === null || name.expiry < timeOf(block)) return;
  const { owner, expiry, node, hash } = name;
  const wished = expiry + 90 * 86_400;
  ledger.begin(block, { from: owner, to: wrapper.address, value: 0n, input: input("8cf8b41e", 5) });
  ledger.log(registrar, "Transfer", owner, wrapper.address, tokenOf(hash));
  ledger.log(registry, "NewOwner", ETH_NODE, hash, wrapper.address);
  ledger.log(wrapper, "TransferSingle", owner, ZERO_ADDRESS, owner, tokenOf(node), 1);
  ledger.log(wrapper, "NameWrapped", node, dnsName([name.label, "eth"]), owner, 196608, wished);
  if (name.resolver?.address !== resolver4.address)
    ledger.log(registry, "NewResolver", node, resolver4.address);
  Object.assign(name, { isWrapped: true, resolver: resolver4 });
}

/** And unwrapped. */
export function unwrap({ ledger }: Scene, block: number, name: Name): void {
  if (!name.isWrapped || name.expiry === null || name.expiry < timeOf(block)) return;
  const { owner, node, hash } = name;
  ledger.begin(block, { from: owner, to: wrapper.address, value: 0n, input: input("8b4dfa75", 3) });
  ledger.log(wrapper, "TransferSingle", owner, owner, ZERO_ADDRESS, tokenOf(node), 1);
  ledger.log(registry, "Transfer", node, owner);
  ledger.log(wrapper, "NameUnwrapped", node, owner);
  ledger.log(registrar, "Transfer", wrapper.address, owner, tokenOf(hash));
  name.isWrapped = false;
}

/** Burns fuses of a wrapped name. */
export function setFuses({ ledger }: Scene, block: number, name: Name): void {
  if (!name.isWrapped || name.expiry === null || name.expiry < timeOf(block)) return;
  ledger.begin(block, { from: name.owner, to: wrapper.address, value: 0n, input: input("402906fc", 2) });
  ledger.log(wrapper, "FusesSet", name.node, 196608 + 1);
}

/** A name gets a child, by the registry (its label stays unknown) or by the wrapper (which spells it out). */
export function addSubname(scene: Scene, block: number, parent: Name, parentLabels: readonly string[]): void {
  const { ledger, chance } = scene;
  const common = chance.happens(0.5);
  const label = common ? chance.pick(commonLabels) : `user${chance.whole(1e9).toString(36)}`;
  const owner = chance.happens(0.5) ? parent.owner : anAccount(scene);
  const child = newName(label, parent.node, owner);
  const hasResolver = chance.happens(0.6);
  const to = parent.isWrapped ? wrapper.address : registry.address;
  ledger.begin(block, { from: parent.owner, to, value: 0n, input: input("5ef2c7f0", 5) });
  ledger.log(registry, "NewOwner", parent.node, child.hash, parent.isWrapped ? wrapper.address : owner);
  if (hasResolver) ledger.log(registry, "NewResolver", child.node, resolver4.address);
  if (hasResolver) child.resolver = resolver4;
  if (parent.isWrapped) {
    ledger.log(wrapper, "TransferSingle", parent.owner, ZERO_ADDRESS, owner, tokenOf(child.node), 1);
    ledger.log(wrapper, "NameWrapped", child.node, dnsName([label, ...parentLabels]), owner, 0, 0);
    child.isWrapped = true;
  }
  scene.subnames.push(child);
  if (hasResolver && chance.happens(0.5)) addressOfSubname(scene, block, child);
}

function addressOfSubname(scene: Scene, block: number, child: Name): void {
  const from: Hex = child.owner;
  scene.ledger.begin(block, { from, to: resolver4.address, value: 0n, input: input("d5fa2b00", 2) });
  writeRecords(scene, child, { address: from });
}

/** An operator is allowed to act for an owner: a log that concerns no name. */
export function approveOperator(scene: Scene, block: number): void {
  const [owner, operator] = [anAccount(scene), anAccount(scene)];
  const contract = scene.chance.pick([registry, registrar, wrapper]);
  const at = block < 16_925_608 && contract === wrapper ? registry : contract;
  scene.ledger.begin(block, { from: owner, to: at.address, value: 0n, input: input("a22cb465", 2) });
  scene.ledger.log(at, "ApprovalForAll", owner, operator, true);
}
