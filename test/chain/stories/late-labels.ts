import { expect, test } from "vitest";
import {
  addController,
  ethNode,
  registerByHash,
  registerReferred,
  registerWrapped,
  renewReferred,
  setSubnodeOwner,
  setWrappedSubnodeOwner,
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

test("a .eth name known only by its hash gets its name with a renewal, and so do its subnames", async () => {
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

test("a revealed label names every domain that shows it, under several parents, with all descendants", async () => {
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
