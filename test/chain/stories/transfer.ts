import { zeroAddress } from "viem";
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
import { nodeOfShown } from "../onChain.ts";
import { stage, told } from "./stage.ts";

describe("a .eth name is transferred", () => {
  told(
    "by its token: the new holder owns it, and the registry keeps the old one",
    ["given.eth"],
    async (chain, { alice: from, bob: to }) => {
      await registerReferred(chain, { from, label: "given" });
      await transferRegistration(chain, { from, label: "given", to });
    },
  );

  told("and claimed in the registry by the new holder", ["given.eth"], (chain, { bob }) =>
    reclaim(chain, { from: bob, label: "given", owner: bob }),
  );

  told(
    "in the registry alone: the token's holder stays the owner",
    ["managed.eth"],
    async (chain, { alice: from, carol: owner }) => {
      await registerReferred(chain, { from, label: "managed" });
      await setOwner(chain, { from, node: ethNode("managed"), owner });
    },
  );

  told(
    "to a contract, safely, after the token was approved to another account",
    ["kept-by-contract.eth"],
    async (chain, { alice: from, dave }) => {
      const label = "kept-by-contract";
      await registerReferred(chain, { from, label });
      await approveRegistration(chain, { from, label, to: dave });
      await transferRegistration(chain, { from, label, to: addressOf(chain, "batch"), safe: true });
    },
  );

  told(
    "and given up in the registry: no one owns the record, and the token's holder owns the name",
    ["recordless.eth"],
    async (chain, { alice: from }) => {
      await registerReferred(chain, { from, label: "recordless" });
      await setOwner(chain, { from, node: ethNode("recordless"), owner: zeroAddress });
    },
  );

  told(
    "with owner, resolver and time to live set at once",
    ["all-at-once.eth"],
    async (chain, { alice: from, bob: owner }) => {
      await registerReferred(chain, { from, label: "all-at-once" });
      const [node, resolver] = [ethNode("all-at-once"), addressOf(chain, "resolver5")];
      await setRecord(chain, { from, node, owner, resolver, ttl: 3600n });
      await setTTL(chain, { from: owner, node, ttl: 60n });
    },
  );
});

describe("a subname is transferred", () => {
  const sub = { parent: ethNode("parent"), label: "sub" };

  told("by its owner", ["sub.parent.eth"], async (chain, { alice, bob, carol }) => {
    await registerReferred(chain, { from: alice, label: "parent" });
    await setSubnodeOwner(chain, { from: alice, ...sub, owner: bob });
    await setOwner(chain, { from: bob, node: nodeBelow(sub.parent, sub.label), owner: carol });
  });

  told("and reclaimed by its parent's owner", ["sub.parent.eth"], (chain, { alice }) =>
    setSubnodeOwner(chain, { from: alice, ...sub, owner: alice }),
  );
});

describe("a wrapped name is transferred", () => {
  told("by its token of the wrapper", ["boxed.eth"], async (chain, { alice: from, bob: to, dave }) => {
    const node = ethNode("boxed");
    await registerWrapped(chain, { from, label: "boxed" });
    await approveWrapped(chain, { from, node, to: dave });
    await transferWrapped(chain, { from, node, to });
  });

  const together = ["box-one.eth", "box-two.eth", "inner.box-one.eth"];
  told(
    "by an operator, together with others in one log",
    together,
    async (chain, { alice, carol: to, dave }) => {
      for (const label of ["box-one", "box-two"]) await registerWrapped(chain, { from: alice, label });
      const inner = { parent: ethNode("box-one"), label: "inner", owner: alice };
      await setWrappedSubnodeOwner(chain, { from: alice, ...inner });
      await approveForAll(chain, { from: alice, contract: "wrapper", operator: dave });
      const nodes = together.map(nodeOfShown);
      const receipt = await transferWrappedBatch(chain, { from: dave, owner: alice, nodes, to });
      const rows = await stage.sql<{ node: string; ordinal: number }>(
        "select node, ordinal from events where transaction_hash = $1 order by ordinal",
        [receipt.transactionHash],
      );
      expect(rows).toEqual(nodes.map((node, ordinal) => ({ node, ordinal })));
    },
  );

  test("in a log without tokens, which is still kept", async () => {
    const { chain, cast } = stage;
    const receipt = await transferWrappedBatch(chain, { from: cast.alice, nodes: [], to: cast.bob });
    const rows = await stage.sql("select event_type, node from events where transaction_hash = $1", [
      receipt.transactionHash,
    ]);
    expect(rows).toEqual([{ event_type: "TransferBatch", node: null }]);
  });
});
