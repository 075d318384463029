import { describe, expect, test } from "vitest";
import {
  addressOf,
  approveForAll,
  approveRegistration,
  approveWrapped,
  ethNode,
  nodeBelow,
  reclaim,
  registerReferred,
  registerWrapped,
  setOwner,
  setRecord,
  setSubnodeOwner,
  setTTL,
  setWrappedSubnodeOwner,
  transferRegistration,
  transferWrapped,
  transferWrappedBatch,
} from "../../../devnet/acts.ts";
import { expectWhoisAsOnChain, nodeOfShown } from "../onChain.ts";
import { eventsOf, lower, namesOf } from "../stage.ts";
import { stage } from "./stage.ts";

/** Effective owners of a name with the deciding layer, one for each transaction, oldest first. */
async function listOwners(name: string): Promise<[string | null, string | null][]> {
  const rows = await stage.sql<{ owner_address: string | null; reason: string | null }>(
    `select distinct on (block_number) owner_address, reason::text from ownership_changes
     where node = $1 order by block_number, log_index desc, ordinal desc`,
    [nodeOfShown(name)],
  );
  return rows.map(({ owner_address, reason }) => [owner_address, reason]);
}

describe("a .eth name is transferred", () => {
  test("by its token: the new holder owns it, and the registry keeps the old one", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.alice, label: "given" });
    await transferRegistration(chain, { from: cast.alice, label: "given", to: cast.bob });
    const answer = await expectWhoisAsOnChain(stage, "given.eth");
    expect(answer.ownership).toEqual({
      is_wrapped: false,
      owner: cast.bob,
      is_owner_current: true,
      registrar: cast.bob,
      registry: cast.alice,
    });
    expect(await listOwners("given.eth")).toEqual([
      [lower(cast.alice), "registrar"],
      [lower(cast.bob), "registrar"],
    ]);
  });

  test("and claimed in the registry by the new holder", async () => {
    const { chain, cast } = stage;
    const receipt = await reclaim(chain, { from: cast.bob, label: "given", owner: cast.bob });
    const answer = await expectWhoisAsOnChain(stage, "given.eth");
    expect(answer.ownership.registry).toBe(cast.bob);
    expect(namesOf(eventsOf(await stage.events("given.eth"), receipt))).toEqual(["REGISTRY NewOwner"]);
  });

  test("in the registry alone: the token's holder stays the owner", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.alice, label: "managed" });
    await setOwner(chain, { from: cast.alice, node: ethNode("managed"), owner: cast.carol });
    const answer = await expectWhoisAsOnChain(stage, "managed.eth");
    expect(answer.ownership).toMatchObject({ owner: cast.alice, registry: cast.carol });
  });

  test("to a contract, safely, after the token was approved to another account", async () => {
    const { chain, cast } = stage;
    const [label, to] = ["kept-by-contract", addressOf(chain, "batch")];
    await registerReferred(chain, { from: cast.alice, label });
    await approveRegistration(chain, { from: cast.alice, label, to: cast.dave });
    await transferRegistration(chain, { from: cast.alice, label, to, safe: true });
    const answer = await expectWhoisAsOnChain(stage, `${label}.eth`);
    expect(answer.ownership.owner).toBe(to);
    expect(namesOf((await stage.events(`${label}.eth`)).slice(-2))).toEqual([
      "REGISTRAR Approval",
      "REGISTRAR Transfer",
    ]);
  });

  test("and given up in the registry: no one owns the record, and the token's holder owns the name", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.alice, label: "recordless" });
    const zero = `0x${"0".repeat(40)}` as const;
    await setOwner(chain, { from: cast.alice, node: ethNode("recordless"), owner: zero });
    const answer = await expectWhoisAsOnChain(stage, "recordless.eth");
    expect(answer.ownership).toEqual({
      is_wrapped: false,
      owner: cast.alice,
      is_owner_current: true,
      registrar: cast.alice,
    });
  });

  test("with owner, resolver and time to live set at once", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.alice, label: "all-at-once" });
    const resolver = addressOf(chain, "resolver5");
    const act = { from: cast.alice, node: ethNode("all-at-once"), resolver, ttl: 3600n };
    const receipt = await setRecord(chain, { ...act, owner: cast.bob });
    const answer = await expectWhoisAsOnChain(stage, "all-at-once.eth");
    expect(answer.ownership.registry).toBe(cast.bob);
    expect(answer.resolver.address).toBe(resolver);
    expect(namesOf(eventsOf(await stage.events("all-at-once.eth"), receipt))).toEqual([
      "REGISTRY Transfer",
      "REGISTRY NewResolver",
      "REGISTRY NewTTL",
    ]);
    await setTTL(chain, { from: cast.bob, node: act.node, ttl: 60n });
    expect(namesOf(await stage.events("all-at-once.eth")).at(-1)).toBe("REGISTRY NewTTL");
  });
});

describe("a subname is transferred", () => {
  test("by its owner, and is reclaimed by its parent's owner", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.alice, label: "parent" });
    const sub = { parent: ethNode("parent"), label: "sub" };
    await setSubnodeOwner(chain, { from: cast.alice, ...sub, owner: cast.bob });
    await setOwner(chain, { from: cast.bob, node: nodeBelow(sub.parent, sub.label), owner: cast.carol });
    expect((await expectWhoisAsOnChain(stage, "sub.parent.eth")).ownership.owner).toBe(cast.carol);
    await setSubnodeOwner(chain, { from: cast.alice, ...sub, owner: cast.alice });
    expect((await expectWhoisAsOnChain(stage, "sub.parent.eth")).ownership.owner).toBe(cast.alice);
    expect(await listOwners("sub.parent.eth")).toEqual([
      [lower(cast.bob), "registry"],
      [lower(cast.carol), "registry"],
      [lower(cast.alice), "registry"],
    ]);
  });
});

describe("a wrapped name is transferred", () => {
  test("by its token of the wrapper", async () => {
    const { chain, cast } = stage;
    await registerWrapped(chain, { from: cast.alice, label: "boxed" });
    await approveWrapped(chain, { from: cast.alice, node: ethNode("boxed"), to: cast.dave });
    await transferWrapped(chain, { from: cast.alice, node: ethNode("boxed"), to: cast.bob });
    const answer = await expectWhoisAsOnChain(stage, "boxed.eth");
    expect(answer.ownership).toMatchObject({ is_wrapped: true, owner: cast.bob, wrapper: cast.bob });
    expect(await listOwners("boxed.eth")).toEqual([
      [lower(cast.alice), "wrapper"],
      [lower(cast.bob), "wrapper"],
    ]);
  });

  test("by an operator, together with others in one log", async () => {
    const { chain, cast } = stage;
    for (const label of ["box-one", "box-two"]) await registerWrapped(chain, { from: cast.alice, label });
    await setWrappedSubnodeOwner(chain, {
      from: cast.alice,
      parent: ethNode("box-one"),
      label: "inner",
      owner: cast.alice,
    });
    const nodes = [ethNode("box-one"), ethNode("box-two"), nodeOfShown("inner.box-one.eth")];
    await approveForAll(chain, { from: cast.alice, contract: "wrapper", operator: cast.dave });
    const act = { from: cast.dave, owner: cast.alice, nodes, to: cast.carol };
    const receipt = await transferWrappedBatch(chain, act);
    for (const name of ["box-one.eth", "box-two.eth", "inner.box-one.eth"]) {
      expect((await expectWhoisAsOnChain(stage, name)).ownership.owner).toBe(cast.carol);
      const events = eventsOf(await stage.events(name), receipt);
      expect(events).toMatchObject([{ event_type: "TransferBatch", to_address: cast.carol }]);
    }
    const rows = await stage.sql<{ node: string; ordinal: number }>(
      "select node, ordinal from events where transaction_hash = $1 order by ordinal",
      [receipt.transactionHash],
    );
    expect(rows).toEqual(nodes.map((node, ordinal) => ({ node, ordinal })));
  });

  test("in a log without tokens, which is still kept", async () => {
    const { chain, cast } = stage;
    const receipt = await transferWrappedBatch(chain, { from: cast.alice, nodes: [], to: cast.bob });
    const rows = await stage.sql("select event_type, node from events where transaction_hash = $1", [
      receipt.transactionHash,
    ]);
    expect(rows).toEqual([{ event_type: "TransferBatch", node: null }]);
  });
});

test("every account that ever held a name is listed with the last time", async () => {
  const { chain, cast } = stage;
  await registerReferred(chain, { from: cast.erin, label: "passed-on" });
  await transferRegistration(chain, { from: cast.erin, label: "passed-on", to: cast.frank });
  const reclaimed = await reclaim(chain, { from: cast.frank, label: "passed-on", owner: cast.frank });
  const rows = await stage.sql<{ address: string; last_owned_block_number: number }>(
    "select address, last_owned_block_number from holders where node = $1 order by last_owned_block_number",
    [ethNode("passed-on")],
  );
  expect(rows.map(({ address }) => address)).toEqual([lower(cast.erin), lower(cast.frank)]);
  expect(rows.at(-1)?.last_owned_block_number).toBe(Number(reclaimed.blockNumber));
});
