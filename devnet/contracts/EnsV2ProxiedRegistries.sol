// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {childOf} from "./EnsInterfaces.sol";
import {
  LabelStore,
  PermissionedRegistryV2,
  RegistryV2,
  labelId,
  ROLE_CAN_NAME,
  ROLE_UPGRADE
} from "./EnsV2Interfaces.sol";
import {LockedReceiver, Migration, ResolverSet, WrappedReceiver, WrapperOfV1, isEmancipatedChild} from "./EnsV2Migration.sol";
import {PermissionedRegistry} from "./PermissionedRegistryDouble.sol";
import {Upgradeable} from "./Upgradeable.sol";
import {VerifiableFactoryDouble} from "./VerifiableFactoryDouble.sol";

/// A registry behind a proxy. The contract itself is only code; its constructor logs as any registry's does.
abstract contract ProxiedRegistry is PermissionedRegistry, Upgradeable {
  constructor(LabelStore labelStore, address namer) PermissionedRegistry(labelStore) {
    _grant(ROOT_RESOURCE, ROLE_CAN_NAME | (ROLE_CAN_NAME << 128), namer);
  }

  function _checkMayUpgrade() internal view override {
    _check(ROOT_RESOURCE, ROLE_UPGRADE, msg.sender);
  }
}

/// Double of the registry that anybody deploys for the subnames of a name.
contract UserRegistryDouble is ProxiedRegistry {
  error InvalidOwner();

  constructor(LabelStore labelStore, address namer) ProxiedRegistry(labelStore, namer) {
    _disableInitializers();
  }

  function initialize(address rootAccount, uint256 roleBitmap) external initializer {
    if (rootAccount == address(0)) revert InvalidOwner();
    emit RegistryCreated();
    _grant(ROOT_RESOURCE, roleBitmap, rootAccount);
    _announceUri();
  }
}

/// Double of the registry that follows a locked name of ENSv1. Its root roles are kept under the parent registry's address,
/// and the holder of the name there has them. Left out: the gate that approves upgrades.
contract WrapperRegistryDouble is ProxiedRegistry, LockedReceiver {
  address public immutable V1_RESOLVER;
  address private immutable ownCode;
  bytes32 private wrappedNode;

  error NameRequiresMigration();

  constructor(
    WrapperOfV1 nameWrapper,
    address graveyard,
    VerifiableFactoryDouble factory,
    address ensV1Resolver,
    LabelStore labelStore,
    ResolverSet publicResolvers,
    address publicResolver,
    address namer
  )
    ProxiedRegistry(labelStore, namer)
    WrappedReceiver(nameWrapper, graveyard)
    LockedReceiver(factory, publicResolvers, publicResolver)
  {
    V1_RESOLVER = ensV1Resolver;
    ownCode = address(this);
    _disableInitializers();
  }

  function initialize(bytes32 node, RegistryV2 parent, string calldata label, uint256 roleBitmap)
    external
    initializer
  {
    wrappedNode = node;
    emit RegistryCreated();
    _setParent(parent, label);
    _grant(ROOT_RESOURCE, roleBitmap, address(parent));
    _announceUri();
  }

  function getWrappedNode() public view override returns (bytes32) {
    return wrappedNode;
  }

  function getWrappedName() external view returns (bytes memory) {
    return NAME_WRAPPER.names(wrappedNode);
  }

  /// What has not come from ENSv1 yet, but can, is answered there: no log says so.
  function getResolver(string calldata label) public view override returns (address) {
    return _isMigratable(label) ? V1_RESOLVER : super.getResolver(label);
  }

  function register(
    string memory label,
    address owner,
    RegistryV2 registry,
    address resolver,
    uint256 roleBitmap,
    uint64 expiry
  ) public override returns (uint256) {
    if (_isMigratable(label)) revert NameRequiresMigration();
    return super.register(label, owner, registry, resolver, roleBitmap, expiry);
  }

  function _registryOfNames() internal view override returns (RegistryV2) {
    return RegistryV2(address(this));
  }

  function _wrapperRegistryCode() internal view override returns (address) {
    return ownCode;
  }

  function _inject(Migration memory migration, uint256 roleBitmap, uint64 expiry) internal override {
    _register(migration.label, migration.owner, migration.subregistry, migration.resolver, roleBitmap, expiry);
  }

  function _effective(uint256 resource, address account) internal view override returns (uint256) {
    (RegistryV2 parent, string memory label) = getParent();
    uint256 own = super._effective(resource, account);
    if (address(parent) == address(0) || account == address(parent)) return own;
    bool holdsName = PermissionedRegistryV2(address(parent)).findOwner(label) == account;
    return holdsName ? own | _heldOf(ROOT_RESOURCE, address(parent)) : own;
  }

  function _isMigratable(string memory label) private view returns (bool) {
    if (getExpiry(labelId(label)) > 0) return false;
    bytes32 node = childOf(wrappedNode, bytes32(labelId(label)));
    (, uint32 fuses,) = NAME_WRAPPER.getData(uint256(node));
    return isEmancipatedChild(fuses) && NAME_WRAPPER.ens().owner(node) != address(0);
  }
}
