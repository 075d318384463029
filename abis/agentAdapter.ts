import { parseAbi } from "viem";

/**
 * Event of the adapter that binds an agent to a token, for good. The standard is an open list of integers (0 ERC-721,
 * 1 ERC-1155, 2 ERC-6909, more to come), so its values are kept as they are.
 * Source: ERC-8217, Agent NFT Identity Bindings.
 */
export const agentAdapterAbi = parseAbi([
  "event AgentBound(uint256 indexed agentId, uint8 indexed standard, address indexed tokenContract, uint256 tokenId, address registeredBy)",
]);

/** Reads of the adapter. For an agent that it never bound, `bindingOf` reverts UnknownAgent. Source: ERC-8217. */
export const agentAdapterReads = parseAbi([
  "function bindingOf(uint256 agentId) view returns ((uint8 standard, address tokenContract, uint256 tokenId))",
  "function identityRegistry() view returns (address)",
  "error UnknownAgent(uint256 agentId)",
]);
