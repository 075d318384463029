import { parseEther } from "viem";
import type { Chain } from "./acts.ts";
import {
  addController,
  addressOf,
  basenameNode,
  buyBasename,
  clearRecords,
  nodeBelow,
  reclaim,
  registerByHash,
  registerOnly,
  registerWithoutBurn,
  removeController,
  renewBasename,
  sendInBatch,
  setLayer2Name,
  setReverseName,
  setSubnodeOwner,
  setSubnodeRecord,
  setText,
  toBasenameCall,
  toBasenameRenewal,
  transferRegistration,
  writeRecord,
  writeRecords,
  YEAR,
} from "./acts.ts";
import { type Cast, type Chapter, playChapters, type Telling } from "./chapters.ts";
import { ipfsContenthash } from "./demo.ts";
import { DISCOUNTS } from "./deployLayer2.ts";

/** Names below `base.eth` of the demo, by label, with what each is there to show. */
export const basenames: Record<string, string> = {
  alice: "bought with records and a primary name; the newest controller and resolver",
  sold: "bought for its exact price, renewed for twice the price, which came back",
  early: "bought before the launch with a discount: the price was 0",
  half: "bought with a discount of a part of the price",
  premint: "registered before the launch, without a node in the registry",
  reclaimed: "the same, and later given a node by its owner",
  moved: "transferred; the registry still has the former owner",
  handed: "transferred, and the registry with it",
  records: "records written, cleared, written again; its Ethereum address is empty",
  reborn: "expired, then bought by another owner: the old token was burnt",
  unburnt: "the same, but the old token was not burnt",
  costly: "bought with a premium",
  late: "renewed in its grace period",
  grace: "expired 30 days ago: only a renewal is possible",
  stranger: "sold by a controller that the deployment file does not list",
  "twin-one": "one of two bought in one transaction",
  "twin-two": "the other one, of another price",
  silent: "registered by hash alone; its label is not known",
  gov: "has a node with a resolver on Ethereum, which answers for the name",
};

/** Plays Basenames' story on a chain with its contracts. */
export async function playBase(chain: Chain, telling: Telling): Promise<void> {
  await playChapters(chain, chapters, telling);
}

const chapters: readonly Chapter[] = [
  { day: 1n, title: "Basenames before the launch", play: playPremint },
  { day: 5n, title: "early.base.eth", play: playEarly },
  { day: 30n, title: "the launch of Basenames", play: playLaunch },
  { day: 45n, title: "names that will expire", play: playFirstLives },
  { day: 100n, title: "transfers of Basenames", play: playTransfers },
  { day: 150n, title: "pay.sold.base.eth", play: playSubnames },
  { day: 200n, title: "records.base.eth", play: playRecords },
  { day: 340n, title: "late.base.eth", play: playLate },
  { day: 400n, title: "stranger.base.eth", play: playStranger },
  { day: 520n, title: "costly.base.eth", play: playCostly },
  { day: 600n, title: "second owners of Basenames", play: playSecondLives },
  { day: 605n, title: "grace.base.eth", play: playGrace },
  { day: 700n, title: "the newest controller of Basenames", play: playNewestController },
  { day: 750n, title: "renewals of Basenames", play: playRenewals },
  { day: 800n, title: "primary names on Base", play: playPrimaryNames },
  { day: 950n, title: "alice.base.eth again", play: playLastRecords },
];

/** The deployer registers as a controller, straight at the registrar, and is none afterwards. */
async function playPremint({ chain, deployer, alice, bob }: Cast): Promise<void> {
  await addController(chain, { from: deployer, controller: deployer });
  const duration = 5n * YEAR;
  await registerOnly(chain, { from: deployer, label: "premint", owner: alice, duration });
  await registerOnly(chain, { from: deployer, label: "reclaimed", owner: bob, duration });
  await registerByHash(chain, { from: deployer, label: "silent", owner: bob, duration });
  await removeController(chain, { from: deployer, controller: deployer });
}

async function playEarly({ chain, deployer, alice }: Cast): Promise<void> {
  const controller = "controller1";
  await addController(chain, { from: deployer, controller: addressOf(chain, controller) });
  await buyBasename(chain, {
    from: alice,
    label: "early",
    controller,
    duration: 5n * YEAR,
    discount: DISCOUNTS.free,
    resolver: "resolver1",
    records: [{ kind: "addr", address: alice }],
  });
}

async function playLaunch({ chain, deployer, alice, bob, carol }: Cast): Promise<void> {
  const [controller, resolver, duration] = ["controller2", "resolver1", 4n * YEAR];
  await addController(chain, { from: deployer, controller: addressOf(chain, controller) });
  await buyBasename(chain, {
    from: bob,
    label: "sold",
    controller,
    duration,
    resolver,
    reverseRecord: true,
    records: [
      { kind: "addr", address: bob },
      { kind: "text", key: "description", value: "sold for its exact price" },
    ],
  });
  const discount = DISCOUNTS.part;
  await buyBasename(chain, { from: carol, label: "half", controller, duration, discount });
  await buyBasename(chain, { from: alice, label: "moved", controller, duration, resolver });
  await buyBasename(chain, { from: alice, label: "handed", controller, duration, resolver });
  await buyBasename(chain, { from: bob, label: "records", controller, duration, resolver });
  // Bought by one for another, and paid for with too much, which comes back.
  const overpaid = { owner: carol, value: 10n ** 18n };
  await buyBasename(chain, { from: bob, label: "gov", controller, duration, resolver, ...overpaid });
}

/** Each expires on day 410. */
async function playFirstLives({ chain, alice }: Cast): Promise<void> {
  const [controller, resolver] = ["controller2", "resolver1"];
  for (const label of ["reborn", "unburnt", "costly"]) {
    await buyBasename(chain, { from: alice, label, controller, resolver });
  }
  const node = basenameNode("reborn");
  await setText(chain, { from: alice, resolver, node, key: "description", value: "the first life" });
}

async function playTransfers({ chain, alice, bob, carol }: Cast): Promise<void> {
  await transferRegistration(chain, { from: alice, label: "moved", to: carol });
  await transferRegistration(chain, { from: alice, label: "handed", to: carol, safe: true });
  await reclaim(chain, { from: carol, label: "handed", owner: carol });
  await reclaim(chain, { from: bob, label: "reclaimed", owner: bob });
}

/** No log has the label of a subname: subnames are plain nodes of the registry. */
async function playSubnames({ chain, bob, carol }: Cast): Promise<void> {
  const [parent, resolver] = [basenameNode("sold"), "resolver1"];
  const at = addressOf(chain, resolver);
  await setSubnodeRecord(chain, { from: bob, parent, label: "pay", owner: bob, resolver: at });
  const node = nodeBelow(parent, "pay");
  await writeRecord(chain, { from: bob, resolver, node, write: { kind: "addr", address: carol } });
  await setSubnodeOwner(chain, { from: bob, parent: node, label: "deep", owner: carol });
}

async function playRecords({ chain, bob }: Cast): Promise<void> {
  const [resolver, node] = ["resolver1", basenameNode("records")];
  const act = { from: bob, resolver, node };
  await writeRecords(chain, {
    ...act,
    writes: [
      { kind: "addr", address: bob },
      { kind: "coin", coinType: 0n, bytes: "0x76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac" },
      { kind: "text", key: "url", value: "https://cleared.example" },
      { kind: "contenthash", hash: ipfsContenthash(node) },
    ],
  });
  await clearRecords(chain, act);
  await writeRecord(chain, { ...act, write: { kind: "text", key: "url", value: "https://records.example" } });
  await writeRecord(chain, { ...act, write: { kind: "text", key: "email", value: "b@records.example" } });
  await writeRecord(chain, { ...act, write: { kind: "text", key: "email", value: "" } });
}

/** Expires on day 705. */
async function playLate({ chain, carol }: Cast): Promise<void> {
  await buyBasename(chain, { from: carol, label: "late", controller: "controller2" });
}

/** The index learns of this controller from the registrar's log alone. */
async function playStranger({ chain, deployer, bob }: Cast): Promise<void> {
  const controller = "controllerUnlisted";
  await addController(chain, { from: deployer, controller: addressOf(chain, controller) });
  await buyBasename(chain, {
    from: bob,
    label: "stranger",
    controller,
    duration: 3n * YEAR,
    resolver: "resolver2",
    records: [{ kind: "text", key: "description", value: "who sold me?" }],
  });
}

/** Grace ended on day 500; the premium falls until day 521. */
async function playCostly({ chain, carol }: Cast): Promise<void> {
  // By the last block's time there is no premium yet, so the price cannot be asked before.
  const overpaid = { duration: 3n * YEAR, value: parseEther("1000") };
  await buyBasename(chain, { from: carol, label: "costly", controller: "controller2", ...overpaid });
}

/** Grace ended on day 500, the premium on day 521. */
async function playSecondLives({ chain, deployer, bob }: Cast): Promise<void> {
  const duration = 3n * YEAR;
  await buyBasename(chain, {
    from: bob,
    label: "reborn",
    controller: "controller2",
    duration,
    resolver: "resolver1",
    records: [{ kind: "text", key: "description", value: "the second life" }],
  });
  await addController(chain, { from: deployer, controller: deployer });
  await registerWithoutBurn(chain, { from: deployer, label: "unburnt", owner: bob, duration });
  await removeController(chain, { from: deployer, controller: deployer });
}

/** Expires on day 970, 30 days before the present. */
async function playGrace({ chain, alice }: Cast): Promise<void> {
  await buyBasename(chain, {
    from: alice,
    label: "grace",
    controller: "controller2",
    resolver: "resolver1",
    records: [{ kind: "addr", address: alice }],
  });
}

/** It sells, and the one before it sells no more. */
async function playNewestController({ chain, deployer, alice, bob }: Cast): Promise<void> {
  const [controller, resolver, duration] = ["controller3", "resolver2", 2n * YEAR];
  await addController(chain, { from: deployer, controller: addressOf(chain, controller) });
  await removeController(chain, { from: deployer, controller: addressOf(chain, "controller2") });
  await buyBasename(chain, {
    from: alice,
    label: "alice",
    controller,
    duration,
    resolver,
    reverseRecord: true,
    records: [
      { kind: "addr", address: alice },
      { kind: "text", key: "description", value: "Alice on Base" },
      { kind: "text", key: "url", value: "https://alice.base.example" },
    ],
  });
  const twins = [
    { from: addressOf(chain, "batch"), owner: bob, label: "twin-one", controller, duration, resolver },
    { from: addressOf(chain, "batch"), owner: bob, label: "twin-two", controller, duration: YEAR },
  ];
  const calls = [];
  for (const twin of twins) calls.push(await toBasenameCall(chain, twin));
  await sendInBatch(chain, { from: bob, calls });
}

async function playRenewals({ chain, alice, bob, carol }: Cast): Promise<void> {
  const controller = "controller3";
  await renewBasename(chain, { from: bob, label: "sold", controller });
  // In grace since day 705.
  await renewBasename(chain, { from: alice, label: "late", controller, duration: 2n * YEAR });
  const calls = ["moved", "handed"].map((label, index) =>
    toBasenameRenewal({
      from: carol,
      label,
      controller,
      duration: BigInt(index + 1) * YEAR,
      value: 10n ** 17n,
    }),
  );
  await sendInBatch(chain, { from: carol, calls });
}

/** Of before ENSIP-19, and of it: where they differ, the second is the claim. */
async function playPrimaryNames({ chain, alice, bob, carol }: Cast): Promise<void> {
  const registrar = "reverseRegistrar";
  await setReverseName(chain, { from: alice, name: "early.base.eth", registrar });
  await setLayer2Name(chain, { from: alice, name: "alice.base.eth" });
  await setLayer2Name(chain, { from: bob, name: "sold.base.eth" });
  await setLayer2Name(chain, { from: bob, name: "" });
  await setReverseName(chain, { from: carol, name: "half.base.eth", registrar });
}

async function playLastRecords({ chain, alice, carol }: Cast): Promise<void> {
  const [resolver, node] = ["resolver2", basenameNode("alice")];
  await writeRecord(chain, {
    from: alice,
    resolver,
    node,
    write: { kind: "coin", coinType: 0x80002105n, bytes: alice },
  });
  // An empty Ethereum address, which the first resolver would refuse.
  await writeRecord(chain, {
    from: alice,
    resolver,
    node,
    write: { kind: "coin", coinType: 60n, bytes: "0x" },
  });
  await writeRecord(chain, { from: alice, resolver, node, write: { kind: "addr", address: alice } });
  const gov = { from: carol, resolver: "resolver1", node: basenameNode("gov") };
  await setText(chain, { ...gov, key: "description", value: "on Base, where no one asks" });
}
