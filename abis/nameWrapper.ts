import { parseAbi } from "viem";

/**
 * Events of the NameWrapper. `id` of a token is the node as an integer; `name` is in DNS wire format.
 * Source: ensdomains/ens-contracts, deployments/mainnet/NameWrapper.json.
 */
export const nameWrapperAbi = parseAbi([
  "event NameWrapped(bytes32 indexed node, bytes name, address owner, uint32 fuses, uint64 expiry)",
  "event NameUnwrapped(bytes32 indexed node, address owner)",
  "event FusesSet(bytes32 indexed node, uint32 fuses)",
  "event ExpiryExtended(bytes32 indexed node, uint64 expiry)",
  "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
  "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
  "event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)",
  "event ApprovalForAll(address indexed account, address indexed operator, bool approved)",
  "event ControllerChanged(address indexed controller, bool active)",
  "event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
  "event URI(string value, uint256 indexed id)",
]);

/** The wrapper's reads, for answers from the chain and for tests. */
export const nameWrapperReads = parseAbi([
  "function getData(uint256 id) view returns (address owner, uint32 fuses, uint64 expiry)",
  "function names(bytes32 node) view returns (bytes)",
]);
