import { zeroAddress } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import {
  addController,
  addressOf,
  DAY,
  dnsEncode,
  ethNode,
  FUSES,
  GRACE,
  latestTime,
  nodeBelow,
  PREMIUM,
  registerOnly,
  registerReferred,
  registerWrapped,
  renewReferred,
  send,
  setFuses,
  setSubnodeOwner,
  setWrappedRecord,
  setWrappedResolver,
  setWrappedTTL,
  unwrap,
  unwrapETH2LD,
  warp,
  warpTo,
  wrapBySending,
  wrapETH2LD,
  wrapName,
  YEAR,
} from "../../../devnet/acts.ts";
import { expectWhoisAsOnChain, nodeOfShown, readOnChain } from "../onChain.ts";
import { eventsOf, namesOf } from "../stage.ts";
import { beforeIndexing, stage } from "./stage.ts";

beforeIndexing(async (chain, { deployer, dave }) => {
  await addController(chain, { from: deployer, controller: dave });
});

/** The wrapper's token in the tables, and the one that the contract stores. */
async function expectTokenAsStored(name: string) {
  const [row] = await stage.sql<{ owner: string | null; fuses: string; expiry: string }>(
    `select wrapper_owner as owner, wrapper_fuses as fuses, wrapper_expiry_timestamp::text as expiry
     from domains where node = $1`,
    [nodeOfShown(name)],
  );
  const { wrapper } = await readOnChain(stage.chain, name);
  expect({ owner: row?.owner ?? null, fuses: Number(row?.fuses), expiry: row?.expiry }).toEqual({
    owner: wrapper.owner?.toLowerCase() ?? null,
    fuses: wrapper.fuses,
    expiry: wrapper.expiry.toString(),
  });
  return wrapper;
}

describe("a .eth name is wrapped", () => {
  test("by its owner, with a resolver and fuses", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.alice, label: "parcel" });
    const resolver = addressOf(chain, "resolver4");
    const act = { from: cast.alice, label: "parcel", owner: cast.bob, fuses: FUSES.CANNOT_UNWRAP, resolver };
    const receipt = await wrapETH2LD(chain, act);
    const answer = await expectWhoisAsOnChain(stage, "parcel.eth");
    expect(answer.ownership).toMatchObject({
      is_wrapped: true,
      owner: cast.bob,
      wrapper: cast.bob,
      registrar: addressOf(chain, "wrapper"),
      registry: addressOf(chain, "wrapper"),
    });
    expect(answer.resolver.address).toBe(resolver);
    expect(answer.token_id).toBe(BigInt(ethNode("parcel")).toString());
    const wrapped = eventsOf(await stage.events("parcel.eth"), receipt).find(
      ({ event_type }) => event_type === "NameWrapped",
    );
    expect(wrapped).toMatchObject({ contract: "NAME_WRAPPER", name: "parcel.eth", owner_address: cast.bob });
    await expectTokenAsStored("parcel.eth");
  });

  test("by sending its token", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.alice, label: "sent" });
    await wrapBySending(chain, { from: cast.alice, label: "sent" });
    expect((await expectWhoisAsOnChain(stage, "sent.eth")).ownership.is_wrapped).toBe(true);
  });

  test("and more fuses are burnt, and resolver and time to live are set through the wrapper", async () => {
    const { chain, cast } = stage;
    const node = ethNode("sent");
    const { CANNOT_UNWRAP, CANNOT_TRANSFER } = FUSES;
    await setFuses(chain, { from: cast.alice, node, fuses: CANNOT_UNWRAP | CANNOT_TRANSFER });
    await setWrappedResolver(chain, { from: cast.alice, node, resolver: addressOf(chain, "resolver4") });
    await setWrappedTTL(chain, { from: cast.alice, node, ttl: 5n });
    const answer = await expectWhoisAsOnChain(stage, "sent.eth");
    expect(answer.wrapper?.fuse_names).toEqual([
      "CANNOT_UNWRAP",
      "CANNOT_TRANSFER",
      "PARENT_CANNOT_CONTROL",
      "IS_DOT_ETH",
    ]);
    expect(answer.resolver.status).toBe("indexed");
  });

  test("and unwrapped: registrant and manager may differ", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.alice, label: "freed" });
    await wrapETH2LD(chain, { from: cast.alice, label: "freed" });
    const act = { from: cast.alice, label: "freed", registrant: cast.bob, controller: cast.carol };
    const receipt = await unwrapETH2LD(chain, act);
    const answer = await expectWhoisAsOnChain(stage, "freed.eth");
    expect(answer.ownership).toEqual({
      is_wrapped: false,
      owner: cast.bob,
      is_owner_current: true,
      registrar: cast.bob,
      registry: cast.carol,
    });
    expect(answer.wrapper).toBeUndefined();
    expect(namesOf(eventsOf(await stage.events("freed.eth"), receipt))).toEqual([
      "NAME_WRAPPER TransferSingle",
      "REGISTRY Transfer",
      "NAME_WRAPPER NameUnwrapped",
      "REGISTRAR Transfer",
    ]);
  });

  test("again before the old token ends: parent-controlled fuses and the later expiry stay", async () => {
    const { chain, cast } = stage;
    await wrapETH2LD(chain, { from: cast.bob, label: "freed", owner: cast.dave });
    await expectWhoisAsOnChain(stage, "freed.eth");
    const token = await expectTokenAsStored("freed.eth");
    expect(token.fuses).toBe(FUSES.PARENT_CANNOT_CONTROL | FUSES.IS_DOT_ETH);
  });

  test("again after a renewal extended its expiry", async () => {
    const { chain, cast } = stage;
    await unwrapETH2LD(chain, { from: cast.dave, label: "freed" });
    await renewReferred(chain, { from: cast.dave, label: "freed", duration: 4n * YEAR });
    await wrapETH2LD(chain, { from: cast.dave, label: "freed" });
    const answer = await expectWhoisAsOnChain(stage, "freed.eth");
    await expectTokenAsStored("freed.eth");
    expect(BigInt(answer.wrapper?.expiry_timestamp ?? 0)).toBe(BigInt(answer.expiry_timestamp ?? 0) + GRACE);
  });
});

describe("a name other than a .eth second-level name is wrapped", () => {
  test("without fuses or expiry", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.alice, label: "house" });
    await setSubnodeOwner(chain, {
      from: cast.alice,
      parent: ethNode("house"),
      label: "room",
      owner: cast.bob,
    });
    await wrapName(chain, { from: cast.bob, labels: ["room", "house", "eth"] });
    const answer = await expectWhoisAsOnChain(stage, "room.house.eth");
    expect(answer).toMatchObject({
      expiry_timestamp: null,
      availability_status: "registered",
      wrapper: { fuses: 0, fuse_names: [], expiry_timestamp: "0" },
      ownership: { is_wrapped: true, owner: cast.bob },
    });
    expect(answer.wrapper?.expired).toBeUndefined();
  });

  test("and unwrapped to another account", async () => {
    const { chain, cast } = stage;
    const act = { parent: ethNode("house"), label: "room", controller: cast.carol };
    await unwrap(chain, { from: cast.bob, ...act });
    const answer = await expectWhoisAsOnChain(stage, "room.house.eth");
    expect(answer.ownership).toEqual({
      is_wrapped: false,
      owner: cast.carol,
      is_owner_current: true,
      registry: cast.carol,
    });
  });

  test("and deleted through the wrapper: no one owns it, and its state is unknown", async () => {
    const { chain, cast } = stage;
    await wrapName(chain, { from: cast.carol, labels: ["room", "house", "eth"] });
    const node = nodeBelow(ethNode("house"), "room");
    await setWrappedRecord(chain, { from: cast.carol, node, owner: zeroAddress, resolver: zeroAddress });
    const answer = await expectWhoisAsOnChain(stage, "room.house.eth");
    expect(answer.ownership).toEqual({ is_wrapped: false });
    expect(answer.availability_status).toBe("unknown");
  });
});

describe("a wrapped name lapses", () => {
  let expiry: bigint;
  beforeAll(async () => {
    const { chain, cast } = stage;
    const { CANNOT_UNWRAP, CANNOT_TRANSFER } = FUSES;
    for (const label of ["lapsing", "lapsing-too", "lapsing-still"]) {
      await registerWrapped(chain, {
        from: cast.alice,
        label,
        duration: 30n * DAY,
        fuses: CANNOT_UNWRAP | CANNOT_TRANSFER,
      });
    }
    expiry = BigInt((await stage.whois("lapsing.eth")).expiry_timestamp ?? 0);
  });

  test("and in grace keeps its owner and its fuses", async () => {
    await warpTo(stage.chain, { timestamp: expiry + 30n * DAY });
    const answer = await expectWhoisAsOnChain(stage, "lapsing.eth");
    expect(answer.availability_status).toBe("grace");
    expect(answer.wrapper?.fuse_names).toContain("CANNOT_TRANSFER");
    expect(answer.ownership.owner).toBe(stage.cast.alice);
  });

  test("and is registered again by the wrapped controller: the old token is burnt first", async () => {
    const { chain, cast } = stage;
    await warpTo(chain, { timestamp: expiry + GRACE + PREMIUM + DAY });
    const receipt = await registerWrapped(chain, { from: cast.bob, label: "lapsing" });
    const answer = await expectWhoisAsOnChain(stage, "lapsing.eth");
    expect(answer.ownership).toMatchObject({ is_wrapped: true, owner: cast.bob });
    expect(answer.wrapper?.fuse_names).toEqual(["PARENT_CANNOT_CONTROL", "IS_DOT_ETH"]);
    await expectTokenAsStored("lapsing.eth");
    const events = eventsOf(await stage.events("lapsing.eth"), receipt);
    expect(namesOf(events)).toEqual([
      "REGISTRAR Transfer",
      "REGISTRAR Transfer",
      "REGISTRY NewOwner",
      "REGISTRAR NameRegistered",
      "NAME_WRAPPER TransferSingle",
      "NAME_WRAPPER NameUnwrapped",
      "NAME_WRAPPER TransferSingle",
      "NAME_WRAPPER NameWrapped",
      "CONTROLLER NameRegistered",
    ]);
    const [last] = await stage.sql<{ owner_address: string }>(
      "select owner_address from ownership_changes where node = $1 order by block_number desc, log_index desc limit 1",
      [ethNode("lapsing")],
    );
    expect(last?.owner_address).toBe(cast.bob.toLowerCase());
  });

  test("or by another controller: it is no longer wrapped, though the wrapper logs nothing", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.bob, label: "lapsing-too" });
    const answer = await expectWhoisAsOnChain(stage, "lapsing-too.eth");
    expect(answer.ownership).toMatchObject({ is_wrapped: false, owner: cast.bob });
    expect(answer.wrapper).toBeUndefined();
    expect(answer.token_id).toBe(BigInt(answer.labelhash ?? 0).toString());
  });

  test("and is wrapped by its new owner: nothing of the old token is left", async () => {
    const { chain, cast } = stage;
    await wrapETH2LD(chain, { from: cast.bob, label: "lapsing-too" });
    await expectWhoisAsOnChain(stage, "lapsing-too.eth");
    const token = await expectTokenAsStored("lapsing-too.eth");
    expect(token.fuses).toBe(FUSES.PARENT_CANNOT_CONTROL | FUSES.IS_DOT_ETH);
  });

  test("or only in the registrar: the registry record stays the wrapper's, and the buyer owns the name", async () => {
    const { chain, cast } = stage;
    await registerOnly(chain, { from: cast.dave, label: "lapsing-still", owner: cast.carol });
    const answer = await expectWhoisAsOnChain(stage, "lapsing-still.eth");
    expect(answer.ownership).toEqual({
      is_wrapped: false,
      owner: cast.carol,
      is_owner_current: true,
      registrar: cast.carol,
      registry: addressOf(chain, "wrapper"),
    });
  });
});

describe("the wrapper is upgraded", () => {
  test("a name moves: its token is burnt without NameUnwrapped", async () => {
    const { chain, cast } = stage;
    await registerWrapped(chain, { from: cast.alice, label: "upgraded" });
    const upgraded = addressOf(chain, "upgradedWrapper");
    const wrapper = { contract: "wrapper", functionName: "setUpgradeContract", args: [upgraded] };
    await send(chain, { from: cast.deployer, ...wrapper });
    const args = [dnsEncode(["upgraded", "eth"]), "0x"];
    const receipt = await send(chain, {
      from: cast.alice,
      contract: "wrapper",
      functionName: "upgrade",
      args,
    });
    const answer = await expectWhoisAsOnChain(stage, "upgraded.eth");
    expect(answer.ownership).toMatchObject({ is_wrapped: false, owner: addressOf(chain, "wrapper") });
    expect(namesOf(eventsOf(await stage.events("upgraded.eth"), receipt))).toEqual([
      "NAME_WRAPPER TransferSingle",
    ]);
  });
});

test("wrapper and registrar at their limits: the last second of the wrapper's time counts", async () => {
  const { chain, cast } = stage;
  await registerWrapped(chain, { from: cast.alice, label: "to-the-second", duration: 30n * DAY });
  const { wrapper } = await expectWhoisAsOnChain(stage, "to-the-second.eth");
  const end = BigInt(wrapper?.expiry_timestamp ?? 0);
  await warpTo(chain, { timestamp: end });
  expect((await expectWhoisAsOnChain(stage, "to-the-second.eth")).ownership.is_wrapped).toBe(true);
  await warp(chain, { seconds: 1n });
  expect(await latestTime(chain)).toBe(end + 1n);
  expect((await expectWhoisAsOnChain(stage, "to-the-second.eth")).ownership.is_wrapped).toBe(false);
});
