import { type Address, type Hex, zeroAddress } from "viem";
import {
  addressOf,
  approveWrapped,
  DAY,
  dnsEncode,
  ETH_NODE,
  extendExpiry,
  FUSES,
  GRACE,
  latestTime,
  MAX_EXPIRY,
  mineBlocks,
  registerWrapped,
  send,
  setChildFuses,
  setFuses,
  setNextTime,
  setWrappedRecord,
  setWrappedResolver,
  setWrappedSubnodeOwner,
  setWrappedSubnodeRecord,
  setWrappedTTL,
  transferWrapped,
  transferWrappedBatch,
  unwrap,
  unwrapETH2LD,
  warp,
  wrapBySending,
  wrapETH2LD,
  wrapName,
  YEAR,
} from "../../devnet/acts.ts";
import { anyResolver } from "./actsOfNames.ts";
import type { Act } from "./catalogue.ts";
import {
  findPlace,
  isEthName,
  isPerson,
  isWrappedState,
  NothingFits,
  type Place,
  type Scene,
  type State,
  stateOf,
} from "./scene.ts";

const { CANNOT_UNWRAP, CANNOT_TRANSFER, CAN_EXTEND_EXPIRY, PARENT_CANNOT_CONTROL } = FUSES;

const isHolding = (scene: Scene) => (_: Place, state: State) =>
  isWrappedState(scene, state) && isPerson(scene, state.wrapperOwner);
const isEthHolding = (scene: Scene) => (place: Place, state: State) =>
  isEthName(place) && isHolding(scene)(place, state);
/** A child of a wrapped name that a person holds. */
function childOfWrapped(scene: Scene, fits: (state: State) => boolean = () => true) {
  const parentOf = (place: Place) => scene.states.get(place.parent);
  const isChild = (place: Place, state: State) => {
    const parent = parentOf(place);
    return parent !== undefined && isHolding(scene)(place, parent) && fits(state);
  };
  const place = findPlace(scene, isChild);
  return { place, parent: parentOf(place), from: parentOf(place)?.wrapperOwner ?? scene.deployer };
}

/** A wrapped child of a wrapped name, and the parent's holder; created if none exists. */
async function wrappedChild(scene: Scene) {
  const isWrapped = (state: State) => isWrappedState(scene, state) && isPerson(scene, state.wrapperOwner);
  try {
    const { place, from } = childOfWrapped(scene, isWrapped);
    return { place, from, owner: stateOf(scene, place).wrapperOwner };
  } catch (error) {
    if (!(error instanceof NothingFits)) throw error;
  }
  const { place, from } = childOfWrapped(scene, (state) => !isWrapped(state));
  const owner = scene.people[1] ?? from;
  const act = { from, parent: place.parent, label: place.label, owner, fuses: 0 };
  await setWrappedSubnodeOwner(scene.chain, { ...act, expiry: scene.now + 20n * DAY });
  return { place, from, owner };
}

const wrapEth = (scene: Scene) => {
  const { chain, pick, people, number } = scene;
  const place = findPlace(scene, (one, state) => isEthName(one) && isPerson(scene, state.registrant));
  const { label } = place;
  const resolver = number(3) === 0 ? anyResolver(scene) : zeroAddress;
  const from = stateOf(scene, place).registrant;
  const act = { from, owner: pick([from, ...people]), fuses: pick([0, 1, 1, 1, 5]), resolver };
  if (typeof label === "string" && number(2) === 0) return wrapBySending(chain, { ...act, label });
  return wrapETH2LD(chain, { ...act, label });
};

const wrapSub = (scene: Scene) => {
  const isHeld = (place: Place, state: State) => !isEthName(place) && isPerson(scene, state.registryOwner);
  // An unwrapped name keeps fuses and expiry in the wrapper, and gets them back when wrapped again.
  const hasLeft = (place: Place, state: State) => isHeld(place, state) && state.fuses > 0;
  const isAnyLeft = scene.places.some((place) => hasLeft(place, stateOf(scene, place)));
  const place = findPlace(scene, isAnyLeft ? hasLeft : isHeld);
  const from = stateOf(scene, place).registryOwner;
  const resolver = scene.number(3) === 0 ? anyResolver(scene) : zeroAddress;
  return wrapName(scene.chain, {
    from,
    labels: place.labels,
    owner: scene.pick([from, ...scene.people]),
    resolver,
  });
};

const unwrapEth = (scene: Scene) => {
  const { pick, people, chain } = scene;
  const place = findPlace(
    scene,
    (one, state) => isEthHolding(scene)(one, state) && (state.fuses & CANNOT_UNWRAP) === 0,
  );
  const from = stateOf(scene, place).wrapperOwner;
  const controller = pick([...people, zeroAddress]);
  return unwrapETH2LD(chain, { from, label: place.label, registrant: pick(people), controller });
};

const unwrapSub = async (scene: Scene) => {
  const isLoose = (place: Place, state: State) =>
    !isEthName(place) && isHolding(scene)(place, state) && (state.fuses & CANNOT_UNWRAP) === 0;
  const hasFuses = (place: Place, state: State) => isLoose(place, state) && state.fuses > 0;
  const isAnyFused = scene.places.some((place) => hasFuses(place, stateOf(scene, place)));
  const isAny = scene.places.some((place) => isLoose(place, stateOf(scene, place)));
  const place = isAny ? findPlace(scene, isAnyFused ? hasFuses : isLoose) : (await wrappedChild(scene)).place;
  const from = isAny ? stateOf(scene, place).wrapperOwner : (scene.people[1] ?? scene.deployer);
  const controller = scene.pick(scene.people);
  return unwrap(scene.chain, { from, parent: place.parent, label: place.label, controller });
};

const burn = (scene: Scene) => {
  const place = findPlace(scene, isHolding(scene));
  const fuses = scene.pick([1, 1, 1, 3, CANNOT_UNWRAP | CANNOT_TRANSFER, 9, 33, 65, 0]);
  return setFuses(scene.chain, { from: stateOf(scene, place).wrapperOwner, node: place.node, fuses });
};

/** Fuses that the parent may set: some only if it cannot be unwrapped itself. */
const fusesFor = (scene: Scene, parent: State | undefined): number =>
  scene.pick(((parent?.fuses ?? 0) & CANNOT_UNWRAP) === 0 ? [0, 0, 0, PARENT_CANNOT_CONTROL] : childFuses);

const anyExpiry = ({ pick, now }: Scene): bigint =>
  pick([0n, now - 1n, now, now + DAY, now + 30n * DAY, now + YEAR, MAX_EXPIRY]);
const childFuses = [
  0,
  CAN_EXTEND_EXPIRY,
  PARENT_CANNOT_CONTROL,
  PARENT_CANNOT_CONTROL | CANNOT_UNWRAP,
  0x50001,
];

const burnOfChild = async (scene: Scene) => {
  const { place, from } = await wrappedChild(scene);
  const fuses = fusesFor(scene, scene.states.get(place.parent));
  const act = { from, parent: place.parent, label: place.label, fuses };
  return setChildFuses(scene.chain, { ...act, expiry: anyExpiry(scene) });
};

const extend = async (scene: Scene) => {
  const { place, from, owner } = await wrappedChild(scene);
  const act = { from: scene.pick([from, from, owner]), parent: place.parent, label: place.label };
  return extendExpiry(scene.chain, { ...act, expiry: anyExpiry(scene) });
};

const child = (scene: Scene) => {
  const isOpen = (state: State) => (state.fuses & PARENT_CANNOT_CONTROL) === 0;
  const { place, parent, from } = childOfWrapped(scene, isOpen);
  const owner = scene.pick([...scene.people, ...scene.people, zeroAddress, addressOf(scene.chain, "batch")]);
  const act = { from, parent: place.parent, label: place.label, owner };
  const how = { fuses: fusesFor(scene, parent), expiry: anyExpiry(scene) };
  if (scene.number(2) === 0) return setWrappedSubnodeOwner(scene.chain, { ...act, ...how });
  return setWrappedSubnodeRecord(scene.chain, { ...act, ...how, resolver: anyResolver(scene), ttl: 1n });
};

const setAll = (scene: Scene) => {
  const { chain, pick, people } = scene;
  const place = findPlace(scene, isHolding(scene));
  const [from, node] = [stateOf(scene, place).wrapperOwner, place.node];
  switch (scene.number(4)) {
    case 0:
      return setWrappedTTL(chain, { from, node, ttl: 7n });
    case 1:
      return setWrappedRecord(chain, {
        from,
        node,
        owner: pick([...people, zeroAddress]),
        resolver: anyResolver(scene),
      });
    default:
      return setWrappedResolver(chain, { from, node, resolver: anyResolver(scene) });
  }
};

const canMove = (scene: Scene) => (place: Place, state: State) =>
  isHolding(scene)(place, state) && (state.fuses & CANNOT_TRANSFER) === 0;

const give = (scene: Scene) => {
  const place = findPlace(scene, canMove(scene));
  const to = scene.pick([...scene.people, addressOf(scene.chain, "batch")]);
  return transferWrapped(scene.chain, { from: stateOf(scene, place).wrapperOwner, node: place.node, to });
};

const giveSeveral = (scene: Scene) => {
  const first = findPlace(scene, canMove(scene));
  const from: Address = stateOf(scene, first).wrapperOwner;
  const isOwn = (place: Place) => {
    const state = stateOf(scene, place);
    return canMove(scene)(place, state) && state.wrapperOwner === from;
  };
  const nodes: Hex[] = scene.places.filter(isOwn).map(({ node }) => node);
  const to = scene.pick(scene.people);
  return transferWrappedBatch(scene.chain, { from, nodes: nodes.slice(0, scene.number(4)), to });
};

const approve = (scene: Scene) => {
  const place = findPlace(scene, isHolding(scene));
  const to = scene.pick([...scene.people, zeroAddress]);
  return approveWrapped(scene.chain, { from: stateOf(scene, place).wrapperOwner, node: place.node, to });
};

/** Hands a name over to a later wrapper: the token is burnt without NameUnwrapped. */
const upgrade = async (scene: Scene) => {
  const { chain, deployer } = scene;
  const place = findPlace(scene, isHolding(scene));
  const upgraded = addressOf(chain, "upgradedWrapper");
  const contract = "wrapper";
  await send(chain, { from: deployer, contract, functionName: "setUpgradeContract", args: [upgraded] });
  const args = [dnsEncode(place.labels), "0x"];
  return send(chain, { from: stateOf(scene, place).wrapperOwner, contract, functionName: "upgrade", args });
};

/** The parent reclaims a wrapped child in the registry, without a log of the wrapper. */
const unwrapAbove = async (scene: Scene) => {
  const place = findPlace(scene, (one, state) => isWrappedState(scene, state) && one.parent !== ETH_NODE);
  const parent = scene.places.find(({ node }) => node === place.parent);
  if (parent === undefined || !isEthHolding(scene)(parent, stateOf(scene, parent))) return unwrapEth(scene);
  const from = stateOf(scene, parent).wrapperOwner;
  await unwrapETH2LD(scene.chain, { from, label: parent.label });
  const args = [parent.node, scene.pick(scene.people)];
  return send(scene.chain, { from, contract: "registry", functionName: "setOwner", args });
};

/** A wrapped .eth name that cannot be unwrapped, and so may burn fuses of its subnames; a new one if none exists. */
async function lockedParent(scene: Scene): Promise<{ parent: Place; holder: Address }> {
  const { chain, people, now } = scene;
  const hasChildren = (place: Place) => scene.places.some((one) => one.parent === place.node);
  const isLocked = (place: Place, state: State) =>
    isEthHolding(scene)(place, state) &&
    (state.fuses & CANNOT_UNWRAP) !== 0 &&
    state.expiry > now + 30n * DAY &&
    hasChildren(place);
  if (scene.places.some((place) => isLocked(place, stateOf(scene, place)))) {
    const parent = findPlace(scene, isLocked);
    return { parent, holder: stateOf(scene, parent).wrapperOwner };
  }
  const isFree = (place: Place, state: State) =>
    isEthName(place) && state.expiry + GRACE < now && hasChildren(place);
  const parent = findPlace(scene, isFree);
  const holder = people[0] ?? scene.deployer;
  await registerWrapped(chain, { from: holder, label: parent.label, fuses: CANNOT_UNWRAP });
  return { parent, holder };
}

/** A subname that expires soon, and acts on it at that very second or after. */
const outlive = async (scene: Scene) => {
  const { chain, pick, people } = scene;
  const { parent, holder } = await lockedParent(scene);
  const isChild = (place: Place, state: State) =>
    place.parent === parent.node && (state.fuses & PARENT_CANNOT_CONTROL) === 0;
  const { node, label } = findPlace(scene, isChild);
  const owner = pick(people);
  // The previous step may have set the next block's time beyond any expiry chosen now.
  await mineBlocks(chain, { count: 1 });
  const expiry = (await latestTime(chain)) + 2n * DAY;
  const child = { from: holder, parent: parent.node, label };
  await setWrappedSubnodeOwner(chain, { ...child, owner, fuses: pick(childFuses), expiry });
  await setNextTime(chain, expiry + pick([0n, 1n, 1n, 1n]));
  const later = expiry + 10n * DAY;
  switch (scene.number(6)) {
    case 0:
      return extendExpiry(chain, { ...child, expiry: later });
    case 1:
      return transferWrapped(chain, { from: owner, node, to: pick(people) });
    case 2:
      return unwrap(chain, { ...child, from: owner });
    case 3:
      return setChildFuses(chain, { ...child, fuses: pick(childFuses), expiry: later });
    case 4:
      return setWrappedSubnodeOwner(chain, { ...child, owner: pick(people), fuses: 0, expiry: later });
    default:
      return transferWrappedBatch(chain, { from: owner, nodes: [node], to: pick(people) });
  }
};

/** A subname is unwrapped and wrapped again before it expires: fuses burnt by its parent stay burnt. */
const rewrap = async (scene: Scene) => {
  const { chain, pick, people } = scene;
  const { parent, holder } = await lockedParent(scene);
  const isChild = (place: Place, state: State) =>
    place.parent === parent.node && (state.fuses & PARENT_CANNOT_CONTROL) === 0;
  const { label, labels } = findPlace(scene, isChild);
  const owner = pick(people);
  const child = { parent: parent.node, label };
  const fuses = pick([PARENT_CANNOT_CONTROL, PARENT_CANNOT_CONTROL | CAN_EXTEND_EXPIRY, CAN_EXTEND_EXPIRY]);
  const expiry = (await latestTime(chain)) + pick([25n * DAY, DAY]);
  await setWrappedSubnodeOwner(chain, { ...child, from: holder, owner, fuses, expiry });
  await unwrap(chain, { ...child, from: owner });
  if (scene.number(4) === 0) await warp(chain, { seconds: 2n * DAY });
  return wrapName(chain, { from: owner, labels });
};

/** Acts of holders of wrapped names and of their parents. */
export const wrapperActs: Record<string, Act> = {
  wrapEthName: { weight: 7, perform: wrapEth },
  wrapName: { weight: 5, perform: wrapSub },
  unwrapEthName: { weight: 4, perform: unwrapEth },
  unwrapName: { weight: 5, perform: unwrapSub },
  setFuses: { weight: 4, perform: burn },
  setChildFuses: { weight: 6, perform: burnOfChild },
  extendExpiry: { weight: 5, perform: extend },
  makeWrappedSubname: { weight: 10, perform: child },
  setWrappedRecord: { weight: 5, perform: setAll },
  transferWrapped: { weight: 4, perform: give },
  transferSeveralWrapped: { weight: 2, perform: giveSeveral },
  approveWrapped: { weight: 9, perform: approve },
  upgradeWrapped: { weight: 1, perform: upgrade },
  outlive: { weight: 6, perform: outlive },
  rewrap: { weight: 5, perform: rewrap },
  unwrapParent: { weight: 2, perform: unwrapAbove },
};
