import { type Address, type Hex, parseEther, zeroAddress, zeroHash } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  addressOf,
  approveWrapped,
  attempt,
  claimReverse,
  clearRecords,
  DAY,
  ETH_NODE,
  encodeCall,
  ethNode,
  extendExpiry,
  FUSES,
  GRACE,
  hashLabel,
  latestTime,
  MAX_EXPIRY,
  nodeBelow,
  nodeOf,
  read,
  readPrice,
  reclaim,
  registerByHash,
  registerOnly,
  registerReferred,
  registerV3,
  registerWithConfigV3,
  registerWrapped,
  renew,
  renewAll,
  renewReferred,
  reverseNode,
  revertTo,
  send,
  setAddr,
  setChildFuses,
  setDefaultName,
  setFuses,
  setLayer2Name,
  setRecord,
  setReverseName,
  setSubnodeOwner,
  setSubnodeRecord,
  setText,
  setWrappedRecord,
  setWrappedSubnodeOwner,
  setWrappedSubnodeRecord,
  takeSnapshot,
  tokenIdOf,
  transferRegistration,
  transferWrapped,
  transferWrappedBatch,
  unwrap,
  unwrapETH2LD,
  warp,
  wrapBySending,
  wrapETH2LD,
  wrapName,
  writeRecord,
  YEAR,
} from "../../devnet/acts.ts";
import { argsOf, logsOf, openChain, type TestChain, wordsOf, wrapperData } from "./chain.ts";

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

const {
  PARENT_CANNOT_CONTROL: PCC,
  CANNOT_UNWRAP: CU,
  IS_DOT_ETH,
  CANNOT_TRANSFER,
  CAN_EXTEND_EXPIRY,
} = FUSES;

/** Logs of one registration on the registrar, without what comes before and after. */
const REGISTERED = ["registrar Transfer mint", "registry NewOwner", "registrar NameRegistered"];
const WRAPPED = ["wrapper TransferSingle mint", "wrapper NameWrapped"];
const LEFT_OVER = ["wrapper TransferSingle burn", "wrapper NameUnwrapped"];

describe("the logs of the registrations", () => {
  it("come from the real controller of 2020 as they are", async () => {
    const plain = await registerV3(chain, { from: ann, label: "plain" });
    expect(wordsOf(chain, plain)).toEqual([...REGISTERED, "controller3 NameRegistered"]);
    const receipt = await registerWithConfigV3(chain, {
      from: ann,
      label: "configured",
      resolver: "resolver3",
      addr: ann,
    });
    expect(wordsOf(chain, receipt)).toEqual([
      ...REGISTERED,
      "registry NewResolver",
      "resolver3 AddressChanged",
      "resolver3 AddrChanged",
      "registry NewOwner",
      "registrar Transfer",
      "controller3 NameRegistered",
    ]);
  });

  it("by the wrapped controller name the wrapper as registrant and the buyer last", async () => {
    const receipt = await registerWrapped(chain, { from: ann, label: "wrapped" });
    expect(wordsOf(chain, receipt)).toEqual([...REGISTERED, ...WRAPPED, "controller4 NameRegistered"]);
    expect(argsOf(chain, receipt, "registrar NameRegistered").owner).toBe(addressOf(chain, "wrapper"));
    expect(argsOf(chain, receipt, "registry NewOwner").owner).toBe(addressOf(chain, "wrapper"));
    const last = argsOf(chain, receipt, "controller4 NameRegistered");
    const wrapping = argsOf(chain, receipt, "wrapper NameWrapped");
    expect(last).toMatchObject({ name: "wrapped", label: hashLabel("wrapped"), owner: ann, premium: 0n });
    expect(wrapping).toMatchObject({
      name: "0x077772617070656403657468" + "00",
      owner: ann,
      fuses: PCC | IS_DOT_ETH,
    });
    expect(wrapping.expiry).toBe((last.expires as bigint) + GRACE);
  });

  it("by the wrapped controller with records and a reverse name", async () => {
    const receipt = await registerWrapped(chain, {
      from: ann,
      label: "full",
      resolver: "resolver4",
      reverseRecord: true,
      records: [
        { kind: "text", key: "url", value: "https://full.example" },
        { kind: "addr", address: ann },
      ],
    });
    expect(wordsOf(chain, receipt)).toEqual([
      ...REGISTERED,
      ...WRAPPED,
      "registry NewResolver",
      "resolver4 TextChanged",
      "resolver4 AddressChanged",
      "resolver4 AddrChanged",
      "reverseRegistrar3 ReverseClaimed",
      "registry NewOwner",
      "registry NewResolver",
      "resolver4 NameChanged",
      "controller4 NameRegistered",
    ]);
  });

  it("of a lapsed wrapped name burn the old registration first and the old token before the new", async () => {
    await registerWrapped(chain, { from: ann, label: "lapsed", duration: 28n * DAY });
    await warp(chain, { seconds: 28n * DAY + GRACE + 1n });
    const receipt = await registerWrapped(chain, { from: bob, label: "lapsed" });
    const words = [
      "registrar Transfer burn",
      ...REGISTERED,
      ...LEFT_OVER,
      ...WRAPPED,
      "controller4 NameRegistered",
    ];
    expect(wordsOf(chain, receipt)).toEqual(words);
    expect(argsOf(chain, receipt, "wrapper NameUnwrapped").owner).toBe(zeroAddress);
    expect(argsOf(chain, receipt, "wrapper TransferSingle burn").from).toBe(ann);
    expect(argsOf(chain, receipt, "controller4 NameRegistered").premium).toBeGreaterThan(parseEther("10000"));
  });

  it("by the controller of 2025 without a resolver go to the owner at once", async () => {
    const receipt = await registerReferred(chain, {
      from: ann,
      label: "direct",
      referrer: `0x${"ab".repeat(32)}`,
    });
    expect(wordsOf(chain, receipt)).toEqual([...REGISTERED, "controller5 NameRegistered"]);
    expect(argsOf(chain, receipt, "registrar NameRegistered").owner).toBe(ann);
    expect(argsOf(chain, receipt, "controller5 NameRegistered").referrer).toBe(`0x${"ab".repeat(32)}`);
  });

  it("by the controller of 2025 with a resolver go through the controller", async () => {
    const receipt = await registerReferred(chain, {
      from: ann,
      label: "through",
      resolver: "resolver5",
      reverseRecord: 3,
      records: [{ kind: "addr", address: ann }],
    });
    expect(wordsOf(chain, receipt)).toEqual([
      ...REGISTERED,
      "registry Transfer",
      "registry NewResolver",
      "resolver5 AddressChanged",
      "resolver5 AddrChanged",
      "registrar Transfer",
      "reverseRegistrar3 ReverseClaimed",
      "registry NewOwner",
      "registry NewResolver",
      "resolver5 NameChanged",
      "defaultReverseRegistrar NameForAddrChanged",
      "controller5 NameRegistered",
    ]);
    expect(argsOf(chain, receipt, "registrar NameRegistered").owner).toBe(addressOf(chain, "controller5"));
    expect(argsOf(chain, receipt, "registrar Transfer")).toMatchObject({ to: ann });
    expect(argsOf(chain, receipt, "controller5 NameRegistered").owner).toBe(ann);
  });

  it("on the registrar itself touch the registry or, with registerOnly, do not", async () => {
    const full = await registerByHash(chain, { from: root, label: "byhash", owner: ann });
    expect(wordsOf(chain, full)).toEqual(REGISTERED);
    const only = await registerOnly(chain, { from: root, label: "only", owner: ann });
    expect(wordsOf(chain, only)).toEqual(["registrar Transfer mint", "registrar NameRegistered"]);
    expect(wordsOf(chain, await reclaim(chain, { from: ann, label: "only", owner: bob }))).toEqual([
      "registry NewOwner",
    ]);
    const moved = await transferRegistration(chain, { from: ann, label: "only", to: bob });
    expect(wordsOf(chain, moved)).toEqual(["registrar Transfer"]);
  });
});

describe("the logs of the renewals", () => {
  it("are the same two whether the name is wrapped or not; nothing comes from the wrapper", async () => {
    await registerWrapped(chain, { from: ann, label: "inside" });
    await registerV3(chain, { from: ann, label: "outside" });
    for (const label of ["inside", "outside"]) {
      for (const controller of ["controller3", "controller4"]) {
        const receipt = await renew(chain, { from: bob, label, controller });
        expect(wordsOf(chain, receipt)).toEqual(["registrar NameRenewed", `${controller} NameRenewed`]);
      }
      const receipt = await renewReferred(chain, { from: bob, label });
      expect(wordsOf(chain, receipt)).toEqual(["registrar NameRenewed", "controller5 NameRenewed"]);
    }
  });

  it("carry what was sent by the wrapped controller, and the price by that of 2025", async () => {
    await registerV3(chain, { from: ann, label: "priced" });
    const price = await readPrice(chain, { controller: "controller4", label: "priced" });
    const value = price * 7n;
    const wrapped = await renew(chain, { from: bob, label: "priced", controller: "controller4", value });
    expect(argsOf(chain, wrapped, "controller4 NameRenewed").cost).toBe(value);
    const referred = await renewReferred(chain, { from: bob, label: "priced", value });
    expect(argsOf(chain, referred, "controller5 NameRenewed").cost).toBe(price);
  });

  it("with a referrer end in RenewalReferred with the cost after the refund", async () => {
    await registerV3(chain, { from: ann, label: "referred" });
    const price = await readPrice(chain, { controller: "controller4", label: "referred" });
    const before = await chain.client.getBalance({ address: addressOf(chain, "renewalReferrer") });
    const receipt = await renewReferred(chain, {
      from: bob,
      label: "referred",
      controller: "renewalReferrer",
    });
    const words = ["registrar NameRenewed", "controller4 NameRenewed", "renewalReferrer RenewalReferred"];
    expect(wordsOf(chain, receipt)).toEqual(words);
    const referred = argsOf(chain, receipt, "renewalReferrer RenewalReferred");
    expect(referred).toMatchObject({
      label: "referred",
      labelHash: hashLabel("referred"),
      cost: price,
      duration: YEAR,
    });
    expect(await chain.client.getBalance({ address: addressOf(chain, "renewalReferrer") })).toBe(before);
  });

  it("in bulk are one pair for each name", async () => {
    for (const label of ["bulk-one", "bulk-two"]) await registerV3(chain, { from: ann, label });
    const receipt = await renewAll(chain, { from: bob, labels: ["bulk-one", "bulk-two"] });
    const pair = ["registrar NameRenewed", "controller4 NameRenewed"];
    expect(wordsOf(chain, receipt)).toEqual([...pair, ...pair]);
  });
});

describe("the logs of wrapping", () => {
  const wrappedFirst = ["registrar Transfer", "registry NewOwner"];

  it("a .eth name by wrapETH2LD and by sending its token", async () => {
    await registerV3(chain, { from: ann, label: "called" });
    await registerV3(chain, { from: ann, label: "sent" });
    const called = await wrapETH2LD(chain, { from: ann, label: "called", fuses: CU });
    expect(wordsOf(chain, called)).toEqual([...wrappedFirst, ...WRAPPED]);
    expect(argsOf(chain, called, "wrapper NameWrapped").fuses).toBe(PCC | IS_DOT_ETH | CU);
    const resolver = addressOf(chain, "resolver4");
    const sent = await wrapBySending(chain, { from: ann, label: "sent", owner: bob, resolver });
    expect(wordsOf(chain, sent)).toEqual([...wrappedFirst, ...WRAPPED, "registry NewResolver"]);
    expect((await wrapperData(chain, ethNode("sent"))).owner).toBe(bob);
  });

  it("refuses a token with another label's name", async () => {
    await registerV3(chain, { from: ann, label: "truth" });
    const other = await attempt(() =>
      send(chain, {
        from: ann,
        contract: "registrar",
        functionName: "safeTransferFrom",
        args: [ann, addressOf(chain, "wrapper"), tokenIdOf("truth"), wrongLabelData(ann)],
      }),
    );
    expect(other.outcome).toBe("reverted");
  });

  it("an other name, and back", async () => {
    await registerV3(chain, { from: ann, label: "parent" });
    await setSubnodeOwner(chain, { from: ann, parent: ethNode("parent"), label: "child", owner: ann });
    const resolver = addressOf(chain, "resolver4");
    const wrapped = await wrapName(chain, { from: ann, labels: ["child", "parent", "eth"], resolver });
    expect(wordsOf(chain, wrapped)).toEqual(["registry NewResolver", "registry Transfer", ...WRAPPED]);
    expect(argsOf(chain, wrapped, "wrapper NameWrapped")).toMatchObject({ fuses: 0, expiry: 0n });
    const back = await unwrap(chain, { from: ann, parent: ethNode("parent"), label: "child" });
    expect(wordsOf(chain, back)).toEqual([
      "wrapper TransferSingle burn",
      "registry Transfer",
      "wrapper NameUnwrapped",
    ]);
  });

  it("a .eth name back", async () => {
    await registerWrapped(chain, { from: ann, label: "back" });
    const receipt = await unwrapETH2LD(chain, { from: ann, label: "back", controller: bob });
    const words = [
      "wrapper TransferSingle burn",
      "registry Transfer",
      "wrapper NameUnwrapped",
      "registrar Transfer",
    ];
    expect(wordsOf(chain, receipt)).toEqual(words);
    expect(argsOf(chain, receipt, "wrapper NameUnwrapped").owner).toBe(bob);
  });

  it("a token left over from before a registry sale is burnt at the next wrapping", async () => {
    await registerV3(chain, { from: ann, label: "retaken" });
    const parent = ethNode("retaken");
    await setSubnodeOwner(chain, { from: ann, parent, label: "sub", owner: ann });
    await wrapName(chain, { from: ann, labels: ["sub", "retaken", "eth"] });
    const retaken = await setSubnodeOwner(chain, { from: ann, parent, label: "sub", owner: bob });
    expect(wordsOf(chain, retaken)).toEqual(["registry NewOwner"]);
    const again = await wrapName(chain, { from: bob, labels: ["sub", "retaken", "eth"] });
    expect(wordsOf(chain, again)).toEqual(["registry Transfer", ...LEFT_OVER, ...WRAPPED]);
  });

  it("an upgrade burns without NameUnwrapped", async () => {
    await registerWrapped(chain, { from: ann, label: "upgraded" });
    const upgraded = addressOf(chain, "upgradedWrapper");
    const allow = { contract: "wrapper", functionName: "setUpgradeContract", args: [upgraded] };
    await send(chain, { from: root, ...allow });
    const args = ["0x0875706772616465640365746800", "0x"];
    const receipt = await send(chain, { from: ann, contract: "wrapper", functionName: "upgrade", args });
    expect(wordsOf(chain, receipt)).toEqual(["wrapper TransferSingle burn"]);
    expect(receipt.logs.at(-1)?.address).toBe(upgraded.toLowerCase());
  });
});

describe("the logs of wrapped names", () => {
  const node = ethNode("home");
  const sub = nodeBelow(node, "sub");
  beforeEach(async () => {
    await registerWrapped(chain, { from: ann, label: "home" });
  });

  it("a subname for the first time, and again", async () => {
    const made = await setWrappedSubnodeOwner(chain, { from: ann, parent: node, label: "sub", owner: ann });
    expect(wordsOf(chain, made)).toEqual(["registry NewOwner", ...WRAPPED]);
    const expiry = (await latestTime(chain)) + 30n * DAY;
    const again = await setWrappedSubnodeOwner(chain, {
      from: ann,
      parent: node,
      label: "sub",
      owner: bob,
      expiry,
    });
    expect(wordsOf(chain, again)).toEqual([
      "wrapper FusesSet",
      "wrapper ExpiryExtended",
      "wrapper TransferSingle",
    ]);
    const gone = await setWrappedSubnodeOwner(chain, {
      from: ann,
      parent: node,
      label: "sub",
      owner: zeroAddress,
    });
    expect(wordsOf(chain, gone)).toEqual([
      "wrapper FusesSet",
      "wrapper TransferSingle burn",
      "registry Transfer",
      "wrapper NameUnwrapped",
    ]);
  });

  it("a subname with a record", async () => {
    const record = {
      from: ann,
      parent: node,
      label: "sub",
      owner: ann,
      resolver: addressOf(chain, "resolver4"),
    };
    const made = await setWrappedSubnodeRecord(chain, record);
    expect(wordsOf(chain, made)).toEqual(["registry NewOwner", "registry NewResolver", ...WRAPPED]);
    const again = await setWrappedSubnodeRecord(chain, { ...record, owner: bob, ttl: 60n });
    const words = ["registry NewOwner", "registry NewTTL", "wrapper FusesSet", "wrapper TransferSingle"];
    expect(wordsOf(chain, again)).toEqual(words);
  });

  it("a record, fuses and expiry", async () => {
    const resolver = addressOf(chain, "resolver4");
    const record = await setWrappedRecord(chain, { from: ann, node, owner: bob, resolver });
    expect(wordsOf(chain, record)).toEqual([
      "registry Transfer",
      "registry NewResolver",
      "wrapper TransferSingle",
    ]);
    expect(wordsOf(chain, await setFuses(chain, { from: bob, node, fuses: CU }))).toEqual([
      "wrapper FusesSet",
    ]);
    await setWrappedSubnodeOwner(chain, { from: bob, parent: node, label: "sub", owner: ann });
    const expiry = (await latestTime(chain)) + 30n * DAY;
    const child = await setChildFuses(chain, { from: bob, parent: node, label: "sub", fuses: PCC, expiry });
    expect(wordsOf(chain, child)).toEqual(["wrapper FusesSet", "wrapper ExpiryExtended"]);
    const longer = await extendExpiry(chain, { from: bob, parent: node, label: "sub", expiry: expiry + DAY });
    expect(wordsOf(chain, longer)).toEqual(["wrapper ExpiryExtended"]);
  });

  it("transfers and approvals", async () => {
    await setWrappedSubnodeOwner(chain, { from: ann, parent: node, label: "sub", owner: ann });
    expect(wordsOf(chain, await approveWrapped(chain, { from: ann, node, to: bob }))).toEqual([
      "wrapper Approval",
    ]);
    const batch = await transferWrappedBatch(chain, { from: ann, nodes: [node, sub], to: bob });
    expect(wordsOf(chain, batch)).toEqual(["wrapper TransferBatch"]);
    const single = await transferWrapped(chain, { from: bob, node, to: ann });
    expect(wordsOf(chain, single)).toEqual(["wrapper TransferSingle"]);
    const approved = await read(chain, {
      contract: "wrapper",
      functionName: "getApproved",
      args: [BigInt(node)],
    });
    expect(approved).toBe(zeroAddress);
  });
});

describe("the logs of the registry, the reverse registrars and the resolvers", () => {
  it("registry records", async () => {
    await registerV3(chain, { from: ann, label: "records" });
    const node = ethNode("records");
    const resolver = addressOf(chain, "resolver4");
    const changes = { owner: ann, resolver, ttl: 60n };
    const full = await setRecord(chain, { from: ann, node, ...changes });
    expect(wordsOf(chain, full)).toEqual(["registry Transfer", "registry NewResolver", "registry NewTTL"]);
    expect(wordsOf(chain, await setRecord(chain, { from: ann, node, ...changes }))).toEqual([
      "registry Transfer",
    ]);
    const child = await setSubnodeRecord(chain, { from: ann, parent: node, label: "sub", ...changes });
    expect(wordsOf(chain, child)).toEqual(["registry NewOwner", "registry NewResolver", "registry NewTTL"]);
  });

  it("reverse names by the registrar of 2023 begin with ReverseClaimed", async () => {
    const first = await setReverseName(chain, { from: ann, name: "ann.eth" });
    const claimed = ["reverseRegistrar3 ReverseClaimed", "registry NewOwner"];
    expect(wordsOf(chain, first)).toEqual([...claimed, "registry NewResolver", "resolver4 NameChanged"]);
    expect(argsOf(chain, first, "reverseRegistrar3 ReverseClaimed")).toEqual({
      addr: ann,
      node: reverseNode(ann),
    });
    const again = await setReverseName(chain, { from: ann, name: "anna.eth" });
    expect(wordsOf(chain, again)).toEqual([...claimed, "resolver4 NameChanged"]);
    expect(wordsOf(chain, await claimReverse(chain, { from: ann, owner: bob }))).toEqual(claimed);
  });

  it("default and layer 2 names emit one event and touch no registry", async () => {
    const named = await setDefaultName(chain, { from: ann, name: "ann.eth" });
    expect(logsOf(chain, named)).toEqual([
      { word: "defaultReverseRegistrar NameForAddrChanged", args: { addr: ann, name: "ann.eth" } },
    ]);
    const layer2 = await setLayer2Name(chain, { from: ann, name: "ann.eth" });
    expect(wordsOf(chain, layer2)).toEqual(["l2ReverseRegistrar NameForAddrChanged"]);
  });

  it.each(["resolver3", "resolver4", "resolver5"])("an address in %s", async (resolver) => {
    const records = { from: ann, resolver, node: await nameOf(ann) };
    const eth = await setAddr(chain, { ...records, address: bob });
    expect(wordsOf(chain, eth)).toEqual([`${resolver} AddressChanged`, `${resolver} AddrChanged`]);
    const write = { kind: "coin", coinType: 0n, bytes: "0x0014" } as const;
    expect(wordsOf(chain, await writeRecord(chain, { ...records, write }))).toEqual([
      `${resolver} AddressChanged`,
    ]);
  });

  it.each(["resolver4", "resolver5"])("every other record in %s", async (resolver) => {
    const records = { from: ann, resolver, node: await nameOf(ann) };
    const bytes = "0x1234" as const;
    // a.b. IN A 1.2.3.4 and a deletion of a.b. IN TXT
    const dns = "0x0161016200000100010000003c000401020304" + "0161016200001000010000003c0000";
    const writes = [
      [{ kind: "text", key: "url", value: "x" }, ["TextChanged"]],
      [{ kind: "contenthash", hash: bytes }, ["ContenthashChanged"]],
      [{ kind: "name", name: "a.eth" }, ["NameChanged"]],
      [{ kind: "pubkey", x: zeroHash, y: zeroHash }, ["PubkeyChanged"]],
      [{ kind: "abi", contentType: 1n, data: bytes }, ["ABIChanged"]],
      [{ kind: "interface", id: "0x01ffc9a7", implementer: bob }, ["InterfaceChanged"]],
      [{ kind: "zonehash", hash: bytes }, ["DNSZonehashChanged"]],
      [{ kind: "dns", data: dns as Hex }, ["DNSRecordChanged", "DNSRecordDeleted"]],
    ] as const;
    for (const [write, events] of writes) {
      const receipt = await writeRecord(chain, { ...records, write });
      expect(wordsOf(chain, receipt)).toEqual(events.map((event) => `${resolver} ${event}`));
    }
    expect(wordsOf(chain, await clearRecords(chain, records))).toEqual([`${resolver} VersionChanged`]);
    const text = await read(chain, { contract: resolver, functionName: "text", args: [records.node, "url"] });
    expect(text).toBe("");
  });

  it("a text in each generation", async () => {
    const node = await nameOf(ann);
    const text = { from: ann, node, key: "url", value: "x" };
    const topics: number[] = [];
    for (const resolver of ["resolver2", "resolver3", "resolver4", "resolver5"]) {
      const receipt = await setText(chain, { ...text, resolver });
      expect(wordsOf(chain, receipt)).toEqual([`${resolver} TextChanged`]);
      topics.push(receipt.logs[0]?.topics.length ?? 0);
    }
    expect(topics).toEqual([2, 3, 3, 3]);
  });

  it("only the resolver of 2025 answers with the default address, and only for EVM coin types", async () => {
    const node = await nameOf(ann);
    const read60 = (contract: string, coinType: bigint) =>
      read<Hex>(chain, { contract, functionName: "addr", args: [node, coinType] });
    for (const resolver of ["resolver4", "resolver5"]) {
      const write = { kind: "coin", coinType: 0x80000000n, bytes: bob } as const;
      await writeRecord(chain, { from: ann, resolver, node, write });
    }
    expect(await read60("resolver4", 60n)).toBe("0x");
    expect(await read60("resolver5", 60n)).toBe(bob.toLowerCase());
    expect(await read60("resolver5", 0x80000000n | 10n)).toBe(bob.toLowerCase());
    expect(await read60("resolver5", 0n)).toBe("0x");
    expect(await read(chain, { contract: "resolver5", functionName: "hasAddr", args: [node, 60n] })).toBe(
      false,
    );
  });
});

describe("the wrapper's rules", () => {
  const node = ethNode("rules");
  const sub = nodeBelow(node, "sub");
  const DURATION = 60n * DAY;
  beforeEach(async () => {
    await registerWrapped(chain, { from: ann, label: "rules", duration: DURATION, fuses: CU });
  });
  const addSub = (fuses: number, expiry: bigint) =>
    setWrappedSubnodeOwner(chain, { from: ann, parent: node, label: "sub", owner: bob, fuses, expiry });

  it("an expired emancipated name has no owner and no fuses; a plain one keeps its owner", async () => {
    const expiry = (await latestTime(chain)) + 10n * DAY;
    await addSub(PCC | CU | CANNOT_TRANSFER, expiry);
    await setWrappedSubnodeOwner(chain, { from: ann, parent: node, label: "plain", owner: bob, expiry });
    expect(await wrapperData(chain, sub)).toEqual({ owner: bob, fuses: PCC | CU | CANNOT_TRANSFER, expiry });
    await warp(chain, { seconds: 10n * DAY });
    expect(await wrapperData(chain, sub)).toEqual({ owner: zeroAddress, fuses: 0, expiry });
    expect(await wrapperData(chain, nodeBelow(node, "plain"))).toEqual({ owner: bob, fuses: 0, expiry });
  });

  it("an expiry ends with the parent's and never shrinks", async () => {
    const parentExpiry = (await wrapperData(chain, node)).expiry;
    await addSub(PCC, MAX_EXPIRY);
    expect((await wrapperData(chain, sub)).expiry).toBe(parentExpiry);
    const lower = await extendExpiry(chain, { from: ann, parent: node, label: "sub", expiry: 1n });
    expect(argsOf(chain, lower, "wrapper ExpiryExtended").expiry).toBe(parentExpiry);
  });

  it("a child's owner may extend only with CAN_EXTEND_EXPIRY", async () => {
    const expiry = (await latestTime(chain)) + DAY;
    await addSub(PCC | CAN_EXTEND_EXPIRY, expiry);
    await extendExpiry(chain, { from: bob, parent: node, label: "sub", expiry: expiry + DAY });
    expect((await wrapperData(chain, sub)).expiry).toBe(expiry + DAY);
    await setWrappedSubnodeOwner(chain, { from: ann, parent: node, label: "other", owner: bob, expiry });
    const refused = await attempt(() =>
      extendExpiry(chain, { from: bob, parent: node, label: "other", expiry }),
    );
    expect(refused).toMatchObject({
      outcome: "reverted",
      reason: expect.stringContaining("OperationProhibited"),
    });
  });

  it("an emancipated child is its parent's no more, and fuses need it", async () => {
    await setWrappedSubnodeOwner(chain, { from: ann, parent: node, label: "sub", owner: bob });
    const early = await attempt(() => setFuses(chain, { from: bob, node: sub, fuses: CU }));
    expect(early).toMatchObject({
      outcome: "reverted",
      reason: expect.stringContaining("OperationProhibited"),
    });
    const child = { from: ann, parent: node, label: "sub" };
    await setChildFuses(chain, { ...child, fuses: PCC, expiry: MAX_EXPIRY });
    await setFuses(chain, { from: bob, node: sub, fuses: CU | CANNOT_TRANSFER });
    const retaken = await attempt(() => addSub(0, 0n));
    expect(retaken).toMatchObject({
      outcome: "reverted",
      reason: expect.stringContaining("OperationProhibited"),
    });
    const moved = await attempt(() => transferWrapped(chain, { from: bob, node: sub, to: ann }));
    expect(moved).toMatchObject({
      outcome: "reverted",
      reason: expect.stringContaining("OperationProhibited"),
    });
  });

  it("a fuse burnt by the parent outlives the token until the old expiry", async () => {
    await addSub(PCC, (await latestTime(chain)) + 10n * DAY);
    await unwrap(chain, { from: bob, parent: node, label: "sub" });
    const { expiry } = await wrapperData(chain, sub);
    const again = await wrapName(chain, { from: bob, labels: ["sub", "rules", "eth"] });
    expect(argsOf(chain, again, "wrapper NameWrapped")).toMatchObject({ fuses: 0, expiry: 0n });
    expect(await wrapperData(chain, sub)).toEqual({ owner: bob, fuses: PCC, expiry });
  });

  it("a .eth name cannot move in grace, and its renewal by the wrapped controller lengthens the wrapping", async () => {
    await warp(chain, { seconds: DURATION + DAY });
    const moved = await attempt(() => transferWrapped(chain, { from: ann, node, to: bob }));
    expect(moved.outcome).toBe("reverted");
    const before = (await wrapperData(chain, node)).expiry;
    await renew(chain, { from: bob, label: "rules", controller: "controller4" });
    expect((await wrapperData(chain, node)).expiry).toBe(before + YEAR);
    await renewReferred(chain, { from: bob, label: "rules" });
    expect((await wrapperData(chain, node)).expiry).toBe(before + YEAR);
  });

  it("a name that lapsed in the wrapper alone comes back with the next renewal through it", async () => {
    await renewReferred(chain, { from: bob, label: "rules" });
    await warp(chain, { seconds: DURATION + GRACE });
    expect(await wrapperData(chain, node)).toMatchObject({ owner: zeroAddress, fuses: 0 });
    await renew(chain, { from: bob, label: "rules", controller: "controller4", duration: 28n * DAY });
    expect(await wrapperData(chain, node)).toMatchObject({ owner: ann, fuses: PCC | IS_DOT_ETH | CU });
  });

  it("labels must fit the DNS form, and .eth names have their own calls", async () => {
    const long = "x".repeat(256);
    const tooLong = await attempt(() =>
      setWrappedSubnodeOwner(chain, { from: ann, parent: node, label: long, owner: ann }),
    );
    expect(tooLong).toMatchObject({ outcome: "reverted", reason: expect.stringContaining("LabelTooLong") });
    const wrong = await attempt(() => unwrap(chain, { from: ann, parent: ETH_NODE, label: "rules" }));
    expect(wrong).toMatchObject({
      outcome: "reverted",
      reason: expect.stringContaining("IncompatibleParent"),
    });
    const burnt = await attempt(() => unwrapETH2LD(chain, { from: ann, label: "rules" }));
    expect(burnt).toMatchObject({
      outcome: "reverted",
      reason: expect.stringContaining("OperationProhibited"),
    });
  });
});

describe("the test contracts", () => {
  it("LogEmitter emits any log", async () => {
    const topics = [zeroHash, hashLabel("a"), hashLabel("b"), hashLabel("c")];
    for (const count of [0, 1, 2, 3, 4]) {
      const args = [topics.slice(0, count), "0xff00ff"];
      const receipt = await send(chain, { from: ann, contract: "logEmitter", functionName: "emitLog", args });
      expect(receipt.logs).toMatchObject([{ topics: topics.slice(0, count), data: "0xff00ff" }]);
    }
  });

  it("Batch writes a text that no transaction to the resolver shows", async () => {
    const node = await nameOf(ann);
    const batch = addressOf(chain, "batch");
    await send(chain, {
      from: ann,
      contract: "resolver4",
      functionName: "approve",
      args: [node, batch, true],
    });
    const data = encodeCall(chain, {
      contract: "resolver4",
      functionName: "setText",
      args: [node, "url", "x"],
    });
    const calls = [{ target: addressOf(chain, "resolver4"), value: 0n, data }];
    const receipt = await send(chain, { from: bob, contract: "batch", functionName: "run", args: [calls] });
    expect(receipt.to?.toLowerCase()).toBe(batch.toLowerCase());
    expect(wordsOf(chain, receipt)).toEqual(["resolver4 TextChanged"]);
  });

  it("Batch can renew several names, each with nearly all it holds, and gives the rest back", async () => {
    const labels = ["batch-one", "batch-two"];
    for (const label of labels) await registerV3(chain, { from: ann, label });
    const value = parseEther("1");
    const target = addressOf(chain, "controller4");
    const calls = labels.map((label) => {
      const data = encodeCall(chain, { contract: "controller4", functionName: "renew", args: [label, YEAR] });
      return { target, value, data };
    });
    const price = await readPrice(chain, { controller: "controller4", label: "batch-one" });
    const before = await chain.client.getBalance({ address: target });
    const batch = { contract: "batch", functionName: "run", args: [calls] };
    // Less than the sum of what the events will say.
    const receipt = await send(chain, { from: bob, ...batch, value: value + price });
    const renewals = logsOf(chain, receipt).filter(({ word }) => word === "controller4 NameRenewed");
    expect(renewals.map(({ args }) => args.cost)).toEqual([value, value]);
    expect((await chain.client.getBalance({ address: target })) - before).toBe(2n * price);
    expect(await chain.client.getBalance({ address: addressOf(chain, "batch") })).toBe(0n);
  });
});

/** A name of that owner in the registry, without a resolver. */
async function nameOf(owner: Address): Promise<Hex> {
  await registerByHash(chain, { from: root, label: "records", owner });
  return nodeOf("records.eth");
}

/** What `wrapBySending` would send for the label "lie". */
function wrongLabelData(owner: Address): Hex {
  const word = (hex: string) => hex.padStart(64, "0");
  const head = [word("80"), word(owner.slice(2).toLowerCase()), word("0"), word("0")];
  return `0x${[...head, word("3"), "6c6965".padEnd(64, "0")].join("")}`;
}
