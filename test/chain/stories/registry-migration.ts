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
import { lower } from "../stage.ts";
import { beforeIndexing, stage, told } from "./stage.ts";

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

const below = (label: string, owner: Address) => ({
  from: stage.cast.alice,
  parent: nodeOf(TLD),
  label,
  owner,
});
const inOld = (label: string, owner: Address) =>
  setSubnodeOwner(stage.chain, { ...below(label, owner), registry });
const inNew = (label: string, owner: Address) => setSubnodeOwner(stage.chain, below(label, owner));

/** Gives a top-level name its record in the registry of 2020, whose root belongs to the Root contract. */
const migrateTopLevel = (label: string, owner: Address) =>
  send(stage.chain, {
    from: stage.cast.deployer,
    contract: "root",
    functionName: "setSubnodeOwner",
    args: [hashLabel(label), owner],
  });

async function isMigrated(name: string): Promise<boolean | undefined> {
  await expectWhoisAsOnChain(stage, name);
  const [row] = await stage.sql<{ is_migrated: boolean }>("select is_migrated from domains where node = $1", [
    nodeOf(name),
  ]);
  return row?.is_migrated;
}

describe("a node that is only in the old registry", () => {
  test("is answered from there", async () => {
    expect(await isMigrated(TLD)).toBe(false);
  });

  told("and changes there", ["moving.test", "staying.test"], async (chain, { bob, carol }) => {
    for (const label of ["moving", "staying"]) {
      await inOld(label, bob);
      const act = { from: bob, registry, node: nodeOf(`${label}.test`) };
      await setResolver(chain, { ...act, resolver: addressOf(chain, "resolver2") });
      await setTTL(chain, { ...act, ttl: 60n });
      await setOwner(chain, { ...act, owner: carol });
    }
  });

  told("and ends there", ["ended.test"], async (_, { bob }) => {
    await inOld("ended", bob);
    await inOld("ended", zeroAddress);
  });

  told("or belongs to the new registry's address, which is an ordinary owner there", ["odd.test"], (chain) =>
    inOld("odd", addressOf(chain, "registry")),
  );
});

describe("a node gets a record in the registry of 2020", () => {
  test("and leaves its old resolver behind, while its children stay in the old registry", async () => {
    const { cast } = stage;
    await migrateTopLevel(TLD, cast.alice);
    expect(await isMigrated(TLD)).toBe(true);
    expect(await isMigrated("moving.test")).toBe(false);
    await inNew("moving", cast.dave);
    expect((await expectWhoisAsOnChain(stage, "moving.test")).resolver).toEqual({ status: "none" });
    expect((await expectWhoisAsOnChain(stage, "staying.test")).resolver.status).toBe("indexed");
  });

  told(
    "and the old registry no longer decides about it, but still about its sibling",
    ["moving.test", "staying.test"],
    async (chain, { carol, erin, frank }) => {
      const act = { from: carol, registry, node: nodeOf("moving.test") };
      await setResolver(chain, { ...act, resolver: addressOf(chain, "resolver2") });
      await setOwner(chain, { ...act, owner: erin });
      await inOld("moving", frank);
      await inOld("staying", erin);
    },
  );

  test("and is deleted: it does not fall back to the old registry", async () => {
    const { chain, cast } = stage;
    await setOwner(chain, { from: cast.dave, node: nodeOf("moving.test"), owner: zeroAddress });
    const args = [nodeOf("moving.test")];
    const old = await read<Address>(chain, { contract: registry, functionName: "owner", args });
    expect(old).toBe(cast.frank);
    expect(await isMigrated("moving.test")).toBe(true);
  });

  told(
    "and is deleted by its parent, or given to the registry itself: no one owns it",
    ["staying.test", "kept.test"],
    async (chain, { bob }) => {
      await inNew("staying", zeroAddress);
      await inNew("kept", bob);
      await setOwner(chain, { from: bob, node: nodeOf("kept.test"), owner: addressOf(chain, "registry") });
    },
  );

  told("and is created again by its parent", ["moving.test"], (_, { bob }) => inNew("moving", bob));
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
