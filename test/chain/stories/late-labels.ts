import { describe, expect, test } from "vitest";
import {
  addController,
  ethNode,
  nodeBelow,
  registerByHash,
  registerReferred,
  registerWrapped,
  renewReferred,
  setSubnodeOwner,
  setWrappedSubnodeOwner,
  wrapName,
} from "../../../devnet/acts.ts";
import { expectWhoisAsOnChain, nodeOfShown, spelled } from "../onChain.ts";
import { beforeIndexing, stage } from "./stage.ts";

beforeIndexing(async (chain, { deployer, dave, alice }) => {
  await addController(chain, { from: deployer, controller: dave });
  await registerReferred(chain, { from: alice, label: "known" });
  await registerReferred(chain, { from: alice, label: "other" });
});

/** A subname in the registry whose log has only the hash of its label; alice owns all of them. */
const makeSubname = (parent: string, label: string) =>
  setSubnodeOwner(stage.chain, {
    from: stage.cast.alice,
    parent: nodeOfShown(parent),
    label,
    owner: stage.cast.alice,
  });

/** Reveals a label: the wrapper spells it out, under another parent. */
const spellOut = async (label: string) => {
  const { chain, cast } = stage;
  const parent = "dictionary";
  if ((await stage.sql("select 1 from domains where node = $1", [ethNode(parent)])).length === 0) {
    await registerWrapped(chain, { from: cast.bob, label: parent });
  }
  await setWrappedSubnodeOwner(chain, { from: cast.bob, parent: ethNode(parent), label, owner: cast.bob });
};

const nameOf = async (name: string) => (await expectWhoisAsOnChain(stage, name)).name;

async function pendingCount(): Promise<number> {
  const { body } = await stage.stack.api<{ pendingCount: number }>("/pending-stats");
  return body.pendingCount;
}

describe("a .eth name known only by its hash", () => {
  test("gets its name with a renewal, and so do its subnames", async () => {
    const { chain, cast } = stage;
    await registerByHash(chain, { from: cast.dave, label: "veiled", owner: cast.alice });
    await makeSubname("veiled.eth", "one");
    await makeSubname("one.veiled.eth", "two");
    await spellOut("one");
    expect(await nameOf("veiled.eth")).toBe(`${spelled("veiled")}.eth`);
    expect(await nameOf("two.one.veiled.eth")).toBe(`${spelled("two")}.one.${spelled("veiled")}.eth`);
    const pending = await pendingCount();
    await renewReferred(chain, { from: cast.bob, label: "veiled" });
    expect(await nameOf("veiled.eth")).toBe("veiled.eth");
    expect(await nameOf("one.veiled.eth")).toBe("one.veiled.eth");
    expect(await nameOf("two.one.veiled.eth")).toBe(`${spelled("two")}.one.veiled.eth`);
    expect(await pendingCount()).toBe(pending - 1);
  });

  test("has its name at once if its label was spelled out before", async () => {
    const { chain, cast } = stage;
    await spellOut("foretold");
    await registerByHash(chain, { from: cast.dave, label: "foretold", owner: cast.alice });
    expect(await nameOf("foretold.eth")).toBe("foretold.eth");
  });

  test("gets its name when its label is spelled out under another parent", async () => {
    const { chain, cast } = stage;
    await registerByHash(chain, { from: cast.dave, label: "overheard", owner: cast.alice });
    await makeSubname("overheard.eth", "sub");
    await spellOut("overheard");
    await spellOut("sub");
    expect(await nameOf("sub.overheard.eth")).toBe("sub.overheard.eth");
  });
});

describe("a revealed label names every domain that shows it", () => {
  test("under several parents, with all descendants", async () => {
    for (const parent of ["known.eth", "other.eth"]) {
      await makeSubname(parent, "branch");
      await makeSubname(`branch.${parent}`, "leaf");
      await makeSubname(`leaf.branch.${parent}`, "branch");
    }
    const shown = [spelled("branch"), spelled("leaf"), spelled("branch")].join(".");
    expect(await nameOf("branch.leaf.branch.other.eth")).toBe(`${shown}.other.eth`);
    await spellOut("branch");
    for (const parent of ["known.eth", "other.eth"]) {
      expect(await nameOf(`branch.${parent}`)).toBe(`branch.${parent}`);
      const deepest = `branch.leaf.branch.${parent}`;
      expect(await nameOf(deepest)).toBe(`branch.${spelled("leaf")}.branch.${parent}`);
    }
    await spellOut("leaf");
    for (const parent of ["known.eth", "other.eth"]) {
      expect(await nameOf(`branch.leaf.branch.${parent}`)).toBe(`branch.leaf.branch.${parent}`);
    }
  });

  test("even one created after it is known", async () => {
    await makeSubname("known.eth", "leaf");
    expect(await nameOf("leaf.known.eth")).toBe("leaf.known.eth");
  });

  test("in any order of discovery, when there are many", async () => {
    const labels = ["alpha", "beta", "gamma"];
    await makeSubname("known.eth", "alpha");
    await makeSubname("alpha.known.eth", "beta");
    for (const label of labels) await makeSubname("beta.alpha.known.eth", label);
    for (const label of ["beta", "gamma", "alpha"]) await spellOut(label);
    for (const label of labels) {
      expect(await nameOf(`${label}.beta.alpha.known.eth`)).toBe(`${label}.beta.alpha.known.eth`);
    }
  });
});

test("wrapping a name spells out its parents, too", async () => {
  const { chain, cast } = stage;
  await makeSubname("known.eth", "outer");
  await makeSubname("outer.known.eth", "inner");
  await makeSubname("outer.known.eth", "sibling");
  await wrapName(chain, { from: cast.alice, labels: ["inner", "outer", "known", "eth"] });
  expect(await nameOf("inner.outer.known.eth")).toBe("inner.outer.known.eth");
  expect(await nameOf("outer.known.eth")).toBe("outer.known.eth");
  expect(await nameOf("sibling.outer.known.eth")).toBe(`${spelled("sibling")}.outer.known.eth`);
});

test("a name below an unknown one is known completely only when all its labels are", async () => {
  const rows = await stage.sql<{ wrong: number }>(
    `select count(*)::int as wrong from domains
     where is_name_known is distinct from (full_name !~ '\\[[0-9a-f]{64}\\]')
        or label_length is distinct from case when is_label_known then char_length(label) end`,
  );
  expect(rows).toEqual([{ wrong: 0 }]);
});

test("every domain's full name is its label before its parent's full name", async () => {
  const rows = await stage.sql<{ full_name: string; parent_name: string; label: string }>(
    `select child.full_name, parent.full_name as parent_name, child.label from domains child
     join domains parent on parent.node = child.parent_node and parent.chain_id = child.chain_id`,
  );
  expect(rows.length).toBeGreaterThan(25);
  for (const { full_name, parent_name, label } of rows) {
    expect(full_name).toBe(parent_name === "" ? label : `${label}.${parent_name}`);
  }
  expect(nodeBelow(ethNode("known"), "leaf")).toBe(nodeOfShown("leaf.known.eth"));
});
