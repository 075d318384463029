import type { Address } from "viem";
import { type AgentKey, parseAgentId, parseAgentKey } from "./agentKey.ts";

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
