import type { z } from "zod";
import type { AgentHome, Contracts } from "../../../../abis/contracts.ts";
import { nodeOfToken } from "../../../ens/agentToken.ts";
import type { DirectoryRow } from "../query/agentDirectory.ts";
import type { BindingRow } from "../query/agents.ts";
import type { AgentState, BindingState } from "../resolution/resolveAgents.ts";
import { type AgentClaim, claimedAgent, claimsOf, type Text } from "../rules/agentKey.ts";
import { encodeInteroperableAddress } from "../rules/interoperableAddress.ts";
import { MAX_AGENT_URI, MAX_PROFILE_TEXT } from "../rules/shown.ts";
import type * as schemas from "../schemas/agents.ts";
import { toAddress } from "./hex.ts";

export type AgentBindingRecord = z.infer<typeof schemas.agentBinding>;

/** A binding as stored by the contracts. */
function toBinding(binding: BindingState): AgentBindingRecord {
  const { agentId, tokenStandard, tokenContract, tokenId, uri, owner } = binding;
  return {
    agent_id: agentId.toString(),
    token_standard: tokenStandard,
    token_contract: toAddress(tokenContract),
    token_id: tokenId.toString(),
    token_uri: uri !== null && uri.length <= MAX_AGENT_URI ? uri : null,
    agent_owner: owner && toAddress(owner),
  };
}

/** The response about a name's agents, with the fields of both generations of the specification's section 4.3. */
export function toNameAgents(
  state: AgentState,
  { chainId, nameTokens }: Contracts,
): z.infer<typeof schemas.nameAgents> {
  const { name, node, isIndexed, home, texts, bindings, source } = state;
  const claims = claimsOf(texts);
  const isOfName = (binding: BindingState) => nodeOfToken({ chainId, ...binding }, nameTokens) === node;
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

type Registration = z.infer<typeof schemas.agentRegistration>;

/**
 * Registrations confirmed by both sides rank first, then those known only to the adapter, then those claimed only by the name.
 */
const rankOf = ({ onchain_verified, is_bound }: Registration): number =>
  Number(onchain_verified) * 2 + Number(is_bound);

type AgentBindings = Pick<AgentState, "home" | "bindings"> & { isOfName: (binding: BindingState) => boolean };

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

/** Only the presence of the value matters; ENSIP-25 recommends `1`. */
const MAX_VALUE = 256;

function toBoundOnly(binding: BindingState, home: AgentHome | undefined): Registration {
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

/** A row of the directory, with further facts about the agent and the name. */
export type DirectoryItem = {
  row: DirectoryRow;
  binding: BindingRow | undefined;
  /** Text records of the name; null if only the chain knows them. */
  texts: readonly Text[] | null;
};

/** An item of the directory. */
export function toAgentItem(
  { row, binding, texts }: DirectoryItem,
  { chainName }: Pick<Contracts, "chainName">,
): z.infer<typeof schemas.agentItem> {
  return {
    agent_id: row.agentId.toString(),
    chain: chainName(row.chainId),
    registry: toAddress(row.registry),
    registry_chain_id: row.chainId.toString(),
    registry_address: toAddress(row.registry),
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

type AgentProfile = z.infer<typeof schemas.agentProfile>;

/** Longest owner-written URL in an answer. */
const MAX_URL = 2_048;
const MAX_ENDPOINTS = 20;

const endpointKey = /^agent-endpoint\[([^[\]]{1,64})\]$/;

/**
 * A name's description of its agent. The owner wrote it, and none of it was fetched or checked: texts are cut, and only URLs that
 * a client may follow are returned. Source: ENSIP-26; ENSIP-5; ENSIP-12 for avatars.
 */
function toAgentProfile(texts: readonly Text[]): AgentProfile {
  const textOf = (wanted: string) => texts.find(({ key }) => key === wanted)?.value;
  const avatar = textOf("avatar");
  return {
    avatar: avatar !== undefined && isAvatar(avatar) ? avatar : null,
    description: shorten(textOf("description")),
    context: shorten(textOf("agent-context")),
    endpoints: Object.fromEntries(endpointsOf(texts).slice(0, MAX_ENDPOINTS)),
  };
}

const endpointsOf = (texts: readonly Text[]): [protocol: string, url: string][] =>
  texts.flatMap(({ key, value }): [string, string][] => {
    const protocol = endpointKey.exec(key)?.[1];
    return protocol !== undefined && isLink(value, ["http:", "https:", "ipfs:"]) ? [[protocol, value]] : [];
  });

function isLink(text: string, schemes: readonly string[]): boolean {
  return text.length <= MAX_URL && URL.canParse(text) && schemes.includes(new URL(text).protocol);
}

/** Forms of an avatar: a link, an NFT by CAIP-22 or CAIP-29, or the image itself. */
const isAvatar = (text: string): boolean =>
  isLink(text, ["http:", "https:", "ipfs:", "ipns:", "ar:", "eip155:"]) ||
  (/^data:image\//i.test(text) && text.length <= MAX_PROFILE_TEXT);

/** Whole code points up to the limit. */
function shorten(text: string | undefined): string | null {
  if (text === undefined) return null;
  return text.length > MAX_PROFILE_TEXT
    ? `${[...text.slice(0, MAX_PROFILE_TEXT)].slice(0, -1).join("")}…`
    : text;
}
