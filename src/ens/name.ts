import { type Hex, hexToBytes, zeroHash } from "viem";
import { keccak256, keccak256OfHex } from "./keccak.ts";
import { memoize } from "./memoize.ts";

/** Node of the root, whose name is empty. */
export const ROOT_NODE = zeroHash;

/** keccak256 of a label's UTF-8 bytes. An on-chain label is never normalised: another label is another node. */
export const labelhash = memoize((label: string): Hex => keccak256(label));

/**
 * Node of a child: keccak256(parent node, labelhash). Source: EIP-137.
 */
export const childNode = memoize((parentNode: Hex, hash: Hex): Hex => keccak256OfHex(parentNode, hash));

/** namehash of `eth`. */
export const ETH_NODE = childNode(ROOT_NODE, labelhash("eth"));

/** namehash of `addr.reverse`, parent of the reverse nodes of addresses. Source: EIP-181. */
export const ADDR_REVERSE_NODE = childNode(childNode(ROOT_NODE, labelhash("reverse")), labelhash("addr"));

/** An ERC-721 or ERC-1155 token id as 32 bytes: a labelhash in the registrar, a node in the wrapper. */
export const hashOfTokenId = (tokenId: bigint): Hex => `0x${tokenId.toString(16).padStart(64, "0")}`;

/** How a label of which only the hash is known is written: `[<64 hex>]`. */
export const unknownLabel = (hash: Hex): string => `[${hash.slice(2)}]`;

/**
 * Whether a label can stand in a name as its own text. NUL cannot be stored, `.` would divide the name, and brackets
 * would pass for an unknown label. U+FFFD comes from bytes that are not UTF-8 and fails the hash check anyway.
 */
export const isPrintable = (label: string): boolean => label.length > 0 && !/[\0.[\]]/.test(label);

/** A label's length in code points, as `min_length` and the registrars count it. */
export const codePoints = (label: string): number => {
  let count = 0;
  for (const _ of label) count++;
  return count;
};

/** The name of a child; its parent's name is empty at the root. */
export const joinName = (label: string, parentName: string): string =>
  parentName === "" ? label : `${label}.${parentName}`;

/** Leaves a mark of byte order at the start of a label, which is a part of it. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Labels of a name in DNS wire format, leftmost first, each with its hash over the raw bytes; null if the bytes are not
 * a name (NameWrapper takes what it is given). The root is an empty list. Source: RFC 1035, section 3.1.
 */
export function decodeDnsName(packet: Hex): { label: string; hash: Hex }[] | null {
  const bytes = hexToBytes(packet);
  const labels: { label: string; hash: Hex }[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const length = bytes[offset] ?? 0;
    if (length === 0) return offset === bytes.length - 1 ? labels : null;
    const raw = bytes.subarray(offset + 1, offset + 1 + length);
    if (raw.length < length) return null;
    labels.push({ label: utf8.decode(raw), hash: keccak256(raw) });
    offset += 1 + length;
  }
  return offset === 0 ? labels : null;
}

/** namehash of labels given leftmost first by their hashes. Source: EIP-137. */
export const nodeOfLabels = (hashes: readonly Hex[]): Hex =>
  hashes.reduceRight<Hex>((node, hash) => childNode(node, hash), ROOT_NODE);
