import {
  addController,
  addressOf,
  basenameNode,
  buyBasename,
  latestTime,
  setSubnodeRecord,
  writeRecord,
  YEAR,
} from "../../../devnet/acts.ts";
import type { Story } from "./times.ts";

/** Names of a layer 2. The last one ends at the present. */
export const basenames = ["alice", "shop", "ends"];

const BLOCK_SECONDS = 2n;

export async function playBase({ base, cast, present }: Story): Promise<void> {
  const { deployer, alice: from, bob, frank } = cast;
  const [controller, resolver] = ["controller1", "resolver1"];
  await addController(base, { from: deployer, controller: addressOf(base, controller) });
  const duration = 3n * YEAR;
  await buyBasename(base, { from, label: "alice", controller, resolver, duration });
  await buyBasename(base, { from: bob, label: "shop", controller, resolver, duration });
  const ending = present - (await latestTime(base)) - BLOCK_SECONDS;
  await buyBasename(base, { from, label: "ends", controller, resolver, duration: ending });
  const sub = { parent: basenameNode("alice"), label: "sub", owner: from };
  await setSubnodeRecord(base, { from, ...sub, resolver: addressOf(base, resolver) });
  const write = { kind: "addr", address: frank } as const;
  await writeRecord(base, { from: bob, resolver, node: basenameNode("shop"), write });
}
