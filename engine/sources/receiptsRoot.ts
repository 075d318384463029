// The root of a block's receipts, which its header proves. Source: Ethereum's yellow paper, appendix D, and EIP-2718.

import { type Hex, hexToBytes, keccak256, numberToHex, toRlp } from "viem";
import type { NodeLog } from "../backfill/cacheRows.ts";

/** A receipt as a node gives it. */
export type Receipt = {
  transactionIndex: Hex;
  type?: Hex;
  status?: Hex;
  /** In place of the status, before block 4,370,000 of mainnet. */
  root?: Hex;
  cumulativeGasUsed: Hex;
  logsBloom: Hex;
  logs: NodeLog[];
  /** Of deposits into a chain of the OP Stack. */
  depositNonce?: Hex;
  depositReceiptVersion?: Hex;
};

type Item = Hex | Item[];
type Pair = { nibbles: number[]; value: Hex };

const number = (value: Hex): Hex => (BigInt(value) === 0n ? "0x" : numberToHex(BigInt(value)));
/** A number's bytes are whole. */
const even = (value: Hex): Hex => (value.length % 2 === 0 ? value : `0x0${value.slice(2)}`);

function encoded(receipt: Receipt): Hex {
  const {
    type = "0x0",
    status,
    root,
    cumulativeGasUsed,
    logsBloom,
    logs,
    depositNonce,
    depositReceiptVersion,
  } = receipt;
  const items: Item[] = [
    status === undefined ? (root ?? "0x") : even(number(status)),
    even(number(cumulativeGasUsed)),
    logsBloom,
    logs.map(({ address, topics, data }) => [address, topics, data]),
  ];
  for (const deposit of [depositNonce, depositReceiptVersion]) if (deposit) items.push(even(number(deposit)));
  const rlp = toRlp(items);
  return Number(type) === 0 ? rlp : (`${numberToHex(Number(type), { size: 1 })}${rlp.slice(2)}` as Hex);
}

export function receiptsRoot(receipts: readonly Receipt[]): Hex {
  if (receipts.length === 0) return keccak256("0x80");
  const pairs = receipts.map((receipt): Pair => {
    const key = hexToBytes(toRlp(even(number(receipt.transactionIndex))));
    return { nibbles: [...key].flatMap((byte) => [byte >> 4, byte & 15]), value: encoded(receipt) };
  });
  return keccak256(toRlp(node(pairs, 0)));
}

/** A node of the trie below the first nibbles, which all pairs share. */
function node(pairs: readonly Pair[], depth: number): Item {
  const [first] = pairs as [Pair];
  if (pairs.length === 1) return [path(first.nibbles.slice(depth), true), first.value];
  let shared = depth;
  while (pairs.every(({ nibbles }) => shared < nibbles.length && nibbles[shared] === first.nibbles[shared]))
    shared++;
  if (shared > depth)
    return [path(first.nibbles.slice(depth, shared), false), reference(node(pairs, shared))];
  const ends = pairs.find(({ nibbles }) => nibbles.length === depth);
  const branches = Array.from({ length: 16 }, (_, nibble): Item => {
    const below = pairs.filter(({ nibbles }) => nibbles[depth] === nibble);
    return below.length === 0 ? "0x" : reference(node(below, depth + 1));
  });
  return [...branches, ends?.value ?? "0x"];
}

/** A node that is short stands in its parent. */
const reference = (item: Item): Item => {
  const rlp = toRlp(item);
  return (rlp.length - 2) / 2 < 32 ? item : keccak256(rlp);
};

function path(nibbles: readonly number[], isLeaf: boolean): Hex {
  const flag = (isLeaf ? 2 : 0) + (nibbles.length % 2);
  const all = nibbles.length % 2 === 0 ? [flag, 0, ...nibbles] : [flag, ...nibbles];
  return `0x${all.map((nibble) => nibble.toString(16)).join("")}`;
}
