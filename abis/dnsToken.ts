import { parseAbi } from "viem";

/**
 * Events of 3DNS, which keeps names of the DNS as tokens: one contract is registry, registrar and token in one. Its logs
 * of ERC-721 and ERC-1155 say the same again. Source: 3dns-xyz/contracts, src/regcontrol/modules/types/GlobalEvents.sol
 * and Registry.sol.
 */
export const dnsTokenAbi = parseAbi([
  "event RegistrationCreated(bytes32 indexed node, bytes32 indexed tld, bytes fqdn, address registrant, uint32 controlBitmap, uint64 expiry)",
  "event RegistrationExtended(bytes32 indexed node, uint64 indexed duration, uint64 indexed newExpiry)",
  "event RegistrationTransferred(bytes32 indexed node, address indexed newOwner, address indexed operator)",
  "event RegistrationBurned(bytes32 indexed node, address indexed burner)",
  "event NewOwner(bytes32 indexed node, bytes32 indexed label, address owner)",
  "event Transfer(bytes32 indexed node, address owner)",
]);

/** Its reads, for checks against the chain. */
export const dnsTokenReads = parseAbi([
  "function tokenData(uint256 node) view returns (address registrant, uint32 controlBitmap, uint64 expiration)",
]);
