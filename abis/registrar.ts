import { parseAbi } from "viem";

/**
 * Events of the auction registrar (2017 to 2019), which knew names by labelhash (`hash`) only.
 * Source: npm @ensdomains/ens-archived-contracts, ens-022/HashRegistrar.
 */
export const auctionRegistrarAbi = parseAbi([
  "event AuctionStarted(bytes32 indexed hash, uint256 registrationDate)",
  "event NewBid(bytes32 indexed hash, address indexed bidder, uint256 deposit)",
  "event BidRevealed(bytes32 indexed hash, address indexed owner, uint256 value, uint8 status)",
  "event HashRegistered(bytes32 indexed hash, address indexed owner, uint256 value, uint256 registrationDate)",
  "event HashReleased(bytes32 indexed hash, uint256 value)",
  "event HashInvalidated(bytes32 indexed hash, string indexed name, uint256 value, uint256 registrationDate)",
]);

/**
 * Events of BaseRegistrarImplementation, equal in 2019 and 2020. The token id is the labelhash as an integer.
 * Source: ensdomains/ens-contracts, contracts/ethregistrar/IBaseRegistrar.sol.
 */
export const registrarAbi = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
  "event NameRegistered(uint256 indexed id, address indexed owner, uint256 expires)",
  "event NameRenewed(uint256 indexed id, uint256 expires)",
  "event NameMigrated(uint256 indexed id, address indexed owner, uint256 expires)",
  "event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)",
  "event ApprovalForAll(address indexed owner, address indexed operator, bool approved)",
  "event ControllerAdded(address indexed controller)",
  "event ControllerRemoved(address indexed controller)",
  "event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
]);

/**
 * What the registrar of Basenames logs besides: at each sale, in place of NameRegistered.
 * Source: base/basenames, src/L2/BaseRegistrar.sol.
 */
export const basenamesRegistrarAbi = parseAbi([
  "event NameRegisteredWithRecord(uint256 indexed id, address indexed owner, uint256 expires, address resolver, uint64 ttl)",
]);

/** The registrar's reads, for answers from the chain and for tests. */
export const registrarReads = parseAbi([
  "function ownerOf(uint256 tokenId) view returns (address)",
  "function nameExpires(uint256 id) view returns (uint256)",
  "function available(uint256 id) view returns (bool)",
]);
