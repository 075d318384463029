import { zeroAddress } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import {
  addressOf,
  approveWrapped,
  DAY,
  ethNode,
  extendExpiry,
  FUSES,
  hashLabel,
  latestTime,
  nodeBelow,
  registerReferred,
  registerWrapped,
  setChildFuses,
  setOwner,
  setSubnodeOwner,
  setSubnodeRecord,
  setWrappedSubnodeOwner,
  setWrappedSubnodeRecord,
  unwrapETH2LD,
  warpTo,
} from "../../../devnet/acts.ts";
import { expectWhoisAsOnChain, spelled } from "../onChain.ts";
import { eventsOf, namesOf } from "../stage.ts";
import { stage } from "./stage.ts";

const { CANNOT_UNWRAP, CAN_EXTEND_EXPIRY, PARENT_CANNOT_CONTROL } = FUSES;

describe("a subname is created in the registry", () => {
  beforeAll(() => registerReferred(stage.chain, { from: stage.cast.alice, label: "tree" }));

  test("by its hash: its label is unknown, and it has no expiry and counts as registered", async () => {
    const { chain, cast } = stage;
    await setSubnodeOwner(chain, {
      from: cast.alice,
      parent: ethNode("tree"),
      label: "blade",
      owner: cast.bob,
    });
    const answer = await expectWhoisAsOnChain(stage, "blade.tree.eth");
    expect(answer).toMatchObject({
      name: `${spelled("blade")}.tree.eth`,
      parent_name: "tree.eth",
      expiry_timestamp: null,
      availability_status: "registered",
      token_id: BigInt(hashLabel("blade")).toString(),
      ownership: { is_wrapped: false, owner: cast.bob, registry: cast.bob },
    });
  });

  test("with a resolver", async () => {
    const { chain, cast } = stage;
    const resolver = addressOf(chain, "resolver5");
    const act = { from: cast.alice, parent: ethNode("tree"), label: "twig", owner: cast.bob, resolver };
    const receipt = await setSubnodeRecord(chain, act);
    expect((await expectWhoisAsOnChain(stage, "twig.tree.eth")).resolver.address).toBe(resolver);
    expect(namesOf(eventsOf(await stage.events("twig.tree.eth"), receipt))).toEqual([
      "REGISTRY NewOwner",
      "REGISTRY NewResolver",
    ]);
  });

  test("several levels deep", async () => {
    const { chain, cast } = stage;
    const [a, b] = [nodeBelow(ethNode("tree"), "a"), nodeBelow(nodeBelow(ethNode("tree"), "a"), "b")];
    await setSubnodeOwner(chain, {
      from: cast.alice,
      parent: ethNode("tree"),
      label: "a",
      owner: cast.alice,
    });
    await setSubnodeOwner(chain, { from: cast.alice, parent: a, label: "b", owner: cast.alice });
    await setSubnodeOwner(chain, { from: cast.alice, parent: b, label: "c", owner: cast.carol });
    const answer = await expectWhoisAsOnChain(stage, "c.b.a.tree.eth");
    expect(answer.parent_name).toBe(`${spelled("b")}.${spelled("a")}.tree.eth`);
  });

  test("and deleted: no one owns it, its state is unknown, and its history stays", async () => {
    const { chain, cast } = stage;
    await setOwner(chain, { from: cast.bob, node: nodeBelow(ethNode("tree"), "blade"), owner: zeroAddress });
    const answer = await expectWhoisAsOnChain(stage, "blade.tree.eth");
    expect(answer).toMatchObject({ availability_status: "unknown", ownership: { is_wrapped: false } });
    expect(answer.ownership.owner).toBeUndefined();
    expect(namesOf(await stage.events("blade.tree.eth"))).toEqual(["REGISTRY NewOwner", "REGISTRY Transfer"]);
  });
});

describe("a subname is created in the wrapper", () => {
  const parent = ethNode("wood");
  beforeAll(async () => {
    const { chain, cast } = stage;
    await registerWrapped(chain, { from: cast.alice, label: "wood", fuses: CANNOT_UNWRAP });
    await registerWrapped(chain, { from: cast.alice, label: "meadow" });
  });

  test("without fuses: the wrapper spells its label out", async () => {
    const { chain, cast } = stage;
    await setWrappedSubnodeOwner(chain, { from: cast.alice, parent, label: "oak", owner: cast.bob });
    const answer = await expectWhoisAsOnChain(stage, "oak.wood.eth");
    expect(answer).toMatchObject({
      name: "oak.wood.eth",
      label: "oak",
      token_id: BigInt(nodeBelow(parent, "oak")).toString(),
      expiry_timestamp: null,
      availability_status: "registered",
      ownership: { is_wrapped: true, owner: cast.bob },
    });
  });

  test("with its own expiry, and emancipated", async () => {
    const { chain, cast } = stage;
    const expiry = (await latestTime(chain)) + 100n * DAY;
    await setWrappedSubnodeRecord(chain, {
      from: cast.alice,
      parent,
      label: "elm",
      owner: cast.bob,
      expiry,
      resolver: addressOf(chain, "resolver4"),
      fuses: PARENT_CANNOT_CONTROL | CANNOT_UNWRAP,
    });
    const answer = await expectWhoisAsOnChain(stage, "elm.wood.eth");
    expect(answer.expiry_timestamp).toBe(expiry.toString());
    expect(answer.wrapper?.fuse_names).toEqual(["CANNOT_UNWRAP", "PARENT_CANNOT_CONTROL"]);
    expect(answer.resolver.status).toBe("indexed");
  });

  test("and emancipated later by its parent, which also sets its expiry", async () => {
    const { chain, cast } = stage;
    const expiry = (await latestTime(chain)) + 50n * DAY;
    const fuses = PARENT_CANNOT_CONTROL | CAN_EXTEND_EXPIRY;
    await setChildFuses(chain, { from: cast.alice, parent, label: "oak", fuses, expiry });
    const answer = await expectWhoisAsOnChain(stage, "oak.wood.eth");
    expect(answer.expiry_timestamp).toBe(expiry.toString());
    expect(answer.wrapper?.fuses).toBe(fuses);
  });

  test("and extended by its owner, and by an account approved by its parent", async () => {
    const { chain, cast } = stage;
    const expiry = (await latestTime(chain)) + 60n * DAY;
    await extendExpiry(chain, { from: cast.bob, parent, label: "oak", expiry });
    expect((await expectWhoisAsOnChain(stage, "oak.wood.eth")).expiry_timestamp).toBe(expiry.toString());
    await approveWrapped(chain, { from: cast.alice, node: parent, to: cast.dave });
    await extendExpiry(chain, { from: cast.dave, parent, label: "oak", expiry: expiry + DAY });
    const answer = await expectWhoisAsOnChain(stage, "oak.wood.eth");
    expect(answer.expiry_timestamp).toBe((expiry + DAY).toString());
  });

  test("and given to another account by its parent, unless it is emancipated", async () => {
    const { chain, cast } = stage;
    const ash = { from: cast.alice, parent, label: "ash" };
    await setWrappedSubnodeOwner(chain, { ...ash, owner: cast.bob });
    await setWrappedSubnodeOwner(chain, { ...ash, owner: cast.carol });
    expect((await expectWhoisAsOnChain(stage, "ash.wood.eth")).ownership.owner).toBe(cast.carol);
    const oak = setWrappedSubnodeOwner(chain, { ...ash, label: "oak", owner: cast.carol });
    await expect(oak).rejects.toThrow("OperationProhibited");
  });

  test("and expires: an emancipated one no longer has an owner in the wrapper", async () => {
    const { chain } = stage;
    const before = await expectWhoisAsOnChain(stage, "oak.wood.eth");
    await warpTo(chain, { timestamp: BigInt(before.expiry_timestamp ?? 0) + 1n });
    const answer = await expectWhoisAsOnChain(stage, "oak.wood.eth");
    expect(answer).toMatchObject({
      availability_status: "unknown",
      expiry_timestamp: before.expiry_timestamp,
      ownership: {
        is_wrapped: false,
        owner: addressOf(chain, "wrapper"),
        is_owner_current: false,
        last_owner: { ended_by: "wrapper_expiry" },
      },
      wrapper: { fuses: 0, expired: true },
    });
  });

  test("and is created again by its parent", async () => {
    const { chain, cast } = stage;
    const receipt = await setWrappedSubnodeOwner(chain, {
      from: cast.alice,
      parent,
      label: "oak",
      owner: cast.frank,
    });
    const answer = await expectWhoisAsOnChain(stage, "oak.wood.eth");
    expect(answer.ownership).toMatchObject({ is_wrapped: true, owner: cast.frank });
    expect(namesOf(eventsOf(await stage.events("oak.wood.eth"), receipt))).toContain(
      "NAME_WRAPPER NameUnwrapped",
    );
  });

  test("and expires without being emancipated: it keeps its owner and loses its fuses for good", async () => {
    const { chain, cast } = stage;
    const fir = { from: cast.alice, parent, label: "fir" };
    const expiry = (await latestTime(chain)) + DAY;
    await setWrappedSubnodeOwner(chain, { ...fir, owner: cast.bob, fuses: CAN_EXTEND_EXPIRY, expiry });
    expect((await expectWhoisAsOnChain(stage, "fir.wood.eth")).wrapper?.fuses).toBe(CAN_EXTEND_EXPIRY);
    await warpTo(chain, { timestamp: expiry + 1n });
    const ended = await expectWhoisAsOnChain(stage, "fir.wood.eth");
    expect(ended).toMatchObject({
      availability_status: "registered",
      expiry_timestamp: String(expiry),
      wrapper: { fuses: 0 },
      ownership: { is_wrapped: true, owner: cast.bob, is_owner_current: true },
    });
    await extendExpiry(chain, { ...fir, expiry: expiry + 10n * DAY });
    const extended = await expectWhoisAsOnChain(stage, "fir.wood.eth");
    expect(extended.wrapper?.fuses).toBe(0);
    await setChildFuses(chain, { ...fir, fuses: CAN_EXTEND_EXPIRY, expiry: expiry + 20n * DAY });
    expect((await expectWhoisAsOnChain(stage, "fir.wood.eth")).wrapper?.fuses).toBe(CAN_EXTEND_EXPIRY);
    await setWrappedSubnodeOwner(chain, { ...fir, owner: cast.carol, expiry: 0n });
    const given = await expectWhoisAsOnChain(stage, "fir.wood.eth");
    expect(given.ownership.owner, "an assignment with expiry 0 keeps the old expiry").toBe(cast.carol);
    expect(given.expiry_timestamp).toBe(String(expiry + 20n * DAY));
  });

  test("and is reclaimed in the registry by the parent, after unwrapping: without a log of the wrapper", async () => {
    const { chain, cast } = stage;
    const [label, meadow] = ["daisy", ethNode("meadow")];
    await setWrappedSubnodeOwner(chain, { from: cast.alice, parent: meadow, label, owner: cast.bob });
    await unwrapETH2LD(chain, { from: cast.alice, label: "meadow" });
    expect((await expectWhoisAsOnChain(stage, "daisy.meadow.eth")).ownership.is_wrapped).toBe(true);
    await setSubnodeOwner(chain, { from: cast.alice, parent: meadow, label, owner: cast.alice });
    const taken = await expectWhoisAsOnChain(stage, "daisy.meadow.eth");
    expect(taken.ownership).toEqual({
      is_wrapped: false,
      owner: cast.alice,
      is_owner_current: true,
      registry: cast.alice,
    });
    expect(taken.token_id).toBe(BigInt(hashLabel(label)).toString());
  });

  test("and its registry record is given back to the wrapper: the old token is in force again", async () => {
    const { chain, cast } = stage;
    const owner = addressOf(chain, "wrapper");
    await setSubnodeOwner(chain, { from: cast.alice, parent: ethNode("meadow"), label: "daisy", owner });
    const answer = await expectWhoisAsOnChain(stage, "daisy.meadow.eth");
    expect(answer.ownership).toMatchObject({ is_wrapped: true, owner: cast.bob });
  });
});
