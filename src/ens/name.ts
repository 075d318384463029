import { type Hex, hexToBytes, zeroHash } from "viem";
import { keccak256, keccak256OfHex } from "./keccak.ts";
import { memoize } from "./memoize.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Node of the root, the empty name. */
export const ROOT_NODE = zeroHash;

/**
 * keccak256 of a label's UTF-8 bytes. Labels are never normalised here: a different label is a different node.
 *
 * @example labelhash("eth") // "0x4f5b812789fc606be1b3b16908db13fc7a9adf7ca72641f84d75b47069d3d7f0"
 */
export const labelhash = memoize((label: string): Hex => keccak256(label));

/**
 * Node of a child: keccak256(parent node, labelhash). Source: EIP-137.
 *
 * @example childNode(ETH_NODE, labelhash("alice")) // namehash of alice.eth
 */
export const childNode = memoize(
  (parentNode: Hex, labelhash: Hex): Hex => keccak256OfHex(parentNode, labelhash),
);

/** namehash of `eth`. */
export const ETH_NODE = childNode(ROOT_NODE, labelhash("eth"));

/** namehash of `addr.reverse`, parent of the reverse nodes of addresses. Source: EIP-181. */
export const ADDR_REVERSE_NODE = childNode(childNode(ROOT_NODE, labelhash("reverse")), labelhash("addr"));

/** An ERC-721 or ERC-1155 token id as 32 bytes: a labelhash in the registrar, a node in the wrapper. */
export const hashOfTokenId = (tokenId: bigint): Hex => `0x${tokenId.toString(16).padStart(64, "0")}`;

/** A label known only by its hash: `[<64 hex>]`. */
export const unknownLabel = (labelhash: Hex): string => `[${labelhash.slice(2)}]`;

/** A name known only by its node: `[namehash:<64 hex>]`. No label looks like it. */
export const nameByNode = (node: Hex): string => `[namehash:${node.slice(2)}]`;

/** The node in {@link nameByNode}; null for every other name. */
export const nodeOfNameByNode = (name: string): Hex | null => {
  const digits = /^\[namehash:([0-9a-f]{64})\]$/i.exec(name)?.[1];
  return digits === undefined ? null : `0x${digits.toLowerCase()}`;
};

/** True if the labelhash is the hash of the text. */
export const isLabelOf = (hash: Hex, text: string): boolean => labelhash(text) === hash;

/**
 * Longest label of a name, in bytes of UTF-8. Resolvers receive names in DNS wire format, where the length of a label is
 * one byte. Source: ENSIP-10; RFC 1035, section 3.1; ens-contracts, contracts/utils/NameCoder.sol.
 */
export const MAX_LABEL_BYTES = 255;

/**
 * Longest name written label by label, in bytes of UTF-8. ENS has no limit, and each name is stored again in all names below
 * it. Four labels of maximum length fit.
 */
export const MAX_NAME_BYTES = 1_024;

/** Whether the text has at most `max` bytes of UTF-8: one to three per UTF-16 unit. */
export const fitsInBytes = (text: string, max: number): boolean =>
  text.length * 3 <= max || (text.length <= max && Buffer.byteLength(text) <= max);

/**
 * Whether a label can be shown as text. NUL cannot be stored, `.` would split the name, brackets would look like an unknown
 * label, and resolvers cannot be asked for longer labels. U+FFFD comes from bytes that are not UTF-8, and fails the hash
 * check anyway.
 */
export const isPrintable = (label: string): boolean =>
  label.length > 0 && fitsInBytes(label, MAX_LABEL_BYTES) && !/[\0.[\]]/.test(label);

/** A label's length in code points, as `min_length` and the registrars count it. */
export const codePoints = (label: string): number => {
  let count = 0;
  for (const _ of label) count++;
  return count;
};

/**
 * The name of a child. The root's name is empty. A name that would be too long is written by its node, and so are all names
 * below it.
 *
 * @example joinName(node, "alice", "eth") // "alice.eth"
 */
export function joinName(node: Hex, label: string, parentName: string): string {
  if (parentName === "") return label;
  const name = `${label}.${parentName}`;
  const isWritable = nodeOfNameByNode(parentName) === null && fitsInBytes(name, MAX_NAME_BYTES);
  return isWritable ? name : nameByNode(node);
}

/**
 * Labels of a name in DNS wire format, leftmost first, each with its hash over the raw bytes; null if the bytes are not
 * a name (the NameWrapper accepts any bytes). The root is an empty list. Source: RFC 1035, section 3.1.
 */
export function decodeDnsName(packet: Hex): { label: string; labelhash: Hex }[] | null {
  const bytes = hexToBytes(packet);
  const labels: { label: string; labelhash: Hex }[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const length = bytes[offset] ?? 0;
    if (length === 0) return offset === bytes.length - 1 ? labels : null;
    const raw = bytes.subarray(offset + 1, offset + 1 + length);
    if (raw.length < length) return null;
    labels.push({ label: decodeUtf8(raw), labelhash: keccak256(raw) });
    offset += 1 + length;
  }
  return offset === 0 ? labels : null;
}

/** namehash of a name, given the hashes of its labels, leftmost first. Source: EIP-137. */
export const nodeOfLabels = (labelhashes: readonly Hex[]): Hex =>
  labelhashes.reduceRight<Hex>((node, labelhash) => childNode(node, labelhash), ROOT_NODE);
