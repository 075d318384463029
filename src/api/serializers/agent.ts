import type { Address, Hex } from "viem";
import type { z } from "zod";
import type { AgentHome, Contracts } from "../../../abis/contracts.ts";
import { nodeOfToken } from "../../ens/agentToken.ts";
import type { DirectoryRow } from "../query/agentDirectory.ts";
import type { BindingRow } from "../query/agents.ts";
import type * as shapes from "../schemas/agents.ts";
import { type AgentKey, parseAgentId, parseAgentKey } from "./agentKey.ts";
import { type Text, toAgentProfile } from "./agentProfile.ts";
import { toAddress } from "./hex.ts";
import { encodeInteroperableAddress } from "./interoperableAddress.ts";

/** What the adapter and the registry say of an agent, by the index or by the chain. */
export type BindingFacts = {
  agentId: bigint;
  tokenStandard: number;
  tokenContract: Address;
  tokenId: bigint;
  /** Where the agent is described; null if that is not known. */
  uri: string | null;
  /** Owner of the agent in the registry; null if not known. */
  owner: Address | null;
};

export type AgentBindingRecord = z.infer<typeof shapes.agentBinding>;

/** Descriptions may stand in the URI itself (`data:`); a longer one is left out, because cut it would be another. */
const MAX_URI = 8_192;

/** A binding as the contracts have it. */
export function toBinding(binding: BindingFacts): AgentBindingRecord {
  const { agentId, tokenStandard, tokenContract, tokenId, uri, owner } = binding;
  return {
    agent_id: agentId.toString(),
    token_standard: tokenStandard,
    token_contract: toAddress(tokenContract),
    token_id: tokenId.toString(),
    token_uri: uri !== null && uri.length <= MAX_URI ? uri : null,
    agent_owner: owner && toAddress(owner),
  };
}

/** A claim of a name on an agent: a text record with a value, and what its key says. */
export type AgentClaim = Text & AgentKey;

/** The claims among the records of a name. Source: ENSIP-25. */
export const claimsOf = (texts: readonly Text[]): AgentClaim[] =>
  texts.flatMap(({ key, value }) => {
    const parsed = value === "" ? null : parseAgentKey(key);
    return parsed ? [{ key, value, ...parsed }] : [];
  });

/**
 * The agent that the adapter can be asked about for a claim: null where the claim does not conform, names another chain
 * or registry (the same id there is another agent), or spells the id in another way than the registry does.
 */
export function claimedAgent(
  { isConforming, at, agentId }: AgentClaim,
  home: AgentHome | undefined,
): bigint | null {
  if (!isConforming || at === null || home === undefined) return null;
  if (at.chainId !== BigInt(home.chainId) || at.address !== home.registry) return null;
  return parseAgentId(agentId);
}

/** What there is to say of a name's agents. */
export type AgentFacts = {
  name: string;
  node: Hex;
  /** True if the name is in the index. */
  isIndexed: boolean;
  home: AgentHome | undefined;
  texts: readonly Text[];
  /** Bindings of the agents that the name claims, and of those bound to its tokens; each agent once. */
  bindings: readonly BindingFacts[];
  source: "indexed" | "live";
};

/** The answer about a name's agents, with the fields of both generations of the specification's section 4.3. */
export function toNameAgents(
  facts: AgentFacts,
  { nameTokens }: Contracts,
): z.infer<typeof shapes.nameAgents> {
  const { name, node, isIndexed, home, texts, bindings, source } = facts;
  const claims = claimsOf(texts);
  const isOfName = (binding: BindingFacts) => nodeOfToken(binding, nameTokens) === node;
  const claimed = claims.map((claim) => toClaimed(claim, { home, bindings, isOfName }));
  const claimedIds = new Set(claims.map((claim) => claimedAgent(claim, home)));
  const boundOnly = bindings.filter((binding) => isOfName(binding) && !claimedIds.has(binding.agentId));
  const registrations = [...claimed, ...boundOnly.map((binding) => toBoundOnly(binding, home))];
  return {
    domain: name,
    namehash: node,
    indexed: isIndexed,
    is_erc8004_agent: claims.length > 0,
    onchain_verified: registrations.some((one) => one.onchain_verified),
    adapter: home ? toAddress(home.adapter) : null,
    registrations: registrations.sort((a, b) => rankOf(b) - rankOf(a)),
    profile: toAgentProfile(texts),
    source,
  };
}

type Registration = z.infer<typeof shapes.agentRegistration>;

/** What both sides say comes first, then what the adapter says, then what the name says. */
const rankOf = ({ onchain_verified, is_bound }: Registration): number =>
  Number(onchain_verified) * 2 + Number(is_bound);

type AgentBindings = Pick<AgentFacts, "home" | "bindings"> & { isOfName: (binding: BindingFacts) => boolean };

function toClaimed(claim: AgentClaim, { home, bindings, isOfName }: AgentBindings): Registration {
  const agentId = claimedAgent(claim, home);
  const binding = bindings.find((one) => one.agentId === agentId);
  const isBound = binding !== undefined && isOfName(binding);
  return {
    key: claim.key,
    value: claim.value.slice(0, MAX_VALUE),
    registry: claim.registry,
    agent_id: claim.agentId,
    registry_chain_id: claim.at?.chainId.toString() ?? null,
    registry_address: claim.at && toAddress(claim.at.address),
    binding: binding ? toBinding(binding) : null,
    onchain_verified: isBound,
    is_bound: isBound,
    has_ensip25_registration: claim.isConforming,
  };
}

/** The value means nothing beyond being there; ENSIP-25 recommends `1`. */
const MAX_VALUE = 256;

function toBoundOnly(binding: BindingFacts, home: AgentHome | undefined): Registration {
  const registry = home && { chainId: home.chainId, address: home.registry };
  return {
    key: null,
    value: null,
    registry: registry ? encodeInteroperableAddress(registry) : null,
    agent_id: binding.agentId.toString(),
    registry_chain_id: registry?.chainId.toString() ?? null,
    registry_address: registry ? toAddress(registry.address) : null,
    binding: toBinding(binding),
    onchain_verified: false,
    is_bound: true,
    has_ensip25_registration: false,
  };
}

/** A line of the directory with what else is known of the agent and of the name. */
export type DirectoryItem = {
  row: DirectoryRow;
  binding: BindingRow | undefined;
  /** Records of the name; null where only the chain can tell them. */
  texts: readonly Text[] | null;
};

/** An item of the directory. */
export function toAgentItem(
  { row, binding, texts }: DirectoryItem,
  { chainName }: Pick<Contracts, "chainName">,
): z.infer<typeof shapes.agentItem> {
  return {
    agent_id: row.agentId.toString(),
    chain: chainName(row.chainId),
    registry: toAddress(row.registry),
    adapter: toAddress(row.adapter),
    name: row.fullName,
    namehash: row.node,
    is_bound: row.isBound,
    has_ensip25_registration: row.hasRegistration,
    onchain_verified: row.isBound ? row.hasRegistration : false,
    binding: binding ? toBinding(binding) : null,
    registered_by: binding ? toAddress(binding.registeredBy) : null,
    block_number: row.blockNumber,
    transaction_hash: row.transactionHash,
    profile: texts && toAgentProfile(texts),
  };
}
