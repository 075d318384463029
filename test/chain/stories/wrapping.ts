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
import { beforeIndexing, stage, told } from "./stage.ts";

const { CANNOT_UNWRAP, CANNOT_TRANSFER } = FUSES;

beforeIndexing(async (chain, { deployer, dave }) => {
  await addController(chain, { from: deployer, controller: dave });
});

/** Expects whois, and the wrapper's token in the tables, to be as the contracts say. */
async function expectTokenAsStored(name: string) {
  const answer = await expectWhoisAsOnChain(stage, name);
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
  return answer;
}

describe("a .eth name is wrapped", () => {
  test("by its owner, with a resolver and fuses", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.alice, label: "parcel" });
    const resolver = addressOf(chain, "resolver4");
    const act = { from: cast.alice, label: "parcel", owner: cast.bob, fuses: CANNOT_UNWRAP, resolver };
    await wrapETH2LD(chain, act);
    await expectTokenAsStored("parcel.eth");
  });

  told("by sending its token", ["sent.eth"], async (chain, { alice: from }) => {
    await registerReferred(chain, { from, label: "sent" });
    await wrapBySending(chain, { from, label: "sent" });
  });

  test("and more fuses are burnt, and resolver and time to live are set through the wrapper", async () => {
    const { chain, cast } = stage;
    const act = { from: cast.alice, node: ethNode("sent") };
    await setFuses(chain, { ...act, fuses: CANNOT_UNWRAP | CANNOT_TRANSFER });
    await setWrappedResolver(chain, { ...act, resolver: addressOf(chain, "resolver4") });
    await setWrappedTTL(chain, { ...act, ttl: 5n });
    const { wrapper } = await expectWhoisAsOnChain(stage, "sent.eth");
    const ofParent = ["PARENT_CANNOT_CONTROL", "IS_DOT_ETH"];
    expect(wrapper?.fuse_names).toEqual(["CANNOT_UNWRAP", "CANNOT_TRANSFER", ...ofParent]);
  });

  test("and unwrapped: registrant and manager may differ", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.alice, label: "freed" });
    await wrapETH2LD(chain, { from: cast.alice, label: "freed" });
    const act = { from: cast.alice, label: "freed", registrant: cast.bob, controller: cast.carol };
    await unwrapETH2LD(chain, act);
    expect((await expectWhoisAsOnChain(stage, "freed.eth")).wrapper).toBeUndefined();
  });

  test("again before the old token ends: parent-controlled fuses and the later expiry stay", async () => {
    const { bob, dave } = stage.cast;
    await wrapETH2LD(stage.chain, { from: bob, label: "freed", owner: dave });
    await expectTokenAsStored("freed.eth");
  });

  test("again after a renewal extended its expiry", async () => {
    const { chain, cast } = stage;
    const act = { from: cast.dave, label: "freed" };
    await unwrapETH2LD(chain, act);
    await renewReferred(chain, { ...act, duration: 4n * YEAR });
    await wrapETH2LD(chain, act);
    await expectTokenAsStored("freed.eth");
  });
});

describe("a name other than a .eth second-level name is wrapped", () => {
  const [parent, label, name] = [ethNode("house"), "room", "room.house.eth"];
  const labels = [label, "house", "eth"];

  told("without fuses or expiry", [name], async (chain, { alice: from, bob: owner }) => {
    await registerReferred(chain, { from, label: "house" });
    await setSubnodeOwner(chain, { from, parent, label, owner });
    await wrapName(chain, { from: owner, labels });
  });

  told("and unwrapped to another account", [name], (chain, { bob: from, carol: controller }) =>
    unwrap(chain, { from, parent, label, controller }),
  );

  told(
    "and deleted through the wrapper: no one owns it, and its state is unknown",
    [name],
    async (chain, { carol: from }) => {
      await wrapName(chain, { from, labels });
      const node = nodeBelow(parent, label);
      await setWrappedRecord(chain, { from, node, owner: zeroAddress, resolver: zeroAddress });
    },
  );
});

describe("a wrapped name lapses", () => {
  let expiry: bigint;
  beforeAll(async () => {
    const { chain, cast } = stage;
    const act = { from: cast.alice, duration: 30n * DAY, fuses: CANNOT_UNWRAP | CANNOT_TRANSFER };
    for (const label of ["lapsing", "lapsing-too", "lapsing-still"])
      await registerWrapped(chain, { ...act, label });
    expiry = BigInt((await stage.whois("lapsing.eth")).expiry_timestamp ?? 0);
  });

  test("and in grace keeps its owner and its fuses", async () => {
    await warpTo(stage.chain, { timestamp: expiry + 30n * DAY });
    const answer = await expectWhoisAsOnChain(stage, "lapsing.eth");
    expect(answer.availability_status).toBe("grace");
  });

  test("and is registered again by the wrapped controller: the old token is burnt first", async () => {
    const { chain, cast } = stage;
    await warpTo(chain, { timestamp: expiry + GRACE + PREMIUM + DAY });
    await registerWrapped(chain, { from: cast.bob, label: "lapsing" });
    expect((await expectTokenAsStored("lapsing.eth")).ownership.owner).toBe(cast.bob);
    const [last] = await stage.sql<{ owner_address: string }>(
      "select owner_address from ownership_changes where node = $1 order by block_number desc, log_index desc limit 1",
      [ethNode("lapsing")],
    );
    expect(last?.owner_address).toBe(cast.bob.toLowerCase());
  });

  test("or by another controller: it is no longer wrapped, though the wrapper logs nothing", async () => {
    await registerReferred(stage.chain, { from: stage.cast.bob, label: "lapsing-too" });
    expect((await expectWhoisAsOnChain(stage, "lapsing-too.eth")).wrapper).toBeUndefined();
  });

  test("and is wrapped by its new owner: nothing of the old token is left", async () => {
    await wrapETH2LD(stage.chain, { from: stage.cast.bob, label: "lapsing-too" });
    await expectTokenAsStored("lapsing-too.eth");
  });

  told(
    "or only in the registrar: the registry record stays the wrapper's, and the buyer owns the name",
    ["lapsing-still.eth"],
    (chain, { carol, dave }) => registerOnly(chain, { from: dave, label: "lapsing-still", owner: carol }),
  );
});

told(
  "the wrapper is upgraded, and a name moves: its token is burnt without NameUnwrapped",
  ["upgraded.eth"],
  async (chain, { alice, deployer }) => {
    await registerWrapped(chain, { from: alice, label: "upgraded" });
    const call = (from: typeof alice, functionName: string, ...args: unknown[]) =>
      send(chain, { from, contract: "wrapper", functionName, args });
    await call(deployer, "setUpgradeContract", addressOf(chain, "upgradedWrapper"));
    await call(alice, "upgrade", dnsEncode(["upgraded", "eth"]), "0x");
  },
);

test("wrapper and registrar at their limits: the last second of the wrapper's time counts", async () => {
  const { chain, cast } = stage;
  const name = "to-the-second.eth";
  await registerWrapped(chain, { from: cast.alice, label: "to-the-second", duration: 30n * DAY });
  const isWrapped = async () => (await expectWhoisAsOnChain(stage, name)).ownership.is_wrapped;
  const end = BigInt((await stage.whois(name)).wrapper?.expiry_timestamp ?? 0);
  await warpTo(chain, { timestamp: end });
  expect(await isWrapped()).toBe(true);
  await warp(chain, { seconds: 1n });
  expect(await latestTime(chain)).toBe(end + 1n);
  expect(await isWrapped()).toBe(false);
});
