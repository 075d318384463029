import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import {
  addressOf,
  approveForAll,
  approveRegistration,
  approveWrapped,
  DAY,
  ethNode,
  extendExpiry,
  latestTime,
  registerReferred,
  registerWrapped,
  setRecord,
  setResolver,
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

told("a name has no resolver any more", ["all-at-once.eth"], (chain, { bob: from }) =>
  setResolver(chain, { from, node: ethNode("all-at-once"), resolver: zeroAddress }),
);

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
      for (const contract of ["registry", "wrapper"])
        await approveForAll(chain, { from: alice, contract, operator: dave });
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

told(
  "an account approved by the parent extends the expiry of a wrapped subname",
  ["inner.box-two.eth"],
  async (chain, { carol: from, dave }) => {
    const [inner, now] = [{ parent: ethNode("box-two"), label: "inner" }, await latestTime(chain)];
    await setWrappedSubnodeOwner(chain, { from, ...inner, owner: from, expiry: now + DAY });
    await approveWrapped(chain, { from, node: inner.parent, to: dave });
    await extendExpiry(chain, { from: dave, ...inner, expiry: now + 2n * DAY });
  },
);
