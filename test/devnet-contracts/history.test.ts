import { type Address, type Hex, parseEther, zeroHash } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  addressOf,
  auctionName,
  DAY,
  ethNode,
  hashLabel,
  migrateRegistration,
  nodeOf,
  read,
  registerV3,
  registerWithConfigV3,
  releaseDeed,
  renew,
  reverseNode,
  revertTo,
  send,
  setReverseName,
  setSubnodeOwner,
  setText,
  takeSnapshot,
  tokenIdOf,
  transferDeed,
  transferRegistrars,
  useOldRegistrar,
  useReverseRegistrar,
  warp,
  YEAR,
} from "../../devnet/acts.ts";
import { argsOf, openChain, type TestChain, wordsOf } from "./chain.ts";

let chain: TestChain;
let root: Address;
let ann: Address;
let bob: Address;
let snapshot: Hex;

beforeAll(async () => {
  chain = await openChain();
  ({ root, ann, bob } = chain.people);
});
afterAll(() => chain?.anvil.stop());
beforeEach(async () => {
  snapshot = await takeSnapshot(chain);
});
afterEach(() => revertTo(chain, { snapshot }));

const ownerIn = (registry: string, node: Hex) =>
  read<Address>(chain, { contract: registry, functionName: "owner", args: [node] });

/** Auctioned by two bidders; bob wins. */
const auctionWonByBob = (label: string) =>
  auctionName(chain, {
    label,
    bids: [
      { from: ann, value: parseEther("0.02") },
      { from: bob, value: parseEther("0.5") },
    ],
  });

describe("the auctions of 2017", () => {
  it("give the name to the highest bidder, in the old registry alone", async () => {
    const receipts = await auctionWonByBob("auctioned");
    expect(receipts.map((receipt) => wordsOf(chain, receipt))).toEqual([
      ["auctionRegistrar AuctionStarted"],
      ["auctionRegistrar NewBid"],
      ["auctionRegistrar NewBid"],
      ["auctionRegistrar BidRevealed"],
      ["auctionRegistrar BidRevealed"],
      ["oldRegistry NewOwner", "auctionRegistrar HashRegistered"],
    ]);
    expect(await ownerIn("oldRegistry", ethNode("auctioned"))).toBe(bob);
    expect(await ownerIn("registry", ethNode("auctioned"))).toBe(bob);
  });

  it("can be followed by a transfer and a release of the deed", async () => {
    await auctionWonByBob("released");
    const moved = await transferDeed(chain, { from: bob, label: "released", to: ann });
    expect(wordsOf(chain, moved)).toEqual(["oldRegistry NewOwner"]);
    await warp(chain, { seconds: 2n * YEAR });
    const released = await releaseDeed(chain, { from: ann, label: "released" });
    expect(wordsOf(chain, released)).toContain("auctionRegistrar HashReleased");
  });
});

describe("the registrar of 2019", () => {
  beforeEach(async () => {
    await auctionWonByBob("brought");
    await useOldRegistrar(chain, { from: root, registrar: "oldRegistrar" });
  });

  it("registers and renews by its controller in the old registry", async () => {
    const receipt = await registerV3(chain, { from: ann, label: "nineteen", controller: "controller1" });
    const registered = ["oldRegistrar Transfer mint", "oldRegistry NewOwner", "oldRegistrar NameRegistered"];
    expect(wordsOf(chain, receipt)).toEqual([...registered, "controller1 NameRegistered"]);
    const renewed = await renew(chain, { from: bob, label: "nineteen", controller: "controller1" });
    expect(wordsOf(chain, renewed)).toEqual(["oldRegistrar NameRenewed", "controller1 NameRenewed"]);
    expect(await ownerIn("registry", ethNode("nineteen"))).toBe(ann);
  });

  it("registers with the oldest resolver, whose texts have no value in their event", async () => {
    await registerWithConfigV3(chain, {
      from: ann,
      label: "nineteen",
      controller: "controller1",
      resolver: "resolver2",
      addr: ann,
    });
    const text = { from: ann, resolver: "resolver2", node: ethNode("nineteen"), key: "url", value: "x" };
    const receipt = await setText(chain, text);
    expect(argsOf(chain, receipt, "resolver2 TextChanged")).toEqual({
      node: ethNode("nineteen"),
      indexedKey: "url",
      key: "url",
    });
  });

  it("takes over an auctioned name, and the migration carries it to the registrar of 2020", async () => {
    // The registrar of 2019 took over names 28 days after their auction.
    await warp(chain, { seconds: 29n * DAY });
    const taken = await transferRegistrars(chain, { from: bob, label: "brought" });
    expect(wordsOf(chain, taken)).toContain("oldRegistrar NameMigrated");
    // In February 2020 the migration became the owner of .eth in the old registry.
    const owner = addressOf(chain, "registrarMigration");
    await setSubnodeOwner(chain, {
      from: root,
      registry: "oldRegistry",
      parent: zeroHash,
      label: "eth",
      owner,
    });
    const carried = await migrateRegistration(chain, { from: ann, label: "brought" });
    expect(wordsOf(chain, carried)).toEqual([
      "registrar Transfer mint",
      "registry NewOwner",
      "registrar NameRegistered",
      "registry Transfer",
      "registrar Transfer",
      "oldRegistry NewOwner",
    ]);
    const args = [tokenIdOf("brought")];
    expect(await read(chain, { contract: "registrar", functionName: "ownerOf", args })).toBe(bob);
    expect(await ownerIn("registry", ethNode("brought"))).toBe(bob);
  });
});

describe("the two registries", () => {
  it("answer node by node: the old one until the new one has a record", async () => {
    const node = nodeOf("test");
    await setSubnodeOwner(chain, {
      from: root,
      registry: "oldRegistry",
      parent: zeroHash,
      label: "test",
      owner: ann,
    });
    expect(await ownerIn("registry", node)).toBe(ann);
    const args = [hashLabel("test"), bob];
    await send(chain, { from: root, contract: "root", functionName: "setSubnodeOwner", args });
    await setSubnodeOwner(chain, {
      from: ann,
      registry: "oldRegistry",
      parent: node,
      label: "sub",
      owner: ann,
    });
    expect(await ownerIn("registry", node)).toBe(bob);
    expect(await ownerIn("registry", nodeOf("sub.test"))).toBe(ann);
  });
});

describe("the silent reverse registrar", () => {
  it("and its resolver leave only registry logs", async () => {
    await useReverseRegistrar(chain, { from: root, registrar: "reverseRegistrar2" });
    const receipt = await setReverseName(chain, {
      from: ann,
      name: "ann.eth",
      registrar: "reverseRegistrar2",
    });
    expect(wordsOf(chain, receipt)).toEqual(["registry NewOwner", "registry NewResolver"]);
    const args = [reverseNode(ann)];
    expect(await read(chain, { contract: "reverseResolver1", functionName: "name", args })).toBe("ann.eth");
    const resolver = await read(chain, { contract: "registry", functionName: "resolver", args });
    expect(resolver).toBe(addressOf(chain, "reverseResolver1"));
  });
});
