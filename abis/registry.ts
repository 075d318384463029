import { parseAbi } from "viem";

/**
 * Events of both registries: ENS (2017) and ENSRegistryWithFallback (2020). The argument `label` is a labelhash.
 * ApprovalForAll exists on the registry of 2020 only.
 * Source: ensdomains/ens-contracts, contracts/registry/ENS.sol.
 */
export const registryAbi = parseAbi([
  "event NewOwner(bytes32 indexed node, bytes32 indexed label, address owner)",
  "event Transfer(bytes32 indexed node, address owner)",
  "event NewResolver(bytes32 indexed node, address resolver)",
  "event NewTTL(bytes32 indexed node, uint64 ttl)",
  "event ApprovalForAll(address indexed owner, address indexed operator, bool approved)",
]);

/** The registry's reads, for answers from the chain and for tests. */
export const registryReads = parseAbi([
  "function owner(bytes32 node) view returns (address)",
  "function resolver(bytes32 node) view returns (address)",
  "function ttl(bytes32 node) view returns (uint64)",
  "function recordExists(bytes32 node) view returns (bool)",
]);
