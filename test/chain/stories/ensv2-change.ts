import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import {
  addressOf,
  allowReservations,
  type Chain,
  clearInGraveyard,
  DAY,
  ethNode,
  FUSES,
  freezeV1,
  fundForEnsv2,
  handOverV1,
  migrateLocked,
  migrateSubname,
  migrateUnwrapped,
  migrateWrapped,
  mineBlocks,
  openEnsv2,
  registerEntry,
  registerReferred,
  registerWrapped,
  renewName,
  reserveNames,
  revertTo,
  setChildFuses,
  setSubnodeOwner,
  setWrappedSubnodeOwner,
  switchToEnsv2,
  takeSnapshot,
  transferEntry,
  YEAR,
} from "../../../devnet/acts.ts";
import { isSlow } from "../../support/size.ts";
import { expectAnswersAsOnChain } from "../ensv2Answers.ts";
import { expectEnsv2AsOnChain } from "../ensv2Judge.ts";
import { lower } from "../stage.ts";
import { stage } from "./stage.ts";

/*
 * The change from ENSv1 to ENSv2 as it will happen, with a question about every name after every phase, and at every block in the
 * slow tests.
 */

const NAMES = [
  "plain",
  "soft",
  "locked",
  "late",
  "short",
  "sub.plain",
  "hard.locked",
  "free.locked",
  "loose.locked",
].map((label) => `${label}.eth`);

/** Every name that may exist, by the contracts at this block. */
const expectAll = () => expectAnswersAsOnChain(stage, NAMES);

/** The stage's chain. In the slow tests it asks about all names after each transaction, and each has its own block. */
function askingChain(): Chain {
  const { chain } = stage;
  if (!isSlow()) return chain;
  const request = async (call: { method: string }) => {
    const reply = await chain.client.request(call as never);
    if (call.method === "eth_sendTransactionSync") await expectAll();
    return reply;
  };
  return { ...chain, client: { ...chain.client, request: request as typeof chain.client.request } };
}

/** The finished phases, after a question about every name in the last of them. */
async function phases(): Promise<string[]> {
  await expectAll();
  const rows = await stage.sql<{ phase: string }>("select phase from ensv2_phases order by block_number");
  return rows.map(({ phase }) => phase);
}

test("names of ENSv1 are unchanged (phase 1)", async () => {
  const { chain, cast } = stage;
  const { alice: from, bob, carol, dave } = cast;
  for (const account of [from, bob, carol, dave]) await fundForEnsv2(chain, { account });
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
  const emancipated = { from, parent, expiry: 2n ** 40n };
  const { PARENT_CANNOT_CONTROL, CANNOT_UNWRAP } = FUSES;
  await setChildFuses(chain, { ...emancipated, label: "hard", fuses: PARENT_CANNOT_CONTROL | CANNOT_UNWRAP });
  await setChildFuses(chain, { ...emancipated, label: "free", fuses: PARENT_CANNOT_CONTROL });
  expect(await phases()).toEqual(["deployed"]);
});

test("names are reserved, and stay with ENSv1 (phase 2)", async () => {
  const from = stage.cast.deployer;
  const chain = askingChain();
  await allowReservations(chain, { from });
  for (const label of ["plain", "soft", "locked"]) await reserveNames(chain, { from, names: [{ label }] });
  expect(await phases()).toEqual(["deployed", "reserving"]);
});

test("ENSv1 is frozen, and hands its renewals over (phases 3 and 4)", async () => {
  const from = stage.cast.deployer;
  const chain = askingChain();
  await freezeV1(chain, { from });
  await handOverV1(chain, { from });
  await renewName(chain, { from: stage.cast.bob, label: "plain", registrar: "renewerV1" });
  expect(await phases()).toEqual(["deployed", "reserving", "frozen", "handed_over"]);
});

test("late names are reserved (phase 5)", async () => {
  await reserveNames(askingChain(), { from: stage.cast.deployer, names: [{ label: "short" }] });
  expect(await phases()).toEqual(["deployed", "reserving", "frozen", "handed_over"]);
});

test("ENSv2 opens, and answers for names that migrate from then on (phase 6)", async () => {
  const { deployer, alice: from, bob, carol } = stage.cast;
  const chain = askingChain();
  await openEnsv2(chain, { from: deployer });
  await migrateUnwrapped(chain, { from, label: "plain", owner: bob, resolver: carol });
  await migrateWrapped(chain, { from, label: "soft" });
  await migrateLocked(chain, { from, label: "locked", registry: "ofLocked" });
  expect(await phases()).toEqual(["deployed", "reserving", "frozen", "handed_over", "open"]);
});

test("the universal resolver is that of ENSv2 (phase 7)", async () => {
  const { deployer, bob, carol, dave } = stage.cast;
  const chain = askingChain();
  await switchToEnsv2(chain, { from: deployer });
  const below = { from: bob, parent: "ofLocked", parentNode: ethNode("locked") };
  await migrateSubname(chain, { ...below, label: "hard", resolver: carol, registry: "ofHard" });
  await migrateSubname(chain, { ...below, label: "free" });
  await clearInGraveyard(chain, { from: dave, names: [["soft", "eth"]] });
  expect(await phases()).toEqual(["deployed", "reserving", "frozen", "handed_over", "open", "public"]);
});

test("a migrated subname was registered by the registry above it, which its own registry claims as parent", async () => {
  const above = lower(addressOf(stage.chain, "ofLocked"));
  const rows = await stage.sql(
    `select registered_by, parent_registry, parent_label from ensv2_entries entry
     join ensv2_registries own on own.registry = entry.subregistry where entry.registry = $1 and parent_label = 'hard'`,
    [above],
  );
  expect(rows).toEqual([{ registered_by: above, parent_registry: above, parent_label: "hard" }]);
});

describe("on another branch of the chain", () => {
  test("a migration does not exist", async () => {
    const { chain, cast } = stage;
    const { deployer, alice: from, bob, carol } = cast;
    await registerEntry(chain, {
      from: deployer,
      label: "late",
      owner: zeroAddress,
      resolver: addressOf(chain, "ensV1Resolver"),
      expiry: 2n ** 33n,
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
  });
});
