import { type Address, zeroAddress } from "viem";
import {
  addressOf,
  ETH_NODE,
  hashLabel,
  ROOT_NODE,
  send,
  sendInOneBlock,
  setOwner,
  setRecord,
  setResolver,
  setSubnodeOwner,
  setSubnodeRecord,
  setTTL,
} from "../devnet/acts.ts";
import type { Act } from "./catalogue.ts";
import { findPlace, isPerson, type Place, type Scene, type State, stateOf } from "./scene.ts";

/** Any resolver that a name may get: all generations, the silent one, one that only forges, a person, none. */
export const anyResolver = (scene: Scene): Address =>
  scene.pick([
    ...[
      "resolver2",
      "resolver3",
      "resolver4",
      "resolver5",
      "resolver5",
      "reverseResolver1",
      "logEmitter",
    ].map((name) => addressOf(scene.chain, name)),
    scene.people[0] ?? zeroAddress,
    zeroAddress,
  ]);

/** Mostly a person; else the wrapper without a token, a contract, or nobody: zero, or the registry's own address. */
const anyOwner = (scene: Scene): Address =>
  scene.pick([
    ...scene.people,
    ...scene.people,
    zeroAddress,
    addressOf(scene.chain, "registry"),
    addressOf(scene.chain, "wrapper"),
    addressOf(scene.chain, "batch"),
  ]);

const isHeld = (scene: Scene) => (_: Place, state: State) => isPerson(scene, state.registryOwner);
const isHeldInOld = (scene: Scene) => (_: Place, state: State) => isPerson(scene, state.oldOwner);

/** A place whose parent somebody holds in the registry, so that he can make or take it. */
function childOfHeld(scene: Scene, owner: "registryOwner" | "oldOwner") {
  const parentState = (place: Place) => scene.states.get(place.parent);
  const place = findPlace(scene, (one) => isPerson(scene, parentState(one)?.[owner] ?? zeroAddress));
  return { place, from: parentState(place)?.[owner] ?? scene.deployer };
}

const subname = (scene: Scene) => {
  const { place, from } = childOfHeld(scene, "registryOwner");
  const act = { from, parent: place.parent, label: place.label, owner: anyOwner(scene) };
  if (scene.number(2) === 0) return setSubnodeOwner(scene.chain, act);
  return setSubnodeRecord(scene.chain, {
    ...act,
    resolver: anyResolver(scene),
    ttl: BigInt(scene.number(3)),
  });
};

const give = (scene: Scene) => {
  const place = findPlace(scene, isHeld(scene));
  return setOwner(scene.chain, {
    ...{ from: stateOf(scene, place).registryOwner, node: place.node },
    owner: anyOwner(scene),
  });
};

const setAll = (scene: Scene) => {
  const place = findPlace(scene, isHeld(scene));
  const act = { from: stateOf(scene, place).registryOwner, node: place.node, owner: anyOwner(scene) };
  return setRecord(scene.chain, { ...act, resolver: anyResolver(scene), ttl: BigInt(scene.number(3)) });
};

const chooseResolver = (scene: Scene) => {
  const place = findPlace(scene, isHeld(scene));
  const from = stateOf(scene, place).registryOwner;
  return setResolver(scene.chain, { from, node: place.node, resolver: anyResolver(scene) });
};

const setTime = (scene: Scene) => {
  const place = findPlace(scene, isHeld(scene));
  const from = stateOf(scene, place).registryOwner;
  return setTTL(scene.chain, { from, node: place.node, ttl: BigInt(scene.number(1000)) });
};

/** Several changes of one node in one block. */
const severalInOneBlock = (scene: Scene) => {
  const place = findPlace(scene, isHeld(scene));
  const from = stateOf(scene, place).registryOwner;
  const call = (functionName: string, ...args: unknown[]) => ({
    from,
    contract: "registry",
    functionName,
    args,
  });
  return sendInOneBlock(scene.chain, [
    call("setResolver", place.node, anyResolver(scene)),
    call("setResolver", place.node, anyResolver(scene)),
    call("setOwner", place.node, anyOwner(scene)),
  ]);
};

/** A top-level name: the root makes it, in either registry; in the new one that moves it there. */
const topLevel = (scene: Scene) => {
  const { chain, deployer, prefix, pick, people } = scene;
  const label = pick([`${prefix}tld`, `${prefix}old`, `${prefix}old`]);
  const owner = pick(people);
  if (label.endsWith("old") && scene.number(3) > 0) {
    return setSubnodeOwner(chain, {
      from: deployer,
      registry: "oldRegistry",
      parent: ROOT_NODE,
      label,
      owner,
    });
  }
  const args = [hashLabel(label), owner];
  return send(chain, { from: deployer, contract: "root", functionName: "setSubnodeOwner", args });
};

/** Writes to the registry of 2017, also of nodes that were moved to that of 2020 long ago. */
const writeOld = (scene: Scene) => {
  const { chain } = scene;
  const registry = "oldRegistry";
  const place = findPlace(scene, isHeldInOld(scene));
  const [from, node] = [stateOf(scene, place).oldOwner, place.node];
  switch (scene.number(4)) {
    case 0:
      return setOwner(chain, { from, node, owner: scene.pick([...scene.people, zeroAddress]), registry });
    case 1:
      return setTTL(chain, { from, node, ttl: 5n, registry });
    default:
      return setResolver(chain, { from, node, resolver: anyResolver(scene), registry });
  }
};

const oldSubname = (scene: Scene) => {
  const { place, from } = childOfHeld(scene, "oldOwner");
  const owner = scene.pick([...scene.people, zeroAddress, addressOf(scene.chain, "registry")]);
  const act = { from, parent: place.parent, label: place.label, owner };
  return setSubnodeOwner(scene.chain, { ...act, registry: "oldRegistry" });
};

/** The .eth names of the old registry, while its root may do anything. */
const oldEthName = async (scene: Scene) => {
  const { chain, deployer: from } = scene;
  const { label } = findPlace(scene, (place) => place.parent === ETH_NODE);
  const registry = "oldRegistry";
  await setSubnodeOwner(chain, { from, registry, parent: ROOT_NODE, label: "eth", owner: from });
  return setSubnodeOwner(chain, { from, registry, parent: ETH_NODE, label, owner: scene.pick(scene.people) });
};

/** What owners and parents do in the registries. */
export const nameActs: Record<string, Act> = {
  makeSubname: { weight: 9, perform: subname },
  setOwner: { weight: 4, perform: give },
  setRecord: { weight: 3, perform: setAll },
  setResolver: { weight: 8, perform: chooseResolver },
  setTTL: { weight: 1, perform: setTime },
  changeInOneBlock: { weight: 2, perform: severalInOneBlock },
  makeTopLevel: { weight: 3, perform: topLevel },
  writeOldRegistry: { weight: 4, perform: writeOld },
  makeOldSubname: { weight: 3, perform: oldSubname },
  makeOldEthName: { weight: 2, perform: oldEthName },
};
