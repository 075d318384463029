import type { Address } from "viem";
import { type AgentKey, parseAgentId, parseAgentKey } from "./agentKey.ts";

/** A text record that has a value. */
export type Text = { key: string; value: string };

/** A claim of a name on an agent: a text record with a value, and what its key says. */
export type AgentClaim = Text & AgentKey;

/** The claims among the text records of a name. Source: ENSIP-25. */
export const claimsOf = (texts: readonly Text[]): AgentClaim[] =>
  texts.flatMap(({ key, value }) => {
    const parsed = value === "" ? null : parseAgentKey(key);
    return parsed ? [{ key, value, ...parsed }] : [];
  });

/**
 * The agent that a claim is about, as the adapter knows it. Null if the claim does not conform, names another chain or
 * registry (where the same id is another agent), or spells the id in another way than the registry does.
 */
export function claimedAgent(
  { isConforming, at, agentId }: AgentClaim,
  home: { chainId: number; registry: Address } | undefined,
): bigint | null {
  if (!isConforming || at === null || home === undefined) return null;
  if (at.chainId !== BigInt(home.chainId) || at.address !== home.registry) return null;
  return parseAgentId(agentId);
}
