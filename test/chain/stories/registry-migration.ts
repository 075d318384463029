import { type Address, type Hex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import {
  addressOf,
  nodeOf,
  ROOT_NODE,
  read,
  setOwner,
  setResolver,
  setSubnodeOwner,
  setTTL,
} from "../../../devnet/acts.ts";
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

describe("a node that is only in the old registry", () => {
  told("changes there", [TLD, "moving.test", "staying.test"], async (chain, { bob, carol }) => {
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
