import { parseAbi } from "viem";

/**
 * The Universal Resolver: finds the resolver of a name (its own, or by ENSIP-10 that of an ancestor) and asks it. `name`
 * is in DNS wire format; `data` is one read of a resolver, or `multicall(bytes[])` of several. Resolvers that look up
 * off chain make it revert with `OffchainLookup` (ERC-3668), whose URLs are `gateways` where it batched the look-ups.
 * Source: ensdomains/ens-contracts, contracts/universalResolver/IUniversalResolver.sol.
 */
export const universalResolverAbi = parseAbi([
  "function resolveWithGateways(bytes name, bytes data, string[] gateways) view returns (bytes result, address resolver)",
  "function reverseWithGateways(bytes lookupAddress, uint256 coinType, string[] gateways) view returns (string primary, address resolver, address reverseResolver)",
  "error ResolverNotFound(bytes name)",
  "error ResolverNotContract(bytes name, address resolver)",
  "error UnsupportedResolverProfile(bytes4 selector)",
  "error ResolverError(bytes errorData)",
  "error ReverseAddressMismatch(string primary, bytes primaryAddress)",
  "error DNSDecodingFailed(bytes dns)",
  "error DNSEncodingFailed(string ens)",
  "error EmptyAddress()",
  "error HttpError(uint16 status, string message)",
  "error InvalidBatchGatewayResponse()",
  // By resolvers that answer from the other one of ENSv1 and ENSv2. Source: ensdomains/contracts-v2, src/resolver.
  "error UnreachableName(bytes name)",
]);

/** Several reads of one resolver at once, as the Universal Resolver takes them. */
export const multicallAbi = parseAbi(["function multicall(bytes[] data) returns (bytes[] results)"]);

/**
 * ERC-3668: a contract asks its caller to fetch `callData` from one of `urls` and to call it back with the answer.
 * Source: https://eips.ethereum.org/EIPS/eip-3668.
 */
export const offchainLookupAbi = parseAbi([
  "error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)",
]);

/**
 * ENSIP-21: several look-ups off chain in one, each with its own answer or error.
 * Source: https://docs.ens.domains/ensip/21.
 */
export const batchGatewayAbi = parseAbi([
  "struct Request { address sender; string[] urls; bytes data; }",
  "function query(Request[] requests) view returns (bool[] failures, bytes[] responses)",
  "error HttpError(uint16 status, string message)",
]);

/**
 * Multicall3, which answers several reads of one block in one call.
 * Source: https://github.com/mds1/multicall3, Multicall3.sol.
 */
export const multicall3Abi = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
]);

/** Where Multicall3 stands on every chain that has it. */
export const MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11";
