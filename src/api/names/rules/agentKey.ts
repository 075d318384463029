import type { Address } from "viem";
import {
  decodeInteroperableAddress,
  encodeInteroperableAddress,
  evmContractOf,
} from "./interoperableAddress.ts";

/** An agent registry on an EVM chain. */
export type AgentRegistryAt = { chainId: bigint; address: Address };

/** The parsed key of a name's claim to an agent. */
export type AgentKey = {
  /** The text between the first brackets, as written. */
  registry: string;
  /** The text between the second brackets, as written. */
  agentId: string;
  /** True if the registry is written as ENSIP-25 requires: as an interoperable address with chain and contract. */
  isConforming: boolean;
  /** The registry if it is on an EVM chain, in whatever form it is written; null if it is not or cannot be parsed. */
  at: AgentRegistryAt | null;
};

/** The start of every claim's key. Keys are case-sensitive. */
const AGENT_KEY_START = "agent-registration[";

/** The largest agent ID with the longest EVM chain ID makes a key of 250 characters. Longer keys refer to nothing real. */
const MAX_KEY_LENGTH = 512;

const grammar = /^agent-registration\[([^[\]]+)\]\[([^[\]]+)\]$/;

/** Parses the text record key of a name's claim to an agent; null for every other key. Source: ENSIP-25. */
export function parseAgentKey(key: string): AgentKey | null {
  const [, registry, agentId] = (key.length <= MAX_KEY_LENGTH && grammar.exec(key)) || [];
  if (registry === undefined || agentId === undefined) return null;
  const interoperable = decodeInteroperableAddress(registry);
  if (interoperable === null) return { registry, agentId, isConforming: false, at: parseCaip10(registry) };
  const { chainReference, address } = interoperable;
  const isConforming = chainReference !== "0x" && address !== "0x";
  return { registry, agentId, isConforming, at: evmContractOf(interoperable) };
}

const caip10 = /^eip155:([1-9][0-9]{0,31}):(0x[0-9a-fA-F]{40})$/;

/** Some write the registry in the CAIP-10 form `eip155:1:0x…`. It is understood, but does not conform to ENSIP-25. */
function parseCaip10(text: string): AgentRegistryAt | null {
  const [, chainId, address] = caip10.exec(text) ?? [];
  if (chainId === undefined || address === undefined) return null;
  return { chainId: BigInt(chainId), address: address.toLowerCase() as Address };
}

/** The lowercase key without the agent's ID and the closing bracket: `agent-registration[0x0001…][`. */
export const agentKeyPrefix = (registry: { chainId: number; address: Address }): string =>
  `${AGENT_KEY_START}${encodeInteroperableAddress(registry)}][`;

/** The key of a name's claim to an agent. Source: ENSIP-25. */
export const buildAgentKey = (registry: { chainId: number; address: Address }, agentId: bigint): string =>
  `${agentKeyPrefix(registry)}${agentId}]`;

const MAX_AGENT_ID = 2n ** 256n - 1n;

/** Parses an ERC-8004 ID: decimal, without leading zeros, at most 2^256 - 1; null for any other text. */
export function parseAgentId(text: string): bigint | null {
  if (!/^(0|[1-9][0-9]{0,77})$/.test(text)) return null;
  const agentId = BigInt(text);
  return agentId > MAX_AGENT_ID ? null : agentId;
}

/** A text record with a value. */
export type Text = { key: string; value: string };

/** A name's claim to an agent: a text record with a value, and its parsed key. */
export type AgentClaim = Text & AgentKey;

/** The agent claims among a name's text records. Source: ENSIP-25. */
export const claimsOf = (texts: readonly Text[]): AgentClaim[] =>
  texts.flatMap(({ key, value }) => {
    const parsed = value === "" ? null : parseAgentKey(key);
    return parsed ? [{ key, value, ...parsed }] : [];
  });

/**
 * The agent that a claim refers to, as known to the adapter. Null if the claim does not conform, names another chain or registry
 * (where the same ID is another agent), or spells the ID differently from the registry.
 */
export function claimedAgent(
  { isConforming, at, agentId }: AgentClaim,
  home: { chainId: number; registry: Address } | undefined,
): bigint | null {
  if (!isConforming || at === null || home === undefined) return null;
  if (at.chainId !== BigInt(home.chainId) || at.address !== home.registry) return null;
  return parseAgentId(agentId);
}
