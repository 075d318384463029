import { type Hex, parseAbi } from "viem";
import { ETH_NODE } from "../../devnet/acts/names.ts";
import type { Log } from "./chainLogs.ts";
import { askTogether, type Question } from "./chainReads.ts";
import { ethNodeOf, hashOfId, hashOfPurchase, nodeBelowHash, type Position } from "./names.ts";
import { contractOf, type Evidence, orNone } from "./oracle.ts";

const reads = parseAbi([
  "function owner(bytes32 node) view returns (address)",
  "function resolver(bytes32 node) view returns (address)",
  "function recordExists(bytes32 node) view returns (bool)",
  "function ownerOf(uint256 tokenId) view returns (address)",
  "function nameExpires(uint256 id) view returns (uint256)",
  "function getData(uint256 id) view returns (address owner, uint32 fuses, uint64 expiry)",
  "function isWrapped(bytes32 parentNode, bytes32 labelhash) view returns (bool)",
]);

/** The contracts' state of a node. */
export type State = {
  registryOwner: string | null;
  resolver: string | null;
  isMigrated: boolean;
  registrarOwner: string | null;
  registrarExpiry: bigint | null;
  wrapper: WrapperData;
  isWrapped: boolean;
};

/** The wrapper's state of a token. */
export type WrapperData = { owner: string | null; fuses: number; expiry: bigint };

/** The layers in order: wrapper, registrar, registry. */
export const effectiveOwnerOf = (state: State): string | null =>
  (state.isWrapped ? state.wrapper.owner : null) ?? state.registrarOwner ?? state.registryOwner;

/** Every node in a log, whatever the log says about it. */
export function nodesOf(logs: readonly Log[]): Hex[] {
  return logs.flatMap(({ role, eventName, args }) => {
    const nodes = [args.node as Hex | undefined];
    if (role === "registry" && eventName === "NewOwner")
      nodes.push(nodeBelowHash(args.node as Hex, args.label as Hex));
    const id = args.tokenId ?? args.id;
    if (typeof id === "bigint") nodes.push(role === "wrapper" ? hashOfId(id) : ethNodeOf(hashOfId(id)));
    if (role === "wrapper" && Array.isArray(args.ids)) nodes.push(...args.ids.map(hashOfId));
    if (role === "controller" && args.expires !== undefined) nodes.push(ethNodeOf(hashOfPurchase(args)));
    if (role === "registrar" && typeof args.hash === "string" && eventName !== "NewBid")
      nodes.push(ethNodeOf(args.hash as Hex));
    return nodes.filter((node) => node !== undefined);
  });
}

/** Nodes whose state a log changes in registries, registrar of 2020 or wrapper; none for all other logs. */
export function nodesWritten(log: Log): Hex[] {
  const isState =
    (log.role === "registry" && log.eventName !== "NewTTL") ||
    (log.role === "registrar" && log.entry?.generation === 2 && log.eventName !== "Approval") ||
    (log.role === "wrapper" && log.eventName !== "Approval");
  const named = isState ? nodesOf([log]) : [];
  // NewOwner names the parent first, and writes the child only.
  return Array.isArray(log.args.ids) ? named : named.slice(-1);
}

const READS = 7;
type Answers = readonly [Hex?, Hex?, boolean?, Hex?, bigint?, [Hex, number, bigint]?, boolean?];

/**
 * The contracts' state of nodes at the end of a block, by default the newest. They are asked as if at time 0: nothing has expired
 * then, so they return the stored state.
 */
export async function readStates(
  evidence: Evidence,
  nodes: readonly Hex[],
  { positions, block }: { positions: Map<Hex, Position>; block?: bigint },
): Promise<State[]> {
  const questions = nodes.flatMap((node) => questionsOf(evidence, node, positions.get(node)));
  const moment = { time: 0n, ...(block !== undefined && { block }) };
  const answers = await askTogether(evidence, questions, moment);
  const wrapper = contractOf(evidence, "wrapper")?.address;
  return nodes.map((_, index) => {
    const own = answers.slice(index * READS, (index + 1) * READS).map((answer) => answer ?? undefined);
    return toState(own as unknown as Answers, orNone(wrapper));
  });
}

function questionsOf(evidence: Evidence, node: Hex, position: Position | undefined): (Question | null)[] {
  const registry = contractOf(evidence, "registry", 2)?.address as Hex;
  const registrar = contractOf(evidence, "registrar", 2)?.address as Hex;
  const wrapper = contractOf(evidence, "wrapper")?.address;
  const ask = (to: Hex | undefined, functionName: string, ...args: unknown[]) =>
    to === undefined ? null : { to, abi: reads, functionName, args };
  const token = position?.parent === ETH_NODE ? BigInt(position.labelhash) : null;
  return [
    ask(registry, "owner", node),
    ask(registry, "resolver", node),
    ask(registry, "recordExists", node),
    token === null ? null : ask(registrar, "ownerOf", token),
    token === null ? null : ask(registrar, "nameExpires", token),
    ask(wrapper, "getData", BigInt(node)),
    position === undefined ? null : ask(wrapper, "isWrapped", position.parent, position.labelhash),
  ];
}

function toState(answers: Answers, wrapper: string | null): State {
  const [owner, resolver, isMigrated, registrant, expiry, stored, isWrapped] = answers;
  return {
    registryOwner: orNone(owner),
    resolver: orNone(resolver),
    isMigrated: isMigrated ?? false,
    registrarOwner: orNone(registrant),
    registrarExpiry: expiry || null,
    wrapper: toWrapperData(stored),
    // For .eth names the wrapper only considers the registrar; a wrapped name also needs the registry and a token.
    isWrapped: isWrapped === true && orNone(owner) === wrapper && orNone(stored?.[0]) !== null,
  };
}

/** The wrapper's data of tokens, as `getData` answers it at the time of the newest block. */
export async function readWrapperNow(evidence: Evidence, nodes: readonly Hex[]): Promise<WrapperData[]> {
  const wrapper = contractOf(evidence, "wrapper")?.address;
  const questions = nodes.map((node) =>
    wrapper === undefined ? null : { to: wrapper, abi: reads, functionName: "getData", args: [BigInt(node)] },
  );
  const answers = await askTogether(evidence, questions, { time: evidence.now });
  return answers.map((answer) => toWrapperData((answer ?? undefined) as Answers[5]));
}

const toWrapperData = (data: Answers[5]): WrapperData => ({
  owner: orNone(data?.[0]),
  fuses: data?.[1] ?? 0,
  expiry: data?.[2] ?? 0n,
});
