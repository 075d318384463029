import { zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addressOf,
  allowReservations,
  buyName,
  type Chain,
  DAY,
  deployResolver,
  deployUserRegistry,
  ethNode,
  FUSES,
  freezeV1,
  fundForEnsv2,
  GRACE_V2,
  handOverV1,
  migrateLocked,
  migrateSubname,
  migrateUnwrapped,
  migrateWrapped,
  mineBlocks,
  nodeOf,
  openEnsv2,
  PREMIUM,
  ROLES,
  ROLES_OF_AN_OWNER,
  readEntry,
  registerEntry,
  registerReferred,
  registerWrapped,
  renewEntry,
  renewName,
  reserveNames,
  revertTo,
  setChildFuses,
  setSubnodeOwner,
  setSubregistry,
  setWrappedSubnodeOwner,
  switchToEnsv2,
  takeSnapshot,
  transferEntry,
  unregisterEntry,
  warpTo,
  writeToResolver,
  YEAR,
} from "../devnet/acts.ts";
import { startLocalChain } from "../devnet/localChain.ts";
import { expectAnswerAsOnChain } from "./ensv2Answers.ts";
import { expectEnsv2AsOnChain } from "./ensv2Judge.ts";
import { type Stage, stageOf } from "./stage.ts";

/* The change from ENSv1 to ENSv2 as it will happen, with a question about every name at every block. */

let stage: Stage;
let chain: Chain;
const NAMES = [
  ...["plain", "soft", "locked", "late", "short", "sub.plain", "hard.locked", "free.locked", "loose.locked"],
].map((label) => `${label}.eth`);

beforeAll(async () => {
  const local = await startLocalChain({ contracts: { ensv2: true } });
  stage = await stageOf(local);
  chain = stage.chain;
}, 300_000);
afterAll(() => stage?.close());

/** Every name that there may be, by the contracts at this block. */
async function expectAll(more: readonly string[] = []): Promise<void> {
  for (const name of [...NAMES, ...more]) await expectAnswerAsOnChain(stage, name);
}

const phases = async () =>
  (await stage.sql<{ phase: string }>("select phase from ensv2_phases order by block_number")).map(
    ({ phase }) => phase,
  );

describe("the change to ENSv2", () => {
  test("begins with names of ENSv1 as they are", async () => {
    const { alice: from, bob, dave } = stage.cast;
    for (const account of [from, bob, dave]) await fundForEnsv2(chain, { account });
    const long = { from, duration: 3n * YEAR };
    await registerReferred(chain, { ...long, label: "plain", resolver: "resolver5" });
    await setSubnodeOwner(chain, { from, parent: ethNode("plain"), label: "sub", owner: bob });
    await registerReferred(chain, { ...long, label: "late" });
    await registerReferred(chain, { from, label: "short", duration: 28n * DAY });
    await registerWrapped(chain, { ...long, label: "soft", resolver: "resolver4" });
    await registerWrapped(chain, { ...long, label: "locked", fuses: FUSES.CANNOT_UNWRAP });
    const parent = ethNode("locked");
    for (const label of ["hard", "free", "loose"]) {
      await setWrappedSubnodeOwner(chain, { from, parent, label, owner: bob });
    }
    const expiry = 2n ** 40n;
    const emancipated = { from, parent, expiry };
    const { PARENT_CANNOT_CONTROL, CANNOT_UNWRAP } = FUSES;
    await setChildFuses(chain, {
      ...emancipated,
      label: "hard",
      fuses: PARENT_CANNOT_CONTROL | CANNOT_UNWRAP,
    });
    await setChildFuses(chain, { ...emancipated, label: "free", fuses: PARENT_CANNOT_CONTROL });
    await expectAll();
    expect(await phases()).toEqual(["deployed"]);
  });

  test("reserves names, which stay ENSv1's", async () => {
    const from = stage.cast.deployer;
    await allowReservations(chain, { from });
    await expectAll();
    for (const label of ["plain", "soft", "locked", "short"]) {
      await reserveNames(chain, { from, names: [{ label }] });
      await expectAll();
    }
    expect(await phases()).toEqual(["deployed", "reserving"]);
  });

  test("freezes ENSv1, and hands its renewals over", async () => {
    const from = stage.cast.deployer;
    await freezeV1(chain, { from });
    await expectAll();
    await handOverV1(chain, { from });
    await expectAll();
    await renewName(chain, { from: stage.cast.bob, label: "plain", registrar: "renewerV1" });
    await expectAll();
    expect(await phases()).toEqual(["deployed", "reserving", "frozen", "handed_over"]);
  });

  test("opens ENSv2, which answers for whoever migrates from then on", async () => {
    const { deployer, alice: from, bob, carol } = stage.cast;
    await openEnsv2(chain, { from: deployer });
    await expectAll();
    await migrateUnwrapped(chain, { from, label: "plain", owner: bob, resolver: carol });
    await expectAll();
    expect(await expectAnswerAsOnChain(stage, "plain.eth")).toMatchObject({
      migration: { from_address: from, to_address: bob },
    });
    await migrateWrapped(chain, { from, label: "soft" });
    await expectAll();
    await migrateLocked(chain, { from, label: "locked", registry: "ofLocked" });
    await expectAll();
    expect(await phases()).toEqual(["deployed", "reserving", "frozen", "handed_over", "open"]);
  });

  test("is public when the universal resolver is that of ENSv2", async () => {
    const { deployer, bob, carol } = stage.cast;
    await switchToEnsv2(chain, { from: deployer });
    await expectAll();
    const below = { from: bob, parent: "ofLocked", parentNode: ethNode("locked") };
    await migrateSubname(chain, { ...below, label: "hard", resolver: carol });
    await expectAll();
    await migrateSubname(chain, { ...below, label: "free" });
    await expectAll();
    expect(await phases()).toEqual(["deployed", "reserving", "frozen", "handed_over", "open", "public"]);
    await expectEnsv2AsOnChain(stage);
  });

  test("a migration that another branch of the chain does not have never happened", async () => {
    const { deployer, alice: from, bob, carol } = stage.cast;
    await registerEntry(chain, {
      ...{ from: deployer, label: "late", owner: zeroAddress },
      ...{ resolver: addressOf(chain, "ensV1Resolver"), expiry: 2n ** 33n },
    });
    await expectAll();
    const snapshot = await takeSnapshot(chain);
    await migrateUnwrapped(chain, { from, label: "late", owner: bob });
    await transferEntry(chain, { from: bob, label: "late", to: carol });
    await expectAll();
    await revertTo(chain, { snapshot });
    await renewName(chain, { from: bob, label: "late", registrar: "renewerV1" });
    await mineBlocks(chain, { count: 3 });
    await expectAll();
    await expectEnsv2AsOnChain(stage);
    await migrateUnwrapped(chain, { from, label: "late", owner: carol });
    await expectAll();
    await expectEnsv2AsOnChain(stage);
  });
});

describe("a name of ENSv2", () => {
  test("has another state at each second at which its life changes", async () => {
    const { deployer, alice, bob, dave } = stage.cast;
    await deployUserRegistry(chain, { from: alice, name: "own" });
    await deployResolver(chain, { from: alice, name: "records" });
    const subregistry = addressOf(chain, "own");
    const resolver = addressOf(chain, "records");
    const write = { kind: "text", key: "url", value: "https://native.example" } as const;
    await writeToResolver(chain, { from: alice, resolver: "records", name: ["native", "eth"], write });
    await buyName(chain, { from: alice, label: "native", subregistry, resolver, duration: 28n * DAY });
    const { expiry } = await readEntry(chain, { label: "native" });
    await registerEntry(chain, {
      from: alice,
      registry: "own",
      label: "sub",
      owner: bob,
      expiry: expiry - DAY,
    });
    await registerEntry(chain, {
      from: alice,
      registry: "own",
      label: "held",
      owner: dave,
      expiry: expiry + YEAR,
    });
    const roles = ROLES_OF_AN_OWNER | ROLES.unregister;
    await registerEntry(chain, {
      from: deployer,
      label: "dropped",
      owner: bob,
      roles,
      expiry: expiry + YEAR,
    });
    await unregisterEntry(chain, { from: bob, label: "dropped" });
    const dropped = (await readEntry(chain, { label: "dropped" })).expiry;
    const names = ["native.eth", "dropped.eth", "short.eth", "plain.eth"];
    await expectAll([...names, "sub.native.eth", "held.native.eth"]);
    const ends = [expiry, dropped].flatMap((end) => [end, end + GRACE_V2, end + GRACE_V2 + PREMIUM]);
    const seconds = [expiry - DAY, ...ends].flatMap((end) => [end - 1n, end, end + 1n]).toSorted(byTime);
    for (const timestamp of new Set(seconds)) {
      const now = (await chain.client.getBlock()).timestamp;
      if (timestamp <= now) continue;
      await warpTo(chain, { timestamp });
      const below = timestamp < expiry ? ["sub.native.eth", "held.native.eth"] : [];
      for (const name of [...names, ...below]) await expectAnswerAsOnChain(stage, name);
    }
    await expectEnsv2AsOnChain(stage);
  }, 120_000);

  test("comes back by a renewal in grace, and stays ended if that is too short", async () => {
    const { alice, bob } = stage.cast;
    await buyName(chain, { from: alice, label: "brief", duration: 28n * DAY });
    const { expiry } = await readEntry(chain, { label: "brief" });
    await warpTo(chain, { timestamp: expiry + 5n * DAY });
    await expectAnswerAsOnChain(stage, "brief.eth");
    await renewName(chain, { from: bob, label: "brief", duration: DAY });
    await expectAnswerAsOnChain(stage, "brief.eth");
    await renewName(chain, { from: bob, label: "brief", duration: YEAR });
    await expectAnswerAsOnChain(stage, "brief.eth");
  });

  test("that was given up and is renewed by the registry's keeper has no holder", async () => {
    const { deployer, bob } = stage.cast;
    const roles = ROLES_OF_AN_OWNER | ROLES.unregister;
    await registerEntry(chain, { from: deployer, label: "revived", owner: bob, roles, resolver: bob });
    await unregisterEntry(chain, { from: bob, label: "revived" });
    await expectAnswerAsOnChain(stage, "revived.eth");
    const expiry = (await readEntry(chain, { label: "revived" })).expiry + YEAR;
    await renewEntry(chain, { from: deployer, label: "revived", expiry });
    await expectAnswerAsOnChain(stage, "revived.eth");
  });

  test("hides what is below it when it ends, and shows it again", async () => {
    const { alice, bob, carol } = stage.cast;
    await deployUserRegistry(chain, { from: alice, name: "shared" });
    const subregistry = addressOf(chain, "shared");
    await buyName(chain, { from: alice, label: "left", subregistry, duration: 28n * DAY });
    await buyName(chain, { from: alice, label: "right", duration: 2n * YEAR });
    await setSubregistry(chain, { from: alice, label: "right", subregistry });
    const far = (await readEntry(chain, { label: "right" })).expiry;
    await registerEntry(chain, {
      ...{ from: alice, registry: "shared", label: "both", owner: bob, resolver: carol, expiry: far },
    });
    for (const name of ["both.left.eth", "both.right.eth"]) await expectAnswerAsOnChain(stage, name);
    await warpTo(chain, { timestamp: (await readEntry(chain, { label: "left" })).expiry });
    await expectAnswerAsOnChain(stage, "both.right.eth");
    const hidden = await stage.record(nodeOf("both.left.eth"));
    expect(hidden).toMatchObject({ protocol: "ensv2", ownership: { is_wrapped: false } });
    expect(hidden.ownership).not.toHaveProperty("owner");
    await renewName(chain, { from: alice, label: "left", duration: YEAR });
    await expectAnswerAsOnChain(stage, "both.left.eth");
    await expectEnsv2AsOnChain(stage);
  });
});

const byTime = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
