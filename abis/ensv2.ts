import { parseAbi } from "viem";

/*
 * ENSv2. Source: ensdomains/contracts-v2, the sources of the Sepolia deployment of 2026-10-01. Earlier deployments had
 * other `indexed` flags, which change no topic but where a value is found: docs/ensv2.md has the layouts.
 */

/** Events of every registry that no deployment since 2026-02 has changed. Source: src/registry/interfaces. */
const registryEvents = [
  "event RegistryCreated()",
  "event LabelRegistered(uint256 indexed tokenId, bytes32 indexed labelHash, string label, address owner, uint64 expiry, address indexed sender)",
  "event LabelReserved(uint256 indexed tokenId, bytes32 indexed labelHash, string label, uint64 expiry, address indexed sender)",
  "event LabelUnregistered(uint256 indexed tokenId, address indexed sender)",
  "event TokenResource(uint256 indexed tokenId, uint256 indexed resource)",
  "event TokenRegenerated(uint256 indexed oldTokenId, uint256 indexed newTokenId)",
  "event ParentUpdated(address indexed parent, string label, address indexed sender)",
  "event URIUpdated(string uri, address renderer, address indexed sender)",
  "event EACRolesChanged(uint256 indexed resource, address indexed account, uint256 oldRoleBitmap, uint256 newRoleBitmap)",
  "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
  "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
  "event ApprovalForAll(address indexed account, address indexed operator, bool approved)",
  "event Upgraded(address indexed implementation)",
] as const;

/** Events of the root registry, the ETH registry, and the registries that a factory deployed. */
export const ensv2RegistryAbi = parseAbi([
  ...registryEvents,
  "event ExpiryUpdated(uint256 indexed tokenId, uint64 indexed newExpiry, address indexed sender)",
  "event SubregistryUpdated(uint256 indexed tokenId, address indexed subregistry, address indexed sender)",
  "event ResolverUpdated(uint256 indexed tokenId, address indexed resolver, address indexed sender)",
]);

/** The same of deployments before 2026-03-20. */
export const ensv2RegistryFebruaryAbi = parseAbi([
  ...registryEvents,
  "event ExpiryUpdated(uint256 indexed tokenId, uint64 newExpiry, address indexed sender)",
  "event SubregistryUpdated(uint256 indexed tokenId, address subregistry, address indexed sender)",
  "event ResolverUpdated(uint256 indexed tokenId, address resolver, address indexed sender)",
]);

/** Events of the ETHRegistrar, and (NameRenewed) of the ETHRenewerV1. Source: src/registrar. */
export const ensv2RegistrarAbi = parseAbi([
  "event NameRegistered(uint256 indexed tokenId, string label, address owner, address subregistry, address resolver, uint64 duration, address paymentToken, bytes32 indexed referrer, uint256 base, uint256 premium)",
  "event NameRenewed(uint256 indexed tokenId, string label, uint64 duration, uint64 newExpiry, address paymentToken, bytes32 indexed referrer, uint256 amount)",
]);

/** The same of deployments before 2026-05. */
export const ensv2RegistrarMarchAbi = parseAbi([
  "event NameRegistered(uint256 indexed tokenId, string label, address owner, address subregistry, address resolver, uint64 duration, address paymentToken, bytes32 referrer, uint256 base, uint256 premium)",
  "event NameRenewed(uint256 indexed tokenId, string label, uint64 duration, uint64 newExpiry, address paymentToken, bytes32 referrer, uint256 amount)",
]);

/** Source: ensdomains/verifiable-factory. */
export const ensv2FactoryAbi = parseAbi([
  "event ProxyDeployed(address indexed sender, address indexed proxyAddress, uint256 salt, address implementation)",
]);

/** Anybody may store a label; it is logged once. Source: src/utils/LabelStore.sol. */
export const ensv2LabelStoreAbi = parseAbi(["event Label(bytes32 indexed labelHash, string label)"]);

/** Source: OpenZeppelin, ERC-1967. */
export const upgradedAbi = parseAbi(["event Upgraded(address indexed implementation)"]);

/**
 * Events of the PermissionedResolver since 2026-09-15: records have a number, and names are linked to numbers.
 * Source: src/resolver/interfaces/IRecordResolver.sol, src/resolver/setters.
 */
export const ensv2ResolverAbi = parseAbi([
  "event ResolverCreated()",
  "event Linked(uint256 indexed recordId, bytes32 indexed node, bytes name)",
  "event Cleared(uint256 indexed recordId)",
  "event AddressUpdated(uint256 indexed recordId, uint256 coinType, bytes addressBytes)",
  "event TextUpdated(uint256 indexed recordId, string indexed keyHash, string key, string value)",
  "event DataUpdated(uint256 indexed recordId, string indexed keyHash, string key, bytes value)",
  "event ContenthashUpdated(uint256 indexed recordId, bytes hash)",
  "event NameUpdated(uint256 indexed recordId, string primaryName)",
  "event ABIUpdated(uint256 indexed recordId, uint256 indexed contentType)",
  "event InterfaceUpdated(uint256 indexed recordId, bytes4 indexed interfaceId, address implementer)",
  "event ResourceArgument(uint256 indexed resource, bytes arg)",
]);

/** Reads of registries. Source: src/registry/interfaces/IRegistry.sol, IPermissionedRegistry.sol. */
export const ensv2RegistryReads = parseAbi([
  "struct State { uint8 status; uint64 expiry; address latestOwner; uint256 tokenId; uint256 resource; }",
  "function getState(uint256 anyId) view returns (State state)",
  "function getResolver(string label) view returns (address resolver)",
  "function getSubregistry(string label) view returns (address subregistry)",
]);

/** The UniversalHelper: owners of names, by the same way that resolution takes. */
export const ensv2HelperReads = parseAbi([
  "function findExactOwner(bytes name) view returns (address owner)",
]);
