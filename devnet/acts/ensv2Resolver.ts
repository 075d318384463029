import type { Address, Hex, TransactionReceipt } from "viem";
import type { Chain } from "./chain.ts";
import { encodeCall, send } from "./chain.ts";
import type { Label } from "./names.ts";
import { dnsEncode } from "./names.ts";

/** One write to a resolver of ENSv2: a record of a name, or to which records a name is linked. */
export type ResolverWrite =
  | { kind: "text"; key: string; value: string }
  | { kind: "address"; coinType: bigint; bytes: Hex }
  | { kind: "data"; key: string; value: Hex }
  | { kind: "contenthash"; hash: Hex }
  | { kind: "name"; name: string }
  | { kind: "abi"; contentType: bigint; data: Hex }
  | { kind: "interface"; id: Hex; implementer: Address }
  /** To the records of another name. */
  | { kind: "link"; node: Hex }
  /** To records by their number; 0 takes the link away. */
  | { kind: "linkToRecord"; recordId: bigint };

function toFunction(write: ResolverWrite): { functionName: string; args: readonly unknown[] } {
  switch (write.kind) {
    case "text":
      return { functionName: "setText", args: [write.key, write.value] };
    case "address":
      return { functionName: "setAddress", args: [write.coinType, write.bytes] };
    case "data":
      return { functionName: "setData", args: [write.key, write.value] };
    case "contenthash":
      return { functionName: "setContenthash", args: [write.hash] };
    case "name":
      return { functionName: "setName", args: [write.name] };
    case "abi":
      return { functionName: "setABI", args: [write.contentType, write.data] };
    case "interface":
      return { functionName: "setInterface", args: [write.id, write.implementer] };
    case "link":
      return { functionName: "linkToNode", args: [write.node] };
    case "linkToRecord":
      return { functionName: "linkToRecord", args: [write.recordId] };
  }
}

/** Labels of the name from the leftmost on; none for the root, whose records are those of every name without a link. */
type Written = { name: readonly Label[]; write: ResolverWrite };

/** The calldata of one write, for the first records of a resolver and for `multicall`. */
export function encodeResolverWrite(chain: Chain, { name, write }: Written): Hex {
  const { functionName, args } = toFunction(write);
  return encodeCall(chain, { contract: "resolverCode", functionName, args: [dnsEncode(name), ...args] });
}

/** One write in a transaction of its own; `resolver` is the contract name. */
export async function writeToResolver(
  chain: Chain,
  { from, resolver, name, write }: Written & { from: Address; resolver: string },
): Promise<TransactionReceipt> {
  const { functionName, args } = toFunction(write);
  return send(chain, { from, contract: resolver, functionName, args: [dnsEncode(name), ...args] });
}

/** Several writes in one transaction. */
export async function writeAllToResolver(
  chain: Chain,
  { from, resolver, writes }: { from: Address; resolver: string; writes: readonly Written[] },
): Promise<TransactionReceipt> {
  const args = [writes.map((write) => encodeResolverWrite(chain, write))];
  return send(chain, { from, contract: resolver, functionName: "multicall", args });
}
