import { domain, ensv2Entry, ensv2Registry, holder, label, nameLink } from "ponder:schema";
import { type Address, type Hex, size } from "viem";
import { storageIdOfNumber } from "../ens/ensv2.ts";
import { registrarNode } from "../ens/managedNames.ts";
import { childNode, decodeDnsName, ETH_NODE, hashOfTokenId, MAX_NAME_BYTES } from "../ens/name.ts";
import { rowsOfGivenLabels } from "./write/applyLabels.ts";

// Handlers find rows one after the other. Some keys are computed from the log, as the node of a name is: only our own code
// can know them ahead. With them Ponder's change `largeBlocks` asks for the rows of a hundred logs at once.

type Tables = typeof domain | typeof nameLink | typeof holder | typeof label;
type Row = [table: Tables | typeof ensv2Entry | typeof ensv2Registry, key: Record<string, unknown>];

/** The parts of an upcoming log that are read here. */
type Log = { args?: unknown; log: { address: Address } };

/** The rows that the handler of a log will look for, as far as they can be told from the log alone. */
export type Ahead<Of extends Log = Log> = (event: Of, chainId: number) => Row[];

const byEvent = new Map<string, Ahead>();

/** Says which rows the handler of an event will look for. */
export const declareAhead = (name: string, ahead: Ahead): void => void byEvent.set(name, ahead);

/** The rows of a name, and of the one who gets it. */
export const rowsOfName = (chainId: number, node: Hex, receiver?: Address): Row[] => [
  [domain, { chainId, node }],
  ...(receiver ? [[holder, { address: receiver.toLowerCase(), chainId, node }] satisfies Row] : []),
];

/** The rows of a new child of a name. */
export const rowsOfChild = (chainId: number, node: Hex, owner: Address): Row[] => [
  ...rowsOfName(chainId, node, owner),
  [nameLink, { chainId, node }],
];

/** The rows of a name of the chain's registrar. */
export const rowsOfToken = (chainId: number, tokenId: bigint, receiver?: Address): Row[] =>
  rowsOfName(chainId, childNode(registrarNode(chainId), hashOfTokenId(tokenId)), receiver);

/** A label that a wrapped name tells may be that of a name of the registrar, which is looked for. */
export function rowsOfLabels(chainId: number, packet: Hex): Row[] {
  if (size(packet) > MAX_NAME_BYTES) return [];
  const labels = decodeDnsName(packet)?.slice(0, -1) ?? [];
  return labels.map(({ labelhash }) => [
    domain,
    { chainId, node: childNode(registrarNode(chainId), labelhash) },
  ]);
}

type Numbers = Partial<{
  id: bigint;
  ids: readonly bigint[];
  tokenId: bigint;
  newTokenId: bigint;
  resource: bigint;
  labelHash: Hex;
}>;

/** A registry of ENSv2, the entries that one of its logs concerns, and the label in the log. */
export function rowsOfEntries({ args, log: { address: registry } }: Log, chainId: number): Row[] {
  const { id, ids, tokenId = id, newTokenId = tokenId, resource, labelHash } = (args ?? {}) as Numbers;
  const numbers = ids ?? [newTokenId ?? resource].filter((number) => number !== undefined);
  return [
    ...numbers.map(
      (number): Row => [ensv2Entry, { chainId, registry, storageId: storageIdOfNumber(number) }],
    ),
    [ensv2Registry, { chainId, registry }],
    ...(labelHash === undefined ? [] : [[label, { chainId, labelhash: labelHash }] satisfies Row]),
  ];
}

/**
 * The same for the ETH registry. A registration also concerns the name and its holder; a reservation does not change
 * the name.
 */
export function rowsOfEthEntries(event: Log, chainId: number): Row[] {
  const { labelHash, owner } = (event.args ?? {}) as Partial<{ labelHash: Hex; owner: Address }>;
  const names = labelHash && owner ? rowsOfName(chainId, childNode(ETH_NODE, labelHash), owner) : [];
  return [...rowsOfEntries(event, chainId), ...names];
}

/** What Ponder's change gives of a log that a handler will get. */
type Coming = { chain: { id: number }; eventCallback: { name: string }; event: Log };

const rowsAhead = ({ chain, eventCallback, event }: Coming): Row[] => [
  ...(byEvent.get(eventCallback.name)?.(event, chain.id) ?? []),
  ...rowsOfGivenLabels(chain.id),
];

Object.assign(globalThis, { namedexRowsAhead: rowsAhead });
