import { parseAbi } from "viem";

/**
 * Registrars of names of the DNS: each claim has the whole name in DNS wire format. The first two do not log the age of the proof.
 * Source: ensdomains/ens-contracts, contracts/dnsregistrar/DNSRegistrar.sol, and its history.
 */
export const dnsRegistrarAbi = parseAbi([
  "event Claim(bytes32 indexed node, address indexed owner, bytes dnsname)",
  "event Claim(bytes32 indexed node, address indexed owner, bytes dnsname, uint32 inception)",
]);

/**
 * Registrars that sell subnames of .eth names. `label` is the labelhash of the .eth name. Their other events have no label.
 * Source: ensdomains/subdomain-registrar, contracts/RegistrarInterface.sol.
 */
export const subdomainRegistrarAbi = parseAbi([
  "event NewRegistration(bytes32 indexed label, string subdomain, address indexed owner, address indexed referrer, uint256 price)",
]);

/**
 * ShortNameClaims (2019), a controller of the registrar of 2019. `email` is empty: src/ens/shortNameClaims.ts removes it.
 * Source: ensdomains/ethregistrar, contracts/ShortNameClaims.sol.
 */
export const shortNameClaimsAbi = parseAbi([
  "event ClaimSubmitted(string claimed, bytes dnsname, uint256 paid, address claimant, string email)",
  "event ClaimStatusChanged(bytes32 indexed claimId, uint8 status)",
]);
