import type { Address } from "viem";
import {
  decodeInteroperableAddress,
  encodeInteroperableAddress,
  evmContractOf,
} from "./interoperableAddress.ts";

/** A registry of agents on an EVM chain. */
export type AgentRegistryAt = { chainId: bigint; address: Address };

/** What a key by which a name claims an agent says. */
export type AgentKey = {
  /** The text between the first brackets, as written. */
  registry: string;
  /** The text between the second brackets, as written. */
  agentId: string;
  /** True if the registry is written as ENSIP-25 says: as an interoperable address with chain and contract. */
  isConforming: boolean;
  /** The registry if it is one of an EVM chain, however it is written; null if it is another or cannot be read. */
  at: AgentRegistryAt | null;
};

/** Every key of a claim begins so; keys are case-sensitive. */
const AGENT_KEY_START = "agent-registration[";

/** A key of the largest agent id on the longest EVM chain id is 250 characters; what is longer names nothing real. */
const MAX_KEY_LENGTH = 512;

const grammar = /^agent-registration\[([^[\]]+)\]\[([^[\]]+)\]$/;

/** Reads the key of a text record by which a name claims an agent; null for every other key. Source: ENSIP-25. */
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

/** Some write the registry as CAIP-10 does, `eip155:1:0x…`: it can be understood, but it is not ENSIP-25. */
function parseCaip10(text: string): AgentRegistryAt | null {
  const [, chainId, address] = caip10.exec(text) ?? [];
  if (chainId === undefined || address === undefined) return null;
  return { chainId: BigInt(chainId), address: address.toLowerCase() as Address };
}

/** The key without the agent's id and the last bracket, in lower case: `agent-registration[0x0001…][`. */
export const agentKeyPrefix = (registry: { chainId: number; address: Address }): string =>
  `${AGENT_KEY_START}${encodeInteroperableAddress(registry)}][`;

/** The key by which a name claims an agent. Source: ENSIP-25. */
export const buildAgentKey = (registry: { chainId: number; address: Address }, agentId: bigint): string =>
  `${agentKeyPrefix(registry)}${agentId}]`;

const MAX_AGENT_ID = 2n ** 256n - 1n;

/** An id of ERC-8004 as number: decimal, without leading zeros, at most 2^256 - 1; null for any other text. */
export function parseAgentId(text: string): bigint | null {
  if (!/^(0|[1-9][0-9]{0,77})$/.test(text)) return null;
  const agentId = BigInt(text);
  return agentId > MAX_AGENT_ID ? null : agentId;
}
