import { parseAbi } from "viem";

/**
 * Record events of resolvers, from any emitter. TextChanged has three shapes under two topics: here the one with
 * the value (2023 on) and the one without, key indexed (2020); the oldest is `resolverUnindexedKeyAbi`.
 * Source: ensdomains/ens-contracts, contracts/resolvers/profiles; npm @ensdomains/ens-archived-contracts.
 */
export const resolverAbi = parseAbi([
  "event TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value)",
  "event TextChanged(bytes32 indexed node, string indexed indexedKey, string key)",
  "event AddrChanged(bytes32 indexed node, address a)",
  "event AddressChanged(bytes32 indexed node, uint256 coinType, bytes newAddress)",
  "event ContenthashChanged(bytes32 indexed node, bytes hash)",
  "event ContentChanged(bytes32 indexed node, bytes32 hash)",
  "event MultihashChanged(bytes32 indexed node, bytes hash)",
  "event NameChanged(bytes32 indexed node, string name)",
  "event VersionChanged(bytes32 indexed node, uint64 newVersion)",
  "event ABIChanged(bytes32 indexed node, uint256 indexed contentType)",
  "event InterfaceChanged(bytes32 indexed node, bytes4 indexed interfaceID, address implementer)",
  "event PubkeyChanged(bytes32 indexed node, bytes32 x, bytes32 y)",
  "event DNSRecordChanged(bytes32 indexed node, bytes name, uint16 resource, bytes record)",
  "event DNSRecordChanged(bytes32 indexed node, bytes name, uint16 resource, uint32 ttl, bytes record)",
  "event DNSRecordDeleted(bytes32 indexed node, bytes name, uint16 resource)",
  "event DNSZonehashChanged(bytes32 indexed node, bytes lastzonehash, bytes zonehash)",
  "event DNSZoneCleared(bytes32 indexed node)",
  "event AuthorisationChanged(bytes32 indexed node, address indexed owner, address indexed target, bool isAuthorised)",
  "event Approved(address owner, bytes32 indexed node, address indexed delegate, bool indexed approved)",
  // ENSIP-24: the value is logged as its hash.
  "event DataChanged(bytes32 indexed node, string indexed indexedKey, string key, bytes indexed indexedData)",
]);

/**
 * TextChanged of the oldest public resolvers (2017 to 2019): no value, and the key is not indexed. Its topic0 is that
 * of the shape of 2020, but one ABI cannot decode both, so it has an entry of its own.
 * Source: npm @ensdomains/ens-archived-contracts, ens-022/PublicResolver.
 */
export const resolverUnindexedKeyAbi = parseAbi([
  "event TextChanged(bytes32 indexed node, string indexedKey, string key)",
]);

/** Logs of the deployment's own resolvers whose topics are too common to be followed from any emitter. */
export const listedResolverAbi = parseAbi([
  "event ApprovalForAll(address indexed owner, address indexed operator, bool approved)",
]);

/** Reads of resolvers, for answers from the chain and for tests. */
export const resolverFunctions = parseAbi([
  "function addr(bytes32 node) view returns (address)",
  "function addr(bytes32 node, uint256 coinType) view returns (bytes)",
  "function hasAddr(bytes32 node, uint256 coinType) view returns (bool)",
  "function text(bytes32 node, string key) view returns (string)",
  "function contenthash(bytes32 node) view returns (bytes)",
  "function name(bytes32 node) view returns (string)",
  "function recordVersions(bytes32 node) view returns (uint64)",
]);

/**
 * The reads at a past block that `ARCHIVE_READS` allows: values that no event of old resolvers gives. Resolvers return a
 * `string`. It is read as `bytes`, which has the same encoding, because viem drops a byte order mark from a text.
 */
export const archiveReadsAbi = parseAbi([
  "function text(bytes32 node, string key) view returns (bytes)",
  "function name(bytes32 node) view returns (bytes)",
]);
