import { type Address, hexToBigInt, zeroAddress } from "viem";
import {
  addressOf,
  ETH_NODE,
  encodeCall,
  GRACE,
  hashLabel,
  ROOT_NODE,
  registerByHash,
  renewReferred,
  send,
  sendInOneBlock,
  setOwner,
  setRecord,
  setResolver,
  setSubnodeOwner,
  setSubnodeRecord,
  setTTL,
} from "../../devnet/acts.ts";
import type { Act } from "./catalogue.ts";
import {
  findPlace,
  isEthName,
  isPerson,
  NothingFits,
  type Place,
  type Scene,
  type State,
  stateOf,
} from "./scene.ts";

/** Any resolver that a name may get: every generation, the silent one, one that only forges, a person, none. */
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

/** Mostly a person; otherwise the wrapper without a token, a contract, or no owner: zero, or the registry's own address. */
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

/** A place whose parent a person holds in the registry and can therefore create or take. */
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
    from: stateOf(scene, place).registryOwner,
    node: place.node,
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

/** Changes one node several times in one block. */
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

/** A contract that holds names in any layer performs several acts on one of them in one transaction. */
const byContract = (scene: Scene) => {
  const { chain, pick, people } = scene;
  const batch = addressOf(chain, "batch");
  const place = findPlace(scene, (_, state) =>
    [state.registryOwner, state.registrant, state.wrapperOwner].includes(batch),
  );
  const state = stateOf(scene, place);
  const [to, token] = [pick(people), hexToBigInt(hashLabel(place.label))];
  const call = (contract: string, functionName: string, ...args: unknown[]) => ({
    target: addressOf(chain, contract),
    value: 0n,
    data: encodeCall(chain, { contract, functionName, args }),
  });
  const inRegistry = [
    call("registry", "setResolver", place.node, anyResolver(scene)),
    call("registry", "setResolver", place.node, anyResolver(scene)),
    call("registry", "setOwner", place.node, to),
  ];
  const inRegistrar = [
    call("registrar", "reclaim", token, batch),
    call("registrar", "reclaim", token, to),
    call("registrar", "transferFrom", batch, to, token),
  ];
  const inWrapper = [
    call("wrapper", "setResolver", place.node, anyResolver(scene)),
    call("wrapper", "safeTransferFrom", batch, to, hexToBigInt(place.node), 1n, "0x"),
  ];
  const calls =
    state.registrant === batch ? inRegistrar : state.registryOwner === batch ? inRegistry : inWrapper;
  return send(chain, { from: pick(people), contract: "batch", functionName: "run", args: [calls] });
};

/** Creates a top-level name by the root, in either registry; in the new one this moves it there. */
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

/** Writes to the registry of 2017, including nodes that moved to that of 2020 long ago. */
const writeOld = (scene: Scene) => {
  const { chain } = scene;
  const registry = "oldRegistry";
  const isUnmoved = (one: Place, state: State) => isHeldInOld(scene)(one, state) && !state.isMigrated;
  const isAnyUnmoved = scene.places.some((one) => isUnmoved(one, stateOf(scene, one)));
  const place = findPlace(scene, isAnyUnmoved && scene.number(2) > 0 ? isUnmoved : isHeldInOld(scene));
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

/** Writes the first record in the registry of 2020 for a node that the old one knows: its old resolver no longer counts. */
const moveToNew = async (scene: Scene) => {
  const { chain, deployer, people, number } = scene;
  const place = findPlace(scene, (one, state) => !state.isMigrated && canMove(scene, one));
  const { label, parent, node } = place;
  const state = stateOf(scene, place);
  const isHeld = isPerson(scene, state.oldOwner);
  const holder = isHeld ? state.oldOwner : (people[0] ?? deployer);
  const registry = "oldRegistry";
  if (!isHeld && parent !== ROOT_NODE && !isEthName(place)) throw new NothingFits("Only a root makes it");
  if (!isHeld && isEthName(place)) await makeInOld(scene, place, holder);
  if (!isHeld && parent === ROOT_NODE)
    await setSubnodeOwner(chain, { from: deployer, registry, parent, label, owner: holder });
  if (number(3) > 0) await setResolver(chain, { from: holder, node, resolver: anyResolver(scene), registry });
  if (isEthName(place)) return registerByHash(chain, { from: deployer, label, owner: holder });
  const from = scene.states.get(parent)?.registryOwner ?? deployer;
  if (parent !== ROOT_NODE) return setSubnodeOwner(chain, { from, parent, label, owner: holder });
  const args = [hashLabel(label), holder];
  return send(chain, { from: deployer, contract: "root", functionName: "setSubnodeOwner", args });
};

/** Whether a person or the deployer can create a place in the registry of 2020 now. */
const canMove = (scene: Scene, place: Place): boolean =>
  isEthName(place) ||
  place.parent === ROOT_NODE ||
  isPerson(scene, scene.states.get(place.parent)?.registryOwner ?? zeroAddress);

/** The root of the old registry can create any .eth name in it. */
async function makeInOld({ chain, deployer: from }: Scene, { label }: Place, owner: Address) {
  const registry = "oldRegistry";
  await setSubnodeOwner(chain, { from, registry, parent: ROOT_NODE, label: "eth", owner: from });
  return setSubnodeOwner(chain, { from, registry, parent: ETH_NODE, label, owner });
}

const oldSubname = (scene: Scene) => {
  const { place, from } = childOfHeld(scene, "oldOwner");
  const owner = scene.pick([...scene.people, zeroAddress, addressOf(scene.chain, "registry")]);
  const act = { from, parent: place.parent, label: place.label, owner };
  return setSubnodeOwner(scene.chain, { ...act, registry: "oldRegistry" });
};

const oldEthName = (scene: Scene) => {
  const place = findPlace(scene, isEthName);
  return makeInOld(scene, place, scene.pick(scene.people));
};

/** A name whose label is in no log gets subnames; then a renewal spells the label out, and all are renamed. */
const revealLate = async (scene: Scene) => {
  const { chain, deployer, people, pick } = scene;
  const childrenOf = (place: Place) => scene.places.filter(({ parent }) => parent === place.node);
  const isFree = (place: Place, state: State) =>
    isEthName(place) && state.expiry + GRACE < scene.now && childrenOf(place).length > 0;
  const place = findPlace(scene, isFree);
  const owner = pick(people);
  await registerByHash(chain, { from: deployer, label: place.label, owner });
  for (const child of childrenOf(place)) {
    await setSubnodeOwner(chain, { from: owner, parent: child.parent, label: child.label, owner });
    for (const { parent, label } of childrenOf(child)) {
      await setSubnodeOwner(chain, { from: owner, parent, label, owner: pick(people) });
    }
  }
  if (scene.number(3) > 0) await renewReferred(chain, { from: owner, label: place.label });
};

/** Acts of owners and parents in the registries. */
export const nameActs: Record<string, Act> = {
  makeSubname: { weight: 9, perform: subname },
  setOwner: { weight: 4, perform: give },
  setRecord: { weight: 3, perform: setAll },
  setResolver: { weight: 8, perform: chooseResolver },
  setTTL: { weight: 1, perform: setTime },
  changeInOneBlock: { weight: 2, perform: severalInOneBlock },
  actByContract: { weight: 4, perform: byContract },
  makeTopLevel: { weight: 3, perform: topLevel },
  writeOldRegistry: { weight: 6, perform: writeOld },
  makeOldSubname: { weight: 3, perform: oldSubname },
  revealLate: { weight: 4, perform: revealLate },
  moveToNewRegistry: { weight: 3, perform: moveToNew },
  makeOldEthName: { weight: 2, perform: oldEthName },
};
