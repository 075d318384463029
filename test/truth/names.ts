import { concat, type Hex, hexToBytes, keccak256, size, stringToBytes, zeroHash } from "viem";
import { ADDR_REVERSE_NODE, ETH_NODE } from "../../devnet/acts/names.ts";
import { exactText, type Log, shownText, type TextBytes } from "./chainLogs.ts";

/** Position of a node: its parent's node and the hash of its label. */
export type Position = { parent: Hex; labelhash: Hex };

/** Node of a child, from its parent's node and its labelhash. */
export const nodeBelowHash = (parent: Hex, labelhash: Hex): Hex => keccak256(concat([parent, labelhash]));

/** Node of a .eth second-level name, from the hash of its label. */
export const ethNodeOf = (labelhash: Hex): Hex => nodeBelowHash(ETH_NODE, labelhash);

/** A token id as the hash that it is. */
export const hashOfId = (id: bigint): Hex => `0x${id.toString(16).padStart(64, "0")}`;

/** Node of the reverse name of an address. */
export const reverseNodeOf = (address: Hex): Hex =>
  nodeBelowHash(ADDR_REVERSE_NODE, keccak256(stringToBytes(address.slice(2).toLowerCase())));

/** Whether a label can be shown unchanged: 1 to 255 bytes, UTF-8, without NUL, dot and brackets. */
export const isShowable = (label: string | null): label is string =>
  label !== null && label !== "" && stringToBytes(label).length <= 255 && !/[\0.[\]]/.test(label);

/** The raw labels of a name in DNS wire format, leftmost first; null if the bytes are not a valid name. */
function labelsOfDnsName(name: Hex): TextBytes[] | null {
  const labels: TextBytes[] = [];
  let rest = name.slice(2);
  for (;;) {
    if (rest.length < 2) return null;
    const length = Number.parseInt(rest.slice(0, 2), 16) * 2;
    if (length === 0) return rest.length === 2 ? labels : null;
    const label = rest.slice(2, 2 + length);
    if (label.length < length) return null;
    labels.push({ bytes: `0x${label}` });
    rest = rest.slice(2 + length);
  }
}

/** Node of labels given leftmost first. */
const nodeOfRawLabels = (labels: readonly TextBytes[]): Hex =>
  labels.reduceRight<Hex>((node, label) => nodeBelowHash(node, hashOfText(label)), zeroHash);

/** keccak256 of a text's bytes. */
export const hashOfText = (text: TextBytes): Hex => keccak256(hexToBytes(text.bytes));

/** Positions of nodes, from the logs of registries, registrar and wrapper. */
export function positionsOf(logs: readonly Log[]): Map<Hex, Position> {
  const positions = new Map<Hex, Position>();
  for (const { role, entry, eventName, args } of logs) {
    if (role === "registry" && eventName === "NewOwner") {
      const position = { parent: args.node as Hex, labelhash: args.label as Hex };
      positions.set(nodeBelowHash(position.parent, position.labelhash), position);
    }
    const id = args.tokenId ?? args.id;
    if (role === "registrar" && entry?.generation === 2 && typeof id === "bigint") {
      positions.set(ethNodeOf(hashOfId(id)), { parent: ETH_NODE, labelhash: hashOfId(id) });
    }
    if (role === "wrapper" && eventName === "NameWrapped") {
      const labels = labelsOfDnsName(args.name as Hex);
      const [own, ...parents] = labels ?? [];
      if (labels === null || own === undefined || nodeOfRawLabels(labels) !== args.node) continue;
      positions.set(args.node as Hex, { parent: nodeOfRawLabels(parents), labelhash: hashOfText(own) });
    }
  }
  return positions;
}

/** Labels spelled out by an event, by hash; only those that can be shown. */
export function revealedLabels(
  logs: readonly Log[],
  senderOf: (log: Log) => Hex | undefined,
): Map<Hex, string> {
  const revealed = new Map<Hex, string>();
  const reveal = (text: TextBytes) => {
    const label = exactText(text);
    if (isShowable(label)) revealed.set(hashOfText(text), label);
  };
  for (const log of logs) {
    for (const text of spelledLabels(log)) reveal(text);
    for (const address of spelledAddresses(log, senderOf(log))) {
      const label = address.slice(2).toLowerCase();
      revealed.set(keccak256(stringToBytes(label)), label);
    }
  }
  return revealed;
}

function spelledLabels({ role, eventName, args }: Log): TextBytes[] {
  if (role === "controller" && eventName === "NameRegistered") return [labelOfPurchase(args)];
  if (role === "controller" && eventName === "NameRenewed") return [labelOfPurchase(args)];
  if (role === "renewal-referrer") return [args.label as TextBytes];
  if (role !== "wrapper" || eventName !== "NameWrapped") return [];
  const name = args.name as Hex;
  const labels = labelsOfDnsName(name);
  const isLearnt = labels !== null && size(name) <= 1_026 && nodeOfRawLabels(labels) === args.node;
  return isLearnt ? labels : [];
}

/** The text of a controller's log: `name` until 2023, `label` since 2025. */
export const labelOfPurchase = (args: Log["args"]): TextBytes => (args.name ?? args.label) as TextBytes;

/** The labelhash of a controller's log: `label` until 2023, `labelhash` since 2025. */
export const hashOfPurchase = (args: Log["args"]): Hex => (args.labelhash ?? args.label) as Hex;

/** Addresses whose reverse node a log identifies. */
function spelledAddresses({ role, eventName, args }: Log, sender: Hex | undefined): Hex[] {
  if (eventName === "ReverseClaimed") return [args.addr as Hex];
  if (role !== "registry" || eventName !== "NewOwner" || args.node !== ADDR_REVERSE_NODE) return [];
  const candidates = [args.owner as Hex, ...(sender === undefined ? [] : [sender])];
  return candidates.filter(
    (address) => reverseNodeOf(address) === nodeBelowHash(args.node as Hex, args.label as Hex),
  );
}

/** The notation for a label that cannot be shown. */
export const hiddenLabel = (labelhash: Hex): string => `[${labelhash.slice(2)}]`;

/** The notation for a name that is too long, or has an unknown ancestor. */
export const hiddenName = (node: Hex): string => `[namehash:${node.slice(2)}]`;

/** The node of a displayed name: the namehash of its labels, with unknown ones as `[hash]`. */
export function nodeOfShownName(name: string): Hex {
  const given = /^\[namehash:([0-9a-f]{64})\]$/.exec(name)?.[1];
  if (given !== undefined) return `0x${given}`;
  return name.split(".").reduceRight<Hex>((node, label) => {
    const hidden = /^\[([0-9a-f]{64})\]$/.exec(label)?.[1];
    return nodeBelowHash(node, hidden === undefined ? keccak256(stringToBytes(label)) : `0x${hidden}`);
  }, zeroHash);
}

/**
 * The full name of each node, from labels and positions alone: each label as text or hash, up to the root. The name is written by
 * node if it has more than 1,024 bytes, or if no log gives the parent of an ancestor.
 */
export function fullNamer(
  positionOf: (node: Hex) => Position | null,
  labelOf: (labelhash: Hex) => string | null,
): (node: Hex) => string {
  const texts = new Map<Hex, string | null>([[zeroHash, ""]]);
  const textOf = (node: Hex): string | null => {
    const position = positionOf(node);
    const above = position && find(position.parent);
    if (!position || above === null) return null;
    const label = labelOf(position.labelhash) ?? hiddenLabel(position.labelhash);
    const text = above === "" ? label : `${label}.${above}`;
    return stringToBytes(text).length <= 1_024 ? text : null;
  };
  const find = (node: Hex): string | null => {
    const found = texts.get(node);
    if (found !== undefined) return found;
    const text = textOf(node);
    texts.set(node, text);
    return text;
  };
  return (node) => find(node) ?? hiddenName(node);
}

/** A name in DNS wire format as the index shows it; null if the bytes are not the node's name. */
export function shownDnsName(name: Hex, node: Hex): string | null {
  const labels = labelsOfDnsName(name);
  if (labels === null || nodeOfRawLabels(labels) !== node) return null;
  return labels
    .map((label) => (isShowable(exactText(label)) ? shownText(label) : hiddenLabel(hashOfText(label))))
    .join(".");
}

/** A name claimed by an address, as the index has it: none if it is empty, or too long to be any name. */
export function claimedName(bytes: Hex): string | null {
  const name = shownText({ bytes });
  return name === "" || stringToBytes(name).length > 1_024 ? null : name;
}

/** A text as in the tables: PostgreSQL has no NUL, so U+2400 escapes it, and itself. */
export const storedText = (text: string): string =>
  text.replace(/[\0\u2400]/g, (character) => (character === "\0" ? "\u24000" : "\u2400\u2400"));
