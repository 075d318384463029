import type { Address, Hex, TransactionReceipt } from "viem";
import type { Chain } from "./chain.ts";
import { send } from "./chain.ts";
import type { Label } from "./names.ts";
import { hashLabel } from "./names.ts";

/** Which registry an act writes: that of 2020, or with `registry: "oldRegistry"` that of 2017. */
type RegistryAct = { from: Address; registry?: string };

/** `setOwner`: the owner of a node gives it away. Zero deletes it. */
export async function setOwner(
  chain: Chain,
  { from, node, owner, registry = "registry" }: RegistryAct & { node: Hex; owner: Address },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: registry, functionName: "setOwner", args: [node, owner] });
}

/** `setSubnodeOwner`: the owner of a node creates a child or changes its owner. Zero deletes it. */
export async function setSubnodeOwner(
  chain: Chain,
  act: RegistryAct & { parent: Hex; label: Label; owner: Address },
): Promise<TransactionReceipt> {
  const { from, parent, label, owner, registry = "registry" } = act;
  const args = [parent, hashLabel(label), owner];
  return send(chain, { from, contract: registry, functionName: "setSubnodeOwner", args });
}

/** `setResolver`; zero removes it. */
export async function setResolver(
  chain: Chain,
  { from, node, resolver, registry = "registry" }: RegistryAct & { node: Hex; resolver: Address },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: registry, functionName: "setResolver", args: [node, resolver] });
}

/** `setTTL`. */
export async function setTTL(
  chain: Chain,
  { from, node, ttl, registry = "registry" }: RegistryAct & { node: Hex; ttl: bigint },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: registry, functionName: "setTTL", args: [node, ttl] });
}

/** `setRecord` of the registry of 2020: owner, resolver and TTL. */
export async function setRecord(
  chain: Chain,
  act: { from: Address; node: Hex; owner: Address; resolver: Address; ttl?: bigint },
): Promise<TransactionReceipt> {
  const { from, node, owner, resolver, ttl = 0n } = act;
  const args = [node, owner, resolver, ttl];
  return send(chain, { from, contract: "registry", functionName: "setRecord", args });
}

/** `setSubnodeRecord` of the registry of 2020: a child's owner, resolver and TTL. */
export async function setSubnodeRecord(
  chain: Chain,
  act: { from: Address; parent: Hex; label: Label; owner: Address; resolver: Address; ttl?: bigint },
): Promise<TransactionReceipt> {
  const { from, parent, label, owner, resolver, ttl = 0n } = act;
  const args = [parent, hashLabel(label), owner, resolver, ttl];
  return send(chain, { from, contract: "registry", functionName: "setSubnodeRecord", args });
}
