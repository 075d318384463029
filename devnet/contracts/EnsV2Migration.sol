// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Registrar, Registry, ETH_NODE, GRACE_PERIOD, childOf} from "./EnsInterfaces.sol";
import {
  PermissionedRegistryV2,
  RegistryV2,
  labelAt,
  ROLES_OF_AN_OWNER,
  ROLE_REGISTRAR,
  ROLE_RENEW,
  ROLE_SET_RESOLVER,
  ROLE_CAN_TRANSFER_ADMIN,
  ROLE_UPGRADE,
  ROLE_CAN_NAME
} from "./EnsV2Interfaces.sol";
import {
  CANNOT_UNWRAP,
  CANNOT_BURN_FUSES,
  CANNOT_TRANSFER,
  CANNOT_SET_RESOLVER,
  CANNOT_CREATE_SUBDOMAIN,
  CANNOT_APPROVE,
  PARENT_CANNOT_CONTROL,
  IS_DOT_ETH,
  CAN_EXTEND_EXPIRY
} from "./FuseToken.sol";
import {ERC1155InvalidArrayLength} from "./SingleTokens.sol";
import {VerifiableFactoryDouble} from "./VerifiableFactoryDouble.sol";

interface RegistryOfV1 is Registry {
  function resolver(bytes32 node) external view returns (address);
}

interface WrapperOfV1 {
  function ens() external view returns (RegistryOfV1);
  function registrar() external view returns (Registrar);
  function names(bytes32 node) external view returns (bytes memory);
  function getData(uint256 id) external view returns (address owner, uint32 fuses, uint64 expiry);
  function getApproved(uint256 id) external view returns (address);
  function setResolver(bytes32 node, address resolver) external;
  function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes calldata data) external;
  function unwrapETH2LD(bytes32 labelhash, address registrant, address controller) external;
  function unwrap(bytes32 parentNode, bytes32 labelhash, address controller) external;
}

interface ResolverSet {
  function includes(address resolver) external view returns (bool);
}

interface InitializableWrapperRegistry {
  function initialize(bytes32 node, RegistryV2 parent, string calldata label, uint256 roleBitmap) external;
}

/// What the holder of a name says when he sends it to be migrated.
struct Migration {
  string label;
  address owner;
  RegistryV2 subregistry;
  address resolver;
}

/// The fuses of a name whose parent lost control of it, below the second level.
function isEmancipatedChild(uint32 fuses) pure returns (bool) {
  return fuses & (IS_DOT_ETH | PARENT_CANNOT_CONTROL) == PARENT_CANNOT_CONTROL;
}

/// Takes wrapped names of ENSv1, one or several at once.
abstract contract WrappedReceiver {
  WrapperOfV1 public immutable NAME_WRAPPER;
  address public immutable GRAVEYARD;

  error UnauthorizedCaller(address caller);
  error NameDataMismatch(uint256 tokenId);
  error InvalidOwner();

  constructor(WrapperOfV1 nameWrapper, address graveyard) {
    NAME_WRAPPER = nameWrapper;
    GRAVEYARD = graveyard;
  }

  function onERC1155Received(address, address, uint256 id, uint256, bytes calldata data) external returns (bytes4) {
    _checkCaller(address(NAME_WRAPPER));
    (uint256[] memory ids, Migration[] memory migrations) = (new uint256[](1), new Migration[](1));
    (ids[0], migrations[0]) = (id, abi.decode(data, (Migration)));
    this.finishERC1155Migration(ids, migrations);
    return this.onERC1155Received.selector;
  }

  function onERC1155BatchReceived(address, address, uint256[] calldata ids, uint256[] calldata, bytes calldata data)
    external
    returns (bytes4)
  {
    _checkCaller(address(NAME_WRAPPER));
    this.finishERC1155Migration(ids, abi.decode(data, (Migration[])));
    return this.onERC1155BatchReceived.selector;
  }

  /// Called by this contract alone, which so is the sender that a registry names where it is one itself.
  function finishERC1155Migration(uint256[] calldata ids, Migration[] calldata migrations) external {
    _checkCaller(address(this));
    if (ids.length != migrations.length) revert ERC1155InvalidArrayLength(ids.length, migrations.length);
    for (uint256 i = 0; i < ids.length; i++) _migrateWrapped(ids[i], migrations[i]);
  }

  function _migrateWrapped(uint256 id, Migration memory migration) internal virtual;

  function _checkMigration(bytes32 parentNode, uint256 id, Migration memory migration) internal pure {
    if (migration.owner == address(0)) revert InvalidOwner();
    if (childOf(parentNode, keccak256(bytes(migration.label))) != bytes32(id)) revert NameDataMismatch(id);
  }

  function _checkCaller(address allowed) internal view {
    if (msg.sender != allowed) revert UnauthorizedCaller(msg.sender);
  }
}

/// Takes locked names and emancipated subnames: a registry for the subnames of a locked name follows it.
abstract contract LockedReceiver is WrappedReceiver {
  VerifiableFactoryDouble public immutable VERIFIABLE_FACTORY;
  ResolverSet public immutable PUBLIC_RESOLVER_SET;
  address public immutable PUBLIC_RESOLVER;

  error NameNotLocked(uint256 tokenId);
  error FrozenTokenApproval(uint256 tokenId);

  constructor(VerifiableFactoryDouble factory, ResolverSet publicResolvers, address publicResolver) {
    VERIFIABLE_FACTORY = factory;
    PUBLIC_RESOLVER_SET = publicResolvers;
    PUBLIC_RESOLVER = publicResolver;
  }

  function getWrappedNode() public view virtual returns (bytes32);

  /// Where the migrated names are registered.
  function _registryOfNames() internal view virtual returns (RegistryV2);

  function _wrapperRegistryCode() internal view virtual returns (address);

  function _inject(Migration memory migration, uint256 roleBitmap, uint64 expiry) internal virtual;

  function _migrateWrapped(uint256 id, Migration memory migration) internal override {
    _checkMigration(getWrappedNode(), id, migration);
    (, uint32 fuses, uint64 expiry) = NAME_WRAPPER.getData(id);
    if (fuses & CANNOT_UNWRAP != 0) {
      _buryLocked(id, fuses, migration);
      _inject(migration, _rolesOfToken(fuses), expiry);
    } else if (isEmancipatedChild(fuses)) {
      NAME_WRAPPER.setResolver(bytes32(id), address(0));
      NAME_WRAPPER.unwrap(getWrappedNode(), keccak256(bytes(migration.label)), GRAVEYARD);
      _inject(migration, ROLES_OF_AN_OWNER, expiry);
    } else {
      revert NameNotLocked(id);
    }
  }

  /// A frozen resolver stays; if it is a public resolver of ENSv1, that of ENSv2 takes its place.
  function _buryLocked(uint256 id, uint32 fuses, Migration memory migration) private {
    bool frozenApproval = fuses & CANNOT_APPROVE != 0 && NAME_WRAPPER.getApproved(id) != address(0);
    if (frozenApproval) revert FrozenTokenApproval(id);
    if (fuses & CANNOT_SET_RESOLVER == 0) {
      NAME_WRAPPER.setResolver(bytes32(id), address(0));
    } else {
      migration.resolver = NAME_WRAPPER.ens().resolver(bytes32(id));
      if (PUBLIC_RESOLVER_SET.includes(migration.resolver)) migration.resolver = PUBLIC_RESOLVER;
    }
    NAME_WRAPPER.safeTransferFrom(address(this), GRAVEYARD, id, 1, "");
    bytes memory preparation = abi.encodeCall(
      InitializableWrapperRegistry.initialize,
      (bytes32(id), _registryOfNames(), migration.label, _rolesOfRegistry(fuses))
    );
    migration.subregistry = RegistryV2(VERIFIABLE_FACTORY.deployProxy(_wrapperRegistryCode(), id, preparation));
  }

  function _rolesOfRegistry(uint32 fuses) private pure returns (uint256 roleBitmap) {
    if (fuses & CANNOT_CREATE_SUBDOMAIN == 0) roleBitmap = ROLE_REGISTRAR;
    if (fuses & CANNOT_BURN_FUSES == 0) roleBitmap |= roleBitmap << 128;
    uint256 always = ROLE_RENEW | ROLE_UPGRADE | ROLE_CAN_NAME;
    return roleBitmap | always | (always << 128);
  }

  function _rolesOfToken(uint32 fuses) private pure returns (uint256 roleBitmap) {
    if (fuses & CAN_EXTEND_EXPIRY != 0) roleBitmap |= ROLE_RENEW;
    if (fuses & CANNOT_SET_RESOLVER == 0) roleBitmap |= ROLE_SET_RESOLVER;
    if (fuses & CANNOT_BURN_FUSES == 0) roleBitmap |= roleBitmap << 128;
    if (fuses & CANNOT_TRANSFER == 0) roleBitmap |= ROLE_CAN_TRANSFER_ADMIN;
  }
}

/// Double of the controller for locked .eth names.
contract LockedMigrationControllerDouble is LockedReceiver {
  PermissionedRegistryV2 public immutable ETH_REGISTRY;
  address public immutable WRAPPER_REGISTRY_IMPL;

  constructor(
    WrapperOfV1 nameWrapper,
    address graveyard,
    PermissionedRegistryV2 ethRegistry,
    VerifiableFactoryDouble factory,
    address wrapperRegistryCode,
    ResolverSet publicResolvers,
    address publicResolver
  ) WrappedReceiver(nameWrapper, graveyard) LockedReceiver(factory, publicResolvers, publicResolver) {
    ETH_REGISTRY = ethRegistry;
    WRAPPER_REGISTRY_IMPL = wrapperRegistryCode;
  }

  function getWrappedNode() public pure override returns (bytes32) {
    return ETH_NODE;
  }

  function _registryOfNames() internal view override returns (RegistryV2) {
    return ETH_REGISTRY;
  }

  function _wrapperRegistryCode() internal view override returns (address) {
    return WRAPPER_REGISTRY_IMPL;
  }

  /// With the expiry of the reservation: without one the registry refuses.
  function _inject(Migration memory migration, uint256 roleBitmap, uint64) internal override {
    ETH_REGISTRY.register(
      migration.label, migration.owner, migration.subregistry, migration.resolver, roleBitmap, 0
    );
  }
}

/// Double of the controller for .eth names that are not locked: wrapped or not.
contract UnlockedMigrationControllerDouble is WrappedReceiver {
  PermissionedRegistryV2 public immutable ETH_REGISTRY;

  error NameIsLocked(uint256 tokenId);

  constructor(WrapperOfV1 nameWrapper, address graveyard, PermissionedRegistryV2 ethRegistry)
    WrappedReceiver(nameWrapper, graveyard)
  {
    ETH_REGISTRY = ethRegistry;
  }

  function onERC721Received(address, address, uint256 tokenId, bytes calldata data) external returns (bytes4) {
    Registrar registrar = NAME_WRAPPER.registrar();
    _checkCaller(address(registrar));
    Migration memory migration = abi.decode(data, (Migration));
    bytes32 node = childOf(ETH_NODE, bytes32(tokenId));
    _checkMigration(ETH_NODE, uint256(node), migration);
    registrar.reclaim(tokenId, address(this));
    NAME_WRAPPER.ens().setRecord(node, GRAVEYARD, address(0), 0);
    registrar.safeTransferFrom(address(this), GRAVEYARD, tokenId);
    _promote(migration);
    return this.onERC721Received.selector;
  }

  function _migrateWrapped(uint256 id, Migration memory migration) internal override {
    _checkMigration(ETH_NODE, id, migration);
    (, uint32 fuses,) = NAME_WRAPPER.getData(id);
    if (fuses & CANNOT_UNWRAP != 0) revert NameIsLocked(id);
    NAME_WRAPPER.setResolver(bytes32(id), address(0));
    NAME_WRAPPER.unwrapETH2LD(keccak256(bytes(migration.label)), GRAVEYARD, GRAVEYARD);
    _promote(migration);
  }

  /// With the expiry of the reservation: without one the registry refuses.
  function _promote(Migration memory migration) private {
    ETH_REGISTRY.register(
      migration.label, migration.owner, migration.subregistry, migration.resolver, ROLES_OF_AN_OWNER, 0
    );
  }
}

/// Double of the Graveyard, where migrated names of ENSv1 end. It registers ended .eth names almost for ever, so that
/// no one takes them in ENSv1 again. Left out: subnames of locked names, and labels given by their hash.
contract GraveyardDouble {
  WrapperOfV1 public immutable NAME_WRAPPER;

  error NameNotClearable();

  constructor(WrapperOfV1 nameWrapper) {
    NAME_WRAPPER = nameWrapper;
  }

  function clear(bytes[] calldata dnsNames) external {
    for (uint256 i = 0; i < dnsNames.length; i++) _clear(dnsNames[i], 0);
  }

  function _clear(bytes memory name, uint256 offset) private returns (bytes32 node) {
    (string memory label, uint256 next) = labelAt(name, offset);
    if (bytes(label).length == 0) revert NameNotClearable();
    (string memory above,) = labelAt(name, next);
    bytes32 labelhash = keccak256(bytes(label));
    if (bytes(above).length == 0) {
      if (childOf(0, labelhash) != ETH_NODE) revert NameNotClearable();
      return ETH_NODE;
    }
    bytes32 parentNode = _clear(name, next);
    node = childOf(parentNode, labelhash);
    RegistryOfV1 registry = NAME_WRAPPER.ens();
    if (parentNode != ETH_NODE) registry.setSubnodeRecord(parentNode, labelhash, address(this), address(0), 0);
    else if (registry.owner(node) != address(this)) _take(registry, node, labelhash);
  }

  function _take(RegistryOfV1 registry, bytes32 node, bytes32 labelhash) private {
    uint256 longest = type(uint64).max - block.timestamp - GRACE_PERIOD;
    NAME_WRAPPER.registrar().register(uint256(labelhash), address(this), longest);
    if (registry.resolver(node) != address(0)) registry.setResolver(node, address(0));
  }

  function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
    return this.onERC721Received.selector;
  }

  function onERC1155Received(address, address, uint256, uint256, bytes calldata) external pure returns (bytes4) {
    return this.onERC1155Received.selector;
  }
}

/// Double of the set of addresses that the migration asks for known public resolvers.
contract AddressSetDouble is ResolverSet {
  mapping(address => bool) public includes;

  constructor(address[] memory members) {
    for (uint256 i = 0; i < members.length; i++) includes[members[i]] = true;
  }
}
