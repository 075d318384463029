import { zeroAddress } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import {
  addressOf,
  approveWrapped,
  DAY,
  ethNode,
  extendExpiry,
  FUSES,
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
import { stage, told } from "./stage.ts";

const { CANNOT_UNWRAP, CAN_EXTEND_EXPIRY, PARENT_CANNOT_CONTROL } = FUSES;

describe("a subname is created in the registry", () => {
  const parent = ethNode("tree");
  beforeAll(() => registerReferred(stage.chain, { from: stage.cast.alice, label: "tree" }));

  test("by its hash: its label is unknown, and it has no expiry and counts as registered", async () => {
    const { chain, cast } = stage;
    await setSubnodeOwner(chain, { from: cast.alice, parent, label: "blade", owner: cast.bob });
    expect(await expectWhoisAsOnChain(stage, "blade.tree.eth")).toMatchObject({
      name: `${spelled("blade")}.tree.eth`,
      parent_name: "tree.eth",
    });
  });

  told("with a resolver", ["twig.tree.eth"], (chain, { alice: from, bob: owner }) =>
    setSubnodeRecord(chain, {
      from,
      parent,
      label: "twig",
      owner,
      resolver: addressOf(chain, "resolver5"),
    }),
  );

  test("several levels deep", async () => {
    const { chain, cast } = stage;
    const act = { from: cast.alice, owner: cast.alice };
    const a = nodeBelow(parent, "a");
    await setSubnodeOwner(chain, { ...act, parent, label: "a" });
    await setSubnodeOwner(chain, { ...act, parent: a, label: "b" });
    await setSubnodeOwner(chain, { ...act, parent: nodeBelow(a, "b"), label: "c", owner: cast.carol });
    const answer = await expectWhoisAsOnChain(stage, "c.b.a.tree.eth");
    expect(answer.parent_name).toBe(`${spelled("b")}.${spelled("a")}.tree.eth`);
  });

  told("and deleted: no one owns it, and its state is unknown", ["blade.tree.eth"], (chain, { bob }) =>
    setOwner(chain, { from: bob, node: nodeBelow(parent, "blade"), owner: zeroAddress }),
  );
});

describe("a subname is created in the wrapper", () => {
  const parent = ethNode("wood");
  const [oak, meadow] = ["oak.wood.eth", ethNode("meadow")];
  beforeAll(async () => {
    const { chain, cast } = stage;
    await registerWrapped(chain, { from: cast.alice, label: "wood", fuses: CANNOT_UNWRAP });
    await registerWrapped(chain, { from: cast.alice, label: "meadow" });
  });

  test("without fuses: the wrapper spells its label out", async () => {
    const { chain, cast } = stage;
    await setWrappedSubnodeOwner(chain, { from: cast.alice, parent, label: "oak", owner: cast.bob });
    expect(await expectWhoisAsOnChain(stage, oak)).toMatchObject({ name: oak, label: "oak" });
  });

  test("with its own expiry, and emancipated", async () => {
    const { chain, cast } = stage;
    await setWrappedSubnodeRecord(chain, {
      from: cast.alice,
      parent,
      label: "elm",
      owner: cast.bob,
      expiry: (await latestTime(chain)) + 100n * DAY,
      resolver: addressOf(chain, "resolver4"),
      fuses: PARENT_CANNOT_CONTROL | CANNOT_UNWRAP,
    });
    const answer = await expectWhoisAsOnChain(stage, "elm.wood.eth");
    expect(answer.wrapper?.fuse_names).toEqual(["CANNOT_UNWRAP", "PARENT_CANNOT_CONTROL"]);
  });

  told(
    "and emancipated later by its parent, which also sets its expiry",
    [oak],
    async (chain, { alice: from }) => {
      const expiry = (await latestTime(chain)) + 50n * DAY;
      const fuses = PARENT_CANNOT_CONTROL | CAN_EXTEND_EXPIRY;
      await setChildFuses(chain, { from, parent, label: "oak", fuses, expiry });
    },
  );

  test("and extended by its owner, and by an account approved by its parent", async () => {
    const { chain, cast } = stage;
    const expiry = (await latestTime(chain)) + 60n * DAY;
    await extendExpiry(chain, { from: cast.bob, parent, label: "oak", expiry });
    await expectWhoisAsOnChain(stage, oak);
    await approveWrapped(chain, { from: cast.alice, node: parent, to: cast.dave });
    await extendExpiry(chain, { from: cast.dave, parent, label: "oak", expiry: expiry + DAY });
    await expectWhoisAsOnChain(stage, oak);
  });

  test("and given to another account by its parent, unless it is emancipated", async () => {
    const { chain, cast } = stage;
    const ash = { from: cast.alice, parent, label: "ash" };
    await setWrappedSubnodeOwner(chain, { ...ash, owner: cast.bob });
    await setWrappedSubnodeOwner(chain, { ...ash, owner: cast.carol });
    await expectWhoisAsOnChain(stage, "ash.wood.eth");
    const refused = setWrappedSubnodeOwner(chain, { ...ash, label: "oak", owner: cast.carol });
    await expect(refused).rejects.toThrow("OperationProhibited");
  });

  test("and expires: an emancipated one no longer has an owner in the wrapper", async () => {
    const { expiry_timestamp } = await stage.whois(oak);
    await warpTo(stage.chain, { timestamp: BigInt(expiry_timestamp ?? 0) + 1n });
    expect(await expectWhoisAsOnChain(stage, oak)).toMatchObject({
      expiry_timestamp,
      wrapper: { fuses: 0, expired: true },
    });
  });

  told("and is created again by its parent", [oak], (chain, { alice: from, frank: owner }) =>
    setWrappedSubnodeOwner(chain, { from, parent, label: "oak", owner }),
  );

  test("and expires without being emancipated: it keeps its owner and loses its fuses for good", async () => {
    const { chain, cast } = stage;
    const fir = { from: cast.alice, parent, label: "fir" };
    const fusesOf = async () => (await expectWhoisAsOnChain(stage, "fir.wood.eth")).wrapper?.fuses;
    const expiry = (await latestTime(chain)) + DAY;
    await setWrappedSubnodeOwner(chain, { ...fir, owner: cast.bob, fuses: CAN_EXTEND_EXPIRY, expiry });
    expect(await fusesOf()).toBe(CAN_EXTEND_EXPIRY);
    await warpTo(chain, { timestamp: expiry + 1n });
    expect(await fusesOf()).toBe(0);
    await extendExpiry(chain, { ...fir, expiry: expiry + 10n * DAY });
    expect(await fusesOf()).toBe(0);
    await setChildFuses(chain, { ...fir, fuses: CAN_EXTEND_EXPIRY, expiry: expiry + 20n * DAY });
    expect(await fusesOf()).toBe(CAN_EXTEND_EXPIRY);
    // An assignment with expiry 0 keeps the old expiry.
    await setWrappedSubnodeOwner(chain, { ...fir, owner: cast.carol, expiry: 0n });
    await expectWhoisAsOnChain(stage, "fir.wood.eth");
  });

  test("and is reclaimed in the registry by the parent, after unwrapping: without a log of the wrapper", async () => {
    const { chain, cast } = stage;
    const daisy = { from: cast.alice, parent: meadow, label: "daisy" };
    await setWrappedSubnodeOwner(chain, { ...daisy, owner: cast.bob });
    await unwrapETH2LD(chain, { from: cast.alice, label: "meadow" });
    await expectWhoisAsOnChain(stage, "daisy.meadow.eth");
    await setSubnodeOwner(chain, { ...daisy, owner: cast.alice });
    await expectWhoisAsOnChain(stage, "daisy.meadow.eth");
  });

  told(
    "and its registry record is given back to the wrapper: the old token is in force again",
    ["daisy.meadow.eth"],
    (chain, { alice: from }) =>
      setSubnodeOwner(chain, { from, parent: meadow, label: "daisy", owner: addressOf(chain, "wrapper") }),
  );
});
