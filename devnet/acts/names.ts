import type { Hex } from "viem";
import { bytesToHex, concat, hexToBigInt, keccak256, namehash, stringToBytes } from "viem";

/** A label as an act takes it: text, or raw bytes for one that is not UTF-8. */
export type Label = string | Uint8Array;

/** Node of the root. */
export const ROOT_NODE: Hex = `0x${"00".repeat(32)}`;

/** Node of `eth`. */
export const ETH_NODE: Hex = namehash("eth");

/** Node of `reverse`, and of `addr.reverse` below it. */
export const REVERSE_NODE: Hex = namehash("reverse");
export const ADDR_REVERSE_NODE: Hex = namehash("addr.reverse");

const encoder = new TextEncoder();

function labelBytes(label: Label): Uint8Array {
  return typeof label === "string" ? encoder.encode(label) : label;
}

/** keccak256 of the label's bytes; labels are never normalised, dots and NUL are bytes like others. */
export function hashLabel(label: Label): Hex {
  return keccak256(labelBytes(label));
}

/** Node of a child by its parent's node and its label or labelhash. */
export function nodeBelow(parent: Hex, label: Label | { labelhash: Hex }): Hex {
  const labelhash = typeof label === "object" && "labelhash" in label ? label.labelhash : hashLabel(label);
  return keccak256(concat([parent, labelhash]));
}

/** Node of `<label>.eth`. */
export function ethNode(label: Label): Hex {
  return nodeBelow(ETH_NODE, label);
}

/** Token id of `<label>.eth` in the .eth registrar. */
export function tokenIdOf(label: Label): bigint {
  return hexToBigInt(hashLabel(label));
}

/** Node of any dotted name with well-formed labels. */
export function nodeOf(name: string): Hex {
  let node = ROOT_NODE;
  if (name === "") return node;
  for (const label of name.split(".").reverse()) node = nodeBelow(node, label);
  return node;
}

/** DNS wire form of labels from the leftmost to the rightmost, each of at most 255 bytes. */
export function dnsEncode(labels: readonly Label[]): Hex {
  const parts = labels.map((label) => {
    const bytes = labelBytes(label);
    return bytesToHex(Uint8Array.from([bytes.length, ...bytes]));
  });
  return concat([...parts, "0x00"]);
}

/** A commitment's secret: the same label at the same time always has the same one. */
export function secretOf(label: Label, time: bigint): Hex {
  return keccak256(concat([bytesToHex(labelBytes(label)), bytesToHex(stringToBytes(` ${time}`))]));
}
