// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {childOf} from "./EnsInterfaces.sol";
import {slice} from "./OffchainLookup.sol";

// Roles of a registry: role n is the bit 4n, the right to give it away the bit 4n + 128.
uint256 constant ROLE_REGISTRAR = 1 << 0;
uint256 constant ROLE_REGISTER_RESERVED = 1 << 4;
uint256 constant ROLE_SET_PARENT = 1 << 8;
uint256 constant ROLE_UNREGISTER = 1 << 12;
uint256 constant ROLE_RENEW = 1 << 16;
uint256 constant ROLE_SET_SUBREGISTRY = 1 << 20;
uint256 constant ROLE_SET_RESOLVER = 1 << 24;
uint256 constant ROLE_CAN_TRANSFER_ADMIN = 1 << 156;
uint256 constant ROLE_WAS_RESERVED = 1 << 32;
uint256 constant ROLE_SET_URI = 1 << 36;
uint256 constant ROLE_CAN_NAME = 1 << 120;
uint256 constant ROLE_UPGRADE = 1 << 124;

// What the buyer of a .eth name gets, and what most migrated names get.
uint256 constant ROLES_OF_AN_OWNER = ROLE_SET_SUBREGISTRY | (ROLE_SET_SUBREGISTRY << 128) | ROLE_SET_RESOLVER
  | (ROLE_SET_RESOLVER << 128) | ROLE_CAN_TRANSFER_ADMIN;

enum Status {
  AVAILABLE,
  RESERVED,
  REGISTERED
}

struct State {
  Status status;
  uint64 expiry;
  address latestOwner;
  uint256 tokenId;
  uint256 resource;
}

/// What a walk through the tree asks: any contract that answers this may serve as a registry.
interface RegistryV2 {
  function getSubregistry(string calldata label) external view returns (RegistryV2);
  function getResolver(string calldata label) external view returns (address);
  function getParent() external view returns (RegistryV2 parent, string memory label);
}

interface PermissionedRegistryV2 is RegistryV2 {
  function register(
    string calldata label,
    address owner,
    RegistryV2 registry,
    address resolver,
    uint256 roleBitmap,
    uint64 expiry
  ) external returns (uint256);
  function renew(uint256 anyId, uint64 newExpiry) external;
  function getState(uint256 anyId) external view returns (State memory);
  function findOwner(string calldata label) external view returns (address);
}

interface LabelStore {
  function setLabel(string calldata label) external;
}

function labelId(string memory label) pure returns (uint256) {
  return uint256(keccak256(bytes(label)));
}

/// The key of an entry, or one of the numbers that share it, with a counter in the low 32 bits.
function withCounter(uint256 anyId, uint32 counter) pure returns (uint256) {
  return (anyId & ~uint256(type(uint32).max)) | counter;
}

error DNSDecodingFailed(bytes dns);

/// The label that begins at `offset` of a DNS-encoded name, and where the next begins; empty at the end of the name.
function labelAt(bytes memory name, uint256 offset) pure returns (string memory label, uint256 next) {
  if (offset >= name.length) revert DNSDecodingFailed(name);
  uint256 size = uint8(name[offset]);
  next = offset + 1 + size;
  if (size == 0 ? next != name.length : next >= name.length) revert DNSDecodingFailed(name);
  label = string(slice(name, offset + 1, size));
}

function nodeOf(bytes memory name, uint256 offset) pure returns (bytes32) {
  (string memory label, uint256 next) = labelAt(name, offset);
  return bytes(label).length == 0 ? bytes32(0) : childOf(nodeOf(name, next), keccak256(bytes(label)));
}

/// The way of a name through the registries: the registry that hangs at it, if any, and the deepest resolver on the way
/// with the place in the name where that stands.
function walk(RegistryV2 root, bytes memory name, uint256 offset)
  view
  returns (RegistryV2 registry, address resolver, uint256 resolverOffset)
{
  (string memory label, uint256 next) = labelAt(name, offset);
  if (bytes(label).length == 0) return (root, address(0), offset);
  (registry, resolver, resolverOffset) = walk(root, name, next);
  if (address(registry) == address(0)) return (registry, resolver, resolverOffset);
  address own = registry.getResolver(label);
  if (own != address(0)) (resolver, resolverOffset) = (own, offset);
  registry = registry.getSubregistry(label);
}

/// The registry that holds the first label from `offset` on, or zero.
function registryAbove(RegistryV2 root, bytes memory name, uint256 offset) view returns (RegistryV2 registry) {
  (string memory label, uint256 next) = labelAt(name, offset);
  if (bytes(label).length > 0) (registry,,) = walk(root, name, next);
}

/// Who holds the name now; the zero address if its registry has no owners.
function ownerAt(RegistryV2 root, bytes memory name, uint256 offset) view returns (address) {
  RegistryV2 above = registryAbove(root, name, offset);
  if (address(above) == address(0)) return address(0);
  (string memory label,) = labelAt(name, offset);
  (bool done, bytes memory answer) =
    address(above).staticcall(abi.encodeCall(PermissionedRegistryV2.findOwner, (label)));
  return done && answer.length >= 32 ? abi.decode(answer, (address)) : address(0);
}
