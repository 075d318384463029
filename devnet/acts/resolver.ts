import type { Address, Hex, TransactionReceipt } from "viem";
import type { Call, Chain } from "./chain.ts";
import { encodeCall, send } from "./chain.ts";

/** One record to write. Which kinds a resolver knows depends on its generation. */
export type RecordWrite =
  | { kind: "text"; key: string; value: string }
  | { kind: "addr"; address: Address }
  | { kind: "coin"; coinType: bigint; bytes: Hex }
  | { kind: "contenthash"; hash: Hex }
  | { kind: "name"; name: string }
  | { kind: "pubkey"; x: Hex; y: Hex }
  | { kind: "abi"; contentType: bigint; data: Hex }
  | { kind: "interface"; id: Hex; implementer: Address }
  | { kind: "zonehash"; hash: Hex }
  | { kind: "dns"; data: Hex }
  | { kind: "content"; hash: Hex }
  | { kind: "multihash"; hash: Hex };

/** The resolver's function and the arguments after the node. */
function toFunction(write: RecordWrite): { functionName: string; args: readonly unknown[] } {
  switch (write.kind) {
    case "text":
      return { functionName: "setText", args: [write.key, write.value] };
    case "addr":
      return { functionName: "setAddr", args: [write.address] };
    case "coin":
      return { functionName: "setAddr", args: [write.coinType, write.bytes] };
    case "contenthash":
      return { functionName: "setContenthash", args: [write.hash] };
    case "name":
      return { functionName: "setName", args: [write.name] };
    case "pubkey":
      return { functionName: "setPubkey", args: [write.x, write.y] };
    case "abi":
      return { functionName: "setABI", args: [write.contentType, write.data] };
    case "interface":
      return { functionName: "setInterface", args: [write.id, write.implementer] };
    case "zonehash":
      return { functionName: "setZonehash", args: [write.hash] };
    case "dns":
      return { functionName: "setDNSRecords", args: [write.data] };
    case "content":
      return { functionName: "setContent", args: [write.hash] };
    case "multihash":
      return { functionName: "setMultihash", args: [write.hash] };
  }
}

/** Whose records: `resolver` is the contract's name, such as `resolver5`. */
type Records = { resolver: string; node: Hex };

/** One record write as a call, to be sent alone, in a block with others, or through a contract. */
export function toWriteCall({
  from,
  resolver,
  node,
  write,
}: Records & { from: Address; write: RecordWrite }): Call {
  const { functionName, args } = toFunction(write);
  return { from, contract: resolver, functionName, args: [node, ...args] };
}

/** The calldata of one record write. */
export function encodeWrite(chain: Chain, { resolver, node, write }: Records & { write: RecordWrite }): Hex {
  const { functionName, args } = toFunction(write);
  return encodeCall(chain, { contract: resolver, functionName, args: [node, ...args] });
}

/** Writes one record in a transaction of its own, straight to the resolver. */
export async function writeRecord(
  chain: Chain,
  act: Records & { from: Address; write: RecordWrite },
): Promise<TransactionReceipt> {
  return send(chain, toWriteCall(act));
}

/** Sets a text record; the empty value deletes it. */
export async function setText(
  chain: Chain,
  { key, value, ...act }: Records & { from: Address; key: string; value: string },
): Promise<TransactionReceipt> {
  return writeRecord(chain, { ...act, write: { kind: "text", key, value } });
}

/** Sets the ETH address. */
export async function setAddr(
  chain: Chain,
  { address, ...act }: Records & { from: Address; address: Address },
): Promise<TransactionReceipt> {
  return writeRecord(chain, { ...act, write: { kind: "addr", address } });
}

/** `multicall` of a resolver: several records in one transaction. */
export async function writeRecords(
  chain: Chain,
  { from, resolver, node, writes }: Records & { from: Address; writes: readonly RecordWrite[] },
): Promise<TransactionReceipt> {
  const data = writes.map((write) => encodeWrite(chain, { resolver, node, write }));
  return send(chain, { from, contract: resolver, functionName: "multicall", args: [data] });
}

/** `multicallWithNodeCheck` (generations 4 and 5): every record must be of that node. */
export async function writeRecordsChecked(
  chain: Chain,
  { from, resolver, node, writes }: Records & { from: Address; writes: readonly RecordWrite[] },
): Promise<TransactionReceipt> {
  const data = writes.map((write) => encodeWrite(chain, { resolver, node, write }));
  return send(chain, {
    from,
    contract: resolver,
    functionName: "multicallWithNodeCheck",
    args: [node, data],
  });
}

/** `clearRecords` (generations 4 and 5): wipes every record of the node by a new version. */
export async function clearRecords(
  chain: Chain,
  { from, resolver, node }: Records & { from: Address },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: resolver, functionName: "clearRecords", args: [node] });
}

/** `clearDNSZone` (generation 3). */
export async function clearDNSZone(
  chain: Chain,
  { from, resolver, node }: Records & { from: Address },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: resolver, functionName: "clearDNSZone", args: [node] });
}

/** Lets another account write one node: `setAuthorisation` in generation 3, `approve` from generation 4 on. */
export async function authorise(
  chain: Chain,
  act: Records & { from: Address; delegate: Address; allowed?: boolean },
): Promise<TransactionReceipt> {
  const { from, resolver, node, delegate, allowed = true } = act;
  const functionName = resolver === "resolver3" ? "setAuthorisation" : "approve";
  return send(chain, { from, contract: resolver, functionName, args: [node, delegate, allowed] });
}
