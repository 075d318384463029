import { type Address, type Hex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import {
  addressOf,
  hashLabel,
  nodeOf,
  ROOT_NODE,
  read,
  send,
  setOwner,
  setResolver,
  setSubnodeOwner,
  setTTL,
} from "../../../devnet/acts.ts";
import { expectWhoisAsOnChain } from "../onChain.ts";
import { lower, namesOf } from "../stage.ts";
import { beforeIndexing, stage } from "./stage.ts";

/*
 * The registry of 2020 asks the old one about nodes without their own record, node by node. Whois is compared with the answers of
 * the registry of 2020, which include that.
 */
const registry = "oldRegistry";
/** A top-level name with a well-known label, so that its children can be requested by name. */
const TLD = "test";

beforeIndexing(async (chain, { deployer, alice }) => {
  await setSubnodeOwner(chain, {
    from: deployer,
    registry,
    parent: ROOT_NODE,
    label: TLD,
    owner: alice,
  });
});

const inOld = (parent: string, label: string, owner: Address, from = stage.cast.alice) =>
  setSubnodeOwner(stage.chain, { from, registry, parent: nodeOf(parent), label, owner });

const inNew = (parent: string, label: string, owner: Address, from = stage.cast.alice) =>
  setSubnodeOwner(stage.chain, { from, parent: nodeOf(parent), label, owner });

/** Gives a top-level name its record in the registry of 2020, whose root belongs to the Root contract. */
const migrateTopLevel = (label: string, owner: Address) =>
  send(stage.chain, {
    from: stage.cast.deployer,
    contract: "root",
    functionName: "setSubnodeOwner",
    args: [hashLabel(label), owner],
  });

async function isMigrated(name: string): Promise<boolean | undefined> {
  const [row] = await stage.sql<{ is_migrated: boolean }>("select is_migrated from domains where node = $1", [
    nodeOf(name),
  ]);
  return row?.is_migrated;
}

describe("a node that is only in the old registry", () => {
  test("is answered from there", async () => {
    const { cast } = stage;
    const answer = await expectWhoisAsOnChain(stage, TLD);
    expect(answer.ownership).toEqual({
      is_wrapped: false,
      owner: cast.alice,
      is_owner_current: true,
      registry: cast.alice,
    });
    expect(answer.parent_name).toBe("");
    expect(namesOf(await stage.events(TLD))).toEqual(["REGISTRY_OLD NewOwner"]);
    expect(await isMigrated(TLD)).toBe(false);
  });

  test("and changes there", async () => {
    const { chain, cast } = stage;
    await inOld(TLD, "moving", cast.bob);
    await inOld(TLD, "staying", cast.bob);
    const resolver = addressOf(chain, "resolver2");
    for (const name of ["moving.test", "staying.test"]) {
      await setResolver(chain, { from: cast.bob, registry, node: nodeOf(name), resolver });
      await setTTL(chain, { from: cast.bob, registry, node: nodeOf(name), ttl: 60n });
      await setOwner(chain, { from: cast.bob, registry, node: nodeOf(name), owner: cast.carol });
      const answer = await expectWhoisAsOnChain(stage, name);
      expect(answer.ownership.owner).toBe(cast.carol);
      expect(answer.resolver.address).toBe(resolver);
      expect(namesOf(await stage.events(name))).toEqual([
        "REGISTRY_OLD NewOwner",
        "REGISTRY_OLD NewResolver",
        "REGISTRY_OLD NewTTL",
        "REGISTRY_OLD Transfer",
      ]);
    }
  });

  test("and ends there", async () => {
    const { cast } = stage;
    await inOld(TLD, "ended", cast.bob);
    await inOld(TLD, "ended", zeroAddress);
    const answer = await expectWhoisAsOnChain(stage, "ended.test");
    expect(answer).toMatchObject({ availability_status: "unknown", ownership: { is_wrapped: false } });
  });

  test("or belongs to the new registry's address, which is an ordinary owner there", async () => {
    const { chain } = stage;
    await inOld(TLD, "odd", addressOf(chain, "registry"));
    await expectWhoisAsOnChain(stage, "odd.test");
  });
});

describe("a node gets a record in the registry of 2020", () => {
  test("and leaves its old resolver behind, while its children stay in the old registry", async () => {
    const { cast } = stage;
    await migrateTopLevel(TLD, cast.alice);
    await expectWhoisAsOnChain(stage, TLD);
    expect(await isMigrated(TLD)).toBe(true);
    expect(await isMigrated("moving.test")).toBe(false);
    await inNew(TLD, "moving", cast.dave);
    const answer = await expectWhoisAsOnChain(stage, "moving.test");
    expect(answer.ownership.owner).toBe(cast.dave);
    expect(answer.resolver).toEqual({ status: "none" });
    expect((await expectWhoisAsOnChain(stage, "staying.test")).resolver.status).toBe("indexed");
  });

  test("and the old registry no longer decides about it", async () => {
    const { chain, cast } = stage;
    const node = nodeOf("moving.test");
    const resolver = addressOf(chain, "resolver2");
    await setResolver(chain, { from: cast.carol, registry, node, resolver });
    await setOwner(chain, { from: cast.carol, registry, node, owner: cast.erin });
    await inOld(TLD, "moving", cast.frank);
    const answer = await expectWhoisAsOnChain(stage, "moving.test");
    expect(answer.ownership.owner).toBe(cast.dave);
    expect(answer.resolver).toEqual({ status: "none" });
    expect(namesOf(await stage.events("moving.test")).slice(-3)).toEqual([
      "REGISTRY_OLD NewResolver",
      "REGISTRY_OLD Transfer",
      "REGISTRY_OLD NewOwner",
    ]);
  });

  test("but still decides about its sibling", async () => {
    const { cast } = stage;
    await inOld(TLD, "staying", cast.erin);
    expect((await expectWhoisAsOnChain(stage, "staying.test")).ownership.owner).toBe(cast.erin);
  });

  test("and is deleted: it does not fall back to the old registry", async () => {
    const { chain, cast } = stage;
    await setOwner(chain, { from: cast.dave, node: nodeOf("moving.test"), owner: zeroAddress });
    const answer = await expectWhoisAsOnChain(stage, "moving.test");
    expect(answer.ownership).toEqual({ is_wrapped: false });
    const args = [nodeOf("moving.test")];
    const old = await read<Address>(chain, { contract: registry, functionName: "owner", args });
    expect(old).toBe(cast.frank);
    expect(await isMigrated("moving.test")).toBe(true);
  });

  test("and is deleted by its parent, or given to the registry itself: no one owns it", async () => {
    const { chain, cast } = stage;
    await inNew(TLD, "staying", zeroAddress);
    expect((await expectWhoisAsOnChain(stage, "staying.test")).ownership.owner).toBeUndefined();
    await inNew(TLD, "kept", cast.bob);
    const act = { from: cast.bob, node: nodeOf("kept.test"), owner: addressOf(chain, "registry") };
    await setOwner(chain, act);
    expect((await expectWhoisAsOnChain(stage, "kept.test")).ownership.owner).toBeUndefined();
  });

  test("and is created again by its parent", async () => {
    const { cast } = stage;
    await inNew(TLD, "moving", cast.bob);
    expect((await expectWhoisAsOnChain(stage, "moving.test")).ownership.owner).toBe(cast.bob);
  });
});

test("the root has a record in the registry of 2020 from the start, without an event", async () => {
  const { chain, cast } = stage;
  const act = { registry, node: ROOT_NODE, resolver: addressOf(chain, "resolver2") };
  await setResolver(chain, { from: cast.deployer, ...act });
  const [row] = await stage.sql<{ resolver: Hex | null; registry_owner: Hex | null }>(
    "select resolver, registry_owner from domains where node = $1",
    [ROOT_NODE],
  );
  const root = { contract: "registry", args: [ROOT_NODE] };
  const owner = await read<Address>(chain, { ...root, functionName: "owner" });
  expect(await read<Address>(chain, { ...root, functionName: "resolver" })).toBe(zeroAddress);
  expect(row).toEqual({ resolver: null, registry_owner: lower(owner) });
});
