import type { Address, Hex, TransactionReceipt } from "viem";
import { encodeAbiParameters, hexToBigInt, zeroAddress } from "viem";
import type { Chain } from "./chain.ts";
import { addressOf, send } from "./chain.ts";
import type { Label } from "./names.ts";
import { dnsEncode, hashLabel, tokenIdOf } from "./names.ts";
import { requireApproval } from "./registrar.ts";

/** Fuses of the NameWrapper by their names in the contract. The low 16 bits are owner-controlled. */
export const FUSES = {
  CANNOT_UNWRAP: 1,
  CANNOT_BURN_FUSES: 2,
  CANNOT_TRANSFER: 4,
  CANNOT_SET_RESOLVER: 8,
  CANNOT_SET_TTL: 16,
  CANNOT_CREATE_SUBDOMAIN: 32,
  CANNOT_APPROVE: 64,
  PARENT_CANNOT_CONTROL: 65_536,
  IS_DOT_ETH: 131_072,
  CAN_EXTEND_EXPIRY: 262_144,
} as const;

/** The largest expiry; the wrapper lowers it to what the parent allows. */
export const MAX_EXPIRY = 2n ** 64n - 1n;

type Wrapping = { from: Address; label: Label; owner?: Address; fuses?: number; resolver?: Address };

/** `wrapETH2LD`: approves the wrapper in the registrar if needed, then wraps `<label>.eth`. */
export async function wrapETH2LD(chain: Chain, act: Wrapping): Promise<TransactionReceipt> {
  const { from, label, owner = from, fuses = 0, resolver = zeroAddress } = act;
  await requireApproval(chain, { from, contract: "registrar", operator: addressOf(chain, "wrapper") });
  const args = [label, owner, fuses, resolver];
  return send(chain, { from, contract: "wrapper", functionName: "wrapETH2LD", args });
}

/** Wraps `<label>.eth` by sending its ERC-721 token to the wrapper; no approval is needed. */
export async function wrapBySending(
  chain: Chain,
  act: Wrapping & { label: string },
): Promise<TransactionReceipt> {
  const { from, label, owner = from, fuses = 0, resolver = zeroAddress } = act;
  const data = encodeAbiParameters(
    [{ type: "string" }, { type: "address" }, { type: "uint16" }, { type: "address" }],
    [label, owner, fuses, resolver],
  );
  const args = [from, addressOf(chain, "wrapper"), tokenIdOf(label), data];
  return send(chain, { from, contract: "registrar", functionName: "safeTransferFrom", args });
}

/** `wrap` of a name other than a .eth second-level name; approves the wrapper in the registry if needed. */
export async function wrapName(
  chain: Chain,
  act: { from: Address; labels: readonly Label[]; owner?: Address; resolver?: Address },
): Promise<TransactionReceipt> {
  const { from, labels, owner = from, resolver = zeroAddress } = act;
  await requireApproval(chain, { from, contract: "registry", operator: addressOf(chain, "wrapper") });
  const args = [dnsEncode(labels), owner, resolver];
  return send(chain, { from, contract: "wrapper", functionName: "wrap", args });
}

/** `unwrapETH2LD`: the registrant gets the token, the controller the registry record. */
export async function unwrapETH2LD(
  chain: Chain,
  act: { from: Address; label: Label; registrant?: Address; controller?: Address },
): Promise<TransactionReceipt> {
  const { from, label, registrant = from, controller = from } = act;
  const args = [hashLabel(label), registrant, controller];
  return send(chain, { from, contract: "wrapper", functionName: "unwrapETH2LD", args });
}

/** `unwrap` of a name other than a .eth second-level name. */
export async function unwrap(
  chain: Chain,
  act: { from: Address; parent: Hex; label: Label; controller?: Address },
): Promise<TransactionReceipt> {
  const { from, parent, label, controller = from } = act;
  const args = [parent, hashLabel(label), controller];
  return send(chain, { from, contract: "wrapper", functionName: "unwrap", args });
}

/** `setFuses`: burns owner-controlled fuses. */
export async function setFuses(
  chain: Chain,
  { from, node, fuses }: { from: Address; node: Hex; fuses: number },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: "wrapper", functionName: "setFuses", args: [node, fuses] });
}

type Child = { from: Address; parent: Hex; label: Label };

/** `setChildFuses`: the parent's owner burns fuses of a wrapped child and sets its expiry. */
export async function setChildFuses(
  chain: Chain,
  { from, parent, label, fuses, expiry }: Child & { fuses: number; expiry: bigint },
): Promise<TransactionReceipt> {
  const args = [parent, hashLabel(label), fuses, expiry];
  return send(chain, { from, contract: "wrapper", functionName: "setChildFuses", args });
}

/** `extendExpiry` of a wrapped child. */
export async function extendExpiry(
  chain: Chain,
  { from, parent, label, expiry }: Child & { expiry: bigint },
): Promise<TransactionReceipt> {
  const args = [parent, hashLabel(label), expiry];
  return send(chain, { from, contract: "wrapper", functionName: "extendExpiry", args });
}

type WrappedChild = Child & { owner: Address; fuses?: number; expiry?: bigint };

/** The wrapper's `setSubnodeOwner`: creates a wrapped child, or gives an existing one to another. */
export async function setWrappedSubnodeOwner(chain: Chain, act: WrappedChild): Promise<TransactionReceipt> {
  const { from, parent, label, owner, fuses = 0, expiry = 0n } = act;
  const args = [parent, label, owner, fuses, expiry];
  return send(chain, { from, contract: "wrapper", functionName: "setSubnodeOwner", args });
}

/** The wrapper's `setSubnodeRecord`: the same with resolver and TTL. */
export async function setWrappedSubnodeRecord(
  chain: Chain,
  act: WrappedChild & { resolver: Address; ttl?: bigint },
): Promise<TransactionReceipt> {
  const { from, parent, label, owner, resolver, ttl = 0n, fuses = 0, expiry = 0n } = act;
  const args = [parent, label, owner, resolver, ttl, fuses, expiry];
  return send(chain, { from, contract: "wrapper", functionName: "setSubnodeRecord", args });
}

/** The wrapper's `setRecord`: owner, resolver and TTL of a wrapped name. */
export async function setWrappedRecord(
  chain: Chain,
  act: { from: Address; node: Hex; owner: Address; resolver: Address; ttl?: bigint },
): Promise<TransactionReceipt> {
  const { from, node, owner, resolver, ttl = 0n } = act;
  const args = [node, owner, resolver, ttl];
  return send(chain, { from, contract: "wrapper", functionName: "setRecord", args });
}

/** The wrapper's `setResolver`. */
export async function setWrappedResolver(
  chain: Chain,
  { from, node, resolver }: { from: Address; node: Hex; resolver: Address },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: "wrapper", functionName: "setResolver", args: [node, resolver] });
}

/** The wrapper's `setTTL`. */
export async function setWrappedTTL(
  chain: Chain,
  { from, node, ttl }: { from: Address; node: Hex; ttl: bigint },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: "wrapper", functionName: "setTTL", args: [node, ttl] });
}

/** ERC-1155 transfer of one wrapped name. */
export async function transferWrapped(
  chain: Chain,
  { from, node, to, owner = from }: { from: Address; node: Hex; to: Address; owner?: Address },
): Promise<TransactionReceipt> {
  const args = [owner, to, hexToBigInt(node), 1n, "0x"];
  return send(chain, { from, contract: "wrapper", functionName: "safeTransferFrom", args });
}

/** ERC-1155 transfer of several wrapped names in one log. */
export async function transferWrappedBatch(
  chain: Chain,
  { from, nodes, to, owner = from }: { from: Address; nodes: readonly Hex[]; to: Address; owner?: Address },
): Promise<TransactionReceipt> {
  const args = [owner, to, nodes.map((node) => hexToBigInt(node)), nodes.map(() => 1n), "0x"];
  return send(chain, { from, contract: "wrapper", functionName: "safeBatchTransferFrom", args });
}

/** The wrapper's `approve`: `to` may extend subnames' expiries; zero revokes. */
export async function approveWrapped(
  chain: Chain,
  { from, node, to }: { from: Address; node: Hex; to: Address },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: "wrapper", functionName: "approve", args: [to, hexToBigInt(node)] });
}
