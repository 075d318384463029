import { parseAbi } from "viem";

/**
 * Events of the registry of agents that tell who owns an agent and where its description stands; an agent is an
 * ERC-721 token whose id is `agentId`. Source: ERC-8004; erc-8004/erc-8004-contracts, abis/IdentityRegistry.json.
 */
export const agentRegistryAbi = parseAbi([
  "event Registered(uint256 indexed agentId, string agentURI, address indexed owner)",
  "event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy)",
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
]);

/**
 * Reads of the registry; both revert ERC721NonexistentToken for an id that was never registered. The URI is a `string`. It
 * is read as `bytes`, which has the same encoding, because viem drops a byte order mark from a text.
 */
export const agentRegistryReads = parseAbi([
  "function ownerOf(uint256 agentId) view returns (address)",
  "function tokenURI(uint256 agentId) view returns (bytes)",
  "error ERC721NonexistentToken(uint256 tokenId)",
]);
