import { type Address, zeroHash } from "viem";
import {
  addressOf,
  approveForAll,
  approveRegistration,
  auctionName,
  type Call,
  DAY,
  feedAnswer,
  GRACE,
  hashLabel,
  migrateRegistration,
  reclaim,
  registerByHash,
  registerManyReferred,
  registerOnly,
  registerReferred,
  registerV3,
  registerWithConfigV3,
  registerWrapped,
  renew,
  renewAll,
  renewByHash,
  renewReferred,
  send,
  sendInOneBlock,
  transferRegistration,
  useOldRegistrar,
  YEAR,
} from "../../devnet/acts.ts";
import type { Act } from "./catalogue.ts";
import { records } from "./recordChoices.ts";
import { findPlace, isEthName, isPerson, type Place, type Scene, type State, stateOf } from "./scene.ts";

const durations = [28n * DAY, 28n * DAY + 1n, 60n * DAY, 180n * DAY, YEAR, 2n * YEAR];

const isFree = (scene: Scene) => (place: Place, state: State) =>
  isEthName(place) && state.expiry + GRACE < scene.now;
const isOwned = (scene: Scene) => (place: Place, state: State) =>
  isEthName(place) && isPerson(scene, state.registrant);
const isRenewable = (scene: Scene) => (place: Place, state: State) =>
  isEthName(place) && state.expiry > 0n && state.expiry + GRACE >= scene.now;

const newest = (scene: Scene) => {
  const { label } = findPlace(scene, isFree(scene));
  const from = scene.pick(scene.people);
  const hasRecords = scene.number(3) > 0;
  return registerReferred(scene.chain, {
    from,
    label,
    owner: scene.pick([from, from, ...scene.people]),
    duration: scene.pick(durations),
    ...(hasRecords && { resolver: "resolver5", records: records(scene, "resolver5", scene.number(4)) }),
    ...(hasRecords && { reverseRecord: scene.number(4) }),
    referrer: scene.pick([zeroHash, hashLabel("a friend")]),
  });
};

const wrapped = (scene: Scene) => {
  const { label } = findPlace(scene, isFree(scene));
  const from = scene.pick(scene.people);
  const hasRecords = scene.number(2) > 0;
  return registerWrapped(scene.chain, {
    from,
    label,
    owner: scene.pick([from, ...scene.people]),
    duration: scene.pick(durations),
    ...(hasRecords && { resolver: "resolver4", records: records(scene, "resolver4", scene.number(3)) }),
    ...(hasRecords && { reverseRecord: scene.number(3) === 0 }),
    fuses: scene.pick([0, 0, 1, 1, 1, 5, 9, 33]),
  });
};

const earlier = (scene: Scene) => {
  const { label } = findPlace(scene, isFree(scene));
  const from = scene.pick(scene.people);
  const registration = {
    from,
    label,
    owner: scene.pick([from, ...scene.people]),
    duration: scene.pick(durations),
  };
  if (scene.number(2) === 0) return registerV3(scene.chain, registration);
  const addr = scene.pick(scene.people);
  return registerWithConfigV3(scene.chain, { ...registration, resolver: "resolver3", addr });
};

/** The registrar of 2019 on the old registry, and names moved from it to that of 2020. */
const oldest = async (scene: Scene) => {
  const { chain, deployer, number, pick, people } = scene;
  const { label } = findPlace(scene, (place, state) => isEthName(place) && state.expiry === 0n);
  await useOldRegistrar(chain, { from: deployer, registrar: "oldRegistrar" });
  const from = pick(people);
  await registerV3(chain, { from, label, controller: "controller1", duration: pick(durations) });
  if (number(2) > 0)
    await renew(chain, { from, label, controller: "controller1", duration: pick(durations) });
  if (number(2) > 0) return;
  await useOldRegistrar(chain, { from: deployer, registrar: "registrarMigration" });
  await migrateRegistration(chain, { from, label });
};

const auction = async (scene: Scene) => {
  const { chain, deployer, people, pick } = scene;
  const { label } = findPlace(scene, (place, state) => isEthName(place) && state.expiry === 0n);
  await useOldRegistrar(chain, { from: deployer, registrar: "auctionRegistrar" });
  await auctionName(chain, {
    label,
    bids: [{ from: pick(people) }, { from: pick(people), value: 2n * 10n ** 16n }],
  });
};

const byHash = (scene: Scene) => {
  const { label } = findPlace(scene, isFree(scene));
  const act = {
    from: scene.deployer,
    label,
    owner: scene.pick(scene.people),
    duration: scene.pick(durations),
  };
  return scene.number(2) === 0 ? registerOnly(scene.chain, act) : registerByHash(scene.chain, act);
};

const several = (scene: Scene) => {
  const free = scene.places.filter((place) => isFree(scene)(place, stateOf(scene, place)));
  const registrations = free.slice(0, 1 + scene.number(3)).map(({ label }) => ({
    label,
    duration: scene.pick(durations),
    owner: scene.pick(scene.people),
    ...(scene.number(2) === 0 && { resolver: "resolver5" }),
  }));
  return registerManyReferred(scene.chain, { from: scene.pick(scene.people), registrations });
};

const prolong = (scene: Scene) => {
  const { chain, pick, people } = scene;
  const { label } = findPlace(scene, isRenewable(scene));
  const act = { from: pick(people), label, duration: pick([1n, ...durations]) };
  const controller = pick([
    "controller3",
    "controller4",
    "controller4",
    "controller5",
    "renewalReferrer",
    "hash",
  ]);
  if (controller === "hash") return renewByHash(chain, { ...act, from: scene.deployer });
  if (controller === "controller3") return renew(chain, { ...act, controller });
  // Excess payment is returned after the event has reported it.
  if (controller === "controller4") return renew(chain, { ...act, controller, value: 10n ** 24n });
  return renewReferred(chain, { ...act, controller, referrer: hashLabel("a friend") });
};

const prolongSeveral = (scene: Scene) => {
  const labels = scene.places
    .filter((place) => isRenewable(scene)(place, stateOf(scene, place)))
    .flatMap(({ label }) => (typeof label === "string" ? [label] : []));
  const some = labels.slice(0, 1 + scene.number(3));
  return renewAll(scene.chain, {
    from: scene.pick(scene.people),
    labels: some,
    duration: scene.pick(durations),
  });
};

const usd = (scene: Scene) =>
  10n ** 8n * scene.pick([90n, 1_234n, 1_650n, 4_321n]) + BigInt(scene.number(10 ** 8));

/** The feed has another answer, or several in one block with renewals between them. */
const moveFeed = (scene: Scene) => {
  const { chain, deployer, pick, people, number } = scene;
  const answer = () => feedAnswer(usd(scene), { from: deployer });
  const renewable = scene.places.filter((place) => isRenewable(scene)(place, stateOf(scene, place)));
  if (renewable.length === 0 || number(3) === 0) return send(chain, answer());
  const renewal = (): Call => ({
    from: pick(people),
    contract: "controller4",
    functionName: "renew",
    args: [pick(renewable).label, pick([1n, ...durations])],
    value: 10n ** 22n,
  });
  return sendInOneBlock(chain, [renewal(), answer(), renewal(), answer(), renewal()]);
};

const giveToken = (scene: Scene) => {
  const place = findPlace(scene, isOwned(scene));
  const { registrant } = stateOf(scene, place);
  const { chain, pick, people } = scene;
  const to = pick([...people, ...people, addressOf(chain, "batch")]);
  return transferRegistration(chain, {
    from: registrant,
    label: place.label,
    to,
    safe: scene.number(2) === 0,
  });
};

const takeBack = (scene: Scene) => {
  const place = findPlace(scene, isOwned(scene));
  const owner = scene.pick([...scene.people, addressOf(scene.chain, "wrapper")]);
  return reclaim(scene.chain, { from: stateOf(scene, place).registrant, label: place.label, owner });
};

const approve = (scene: Scene) => {
  const { chain, pick, people } = scene;
  const place = findPlace(scene, isOwned(scene));
  const to = pick(people);
  if (scene.number(2) === 0)
    return approveRegistration(chain, { from: stateOf(scene, place).registrant, label: place.label, to });
  const contract = pick(["registry", "registrar", "wrapper", "resolver4", "resolver5"]);
  const from = people.find((person: Address) => person !== to) ?? scene.deployer;
  return approveForAll(chain, { from, contract, operator: to, approved: scene.number(2) === 0 });
};

/** Registrations and renewals by every registrar and controller, and acts of token owners. */
export const registrationActs: Record<string, Act> = {
  registerByNewest: { weight: 11, perform: newest },
  registerWrapped: { weight: 9, perform: wrapped },
  registerByEarlier: { weight: 5, perform: earlier },
  registerInOldRegistry: { weight: 2, perform: oldest },
  auction: { weight: 1, perform: auction },
  registerByHash: { weight: 4, perform: byHash },
  registerSeveral: { weight: 1, perform: several },
  renew: { weight: 7, perform: prolong },
  moveFeed: { weight: 3, perform: moveFeed },
  renewSeveral: { weight: 1, perform: prolongSeveral },
  transferToken: { weight: 5, perform: giveToken },
  reclaim: { weight: 4, perform: takeBack },
  approve: { weight: 10, perform: approve },
};
