// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {RegistryV2, labelAt, nodeOf, ownerAt, registryAbove, walk} from "./EnsV2Interfaces.sol";
import {Lookup, OffchainLookup, decodeLookup} from "./OffchainLookup.sol";
import {DefaultNames, ResolverRegistry, UniversalResolverDouble} from "./UniversalResolverDouble.sol";

/// Double of the Universal Resolver of ENSv2: it finds resolvers by a walk from the root registry, and knows nothing of
/// ENSv1.
contract UniversalResolverV2Double is UniversalResolverDouble {
  RegistryV2 public immutable ROOT_REGISTRY;

  struct ResolverInfo {
    bytes name;
    uint256 offset;
    bytes32 node;
    address resolver;
    bool extended;
  }

  constructor(RegistryV2 rootRegistry, DefaultNames defaultNames_)
    UniversalResolverDouble(ResolverRegistry(address(0)), defaultNames_)
  {
    ROOT_REGISTRY = rootRegistry;
  }

  function isENSv2() external pure returns (bool) {
    return true;
  }

  function findResolver(bytes memory name)
    public
    view
    override
    returns (address resolver, bytes32 node, uint256 offset)
  {
    (, resolver, offset) = walk(ROOT_REGISTRY, name, 0);
    node = nodeAt(name, 0);
  }

  function requireResolver(bytes calldata name) external view returns (ResolverInfo memory info) {
    Batch memory batch = prepare(name, "", new string[](0));
    (, bytes32 node, uint256 offset) = findResolver(name);
    return ResolverInfo(name, offset, node, batch.resolver, batch.extended);
  }

  function resolve(bytes calldata name, bytes calldata data) external view returns (bytes memory, address) {
    string[] memory gateways = new string[](1);
    gateways[0] = "x-batch-gateway:true";
    Batch memory batch = prepare(name, data, gateways);
    run(batch, this.resolveCallback.selector);
    return finishResolve(batch);
  }
}

/// Double of UniversalHelper: questions about the tree that no resolution asks.
contract UniversalHelperDouble {
  RegistryV2 public immutable ROOT_REGISTRY;

  constructor(RegistryV2 rootRegistry) {
    ROOT_REGISTRY = rootRegistry;
  }

  function findExactOwner(bytes calldata name) external view returns (address) {
    return ownerAt(ROOT_REGISTRY, name, 0);
  }

  /// The holder of the name, or of the nearest ancestor that has one, and where that begins in the name.
  function findNearestOwner(bytes memory name) external view returns (address owner, uint256 offset) {
    while (name[offset] != 0) {
      owner = ownerAt(ROOT_REGISTRY, name, offset);
      if (owner != address(0)) return (owner, offset);
      (, offset) = labelAt(name, offset);
    }
  }

  function findExactRegistry(bytes memory name) public view returns (RegistryV2 registry) {
    (registry,,) = walk(ROOT_REGISTRY, name, 0);
  }

  /// From that of the name itself to the root's; zero where there is none.
  function findRegistries(bytes calldata name) external view returns (RegistryV2[] memory registries) {
    uint256 count = 1;
    for (uint256 at = 0; name[at] != 0; at += 1 + uint8(name[at])) count++;
    registries = new RegistryV2[](count);
    uint256 offset = 0;
    for (uint256 i = 0; i < count; i++) {
      (registries[i],,) = walk(ROOT_REGISTRY, name, offset);
      offset += 1 + uint8(name[offset]);
    }
  }

  function findCanonicalRegistry(bytes calldata name) external view returns (RegistryV2 registry) {
    registry = findExactRegistry(name);
    bool same = address(registry) != address(0) && keccak256(findCanonicalName(registry)) == keccak256(name);
    return same ? registry : RegistryV2(address(0));
  }

  /// The way up by the parents that registries claim, as far as each parent agrees; empty if it does not reach the root.
  /// On a circle it never ends.
  function findCanonicalName(RegistryV2 registry) public view returns (bytes memory name) {
    while (address(registry) != address(ROOT_REGISTRY)) {
      if (address(registry) == address(0)) return "";
      (RegistryV2 parent, string memory label) = registry.getParent();
      if (address(parent) == address(0) || parent.getSubregistry(label) != registry) return "";
      name = abi.encodePacked(name, uint8(bytes(label).length), label);
      registry = parent;
    }
    return abi.encodePacked(name, uint8(0));
  }
}

/// Double of the proxies in front of the Universal Resolver. It passes calls on, not its storage; a look-up off chain of
/// the contract behind it becomes its own.
contract UniversalResolverProxyDouble {
  address public admin;
  address public implementation;

  event AdminChanged(address indexed previousAdmin, address indexed newAdmin);
  event Upgraded(address indexed implementation);

  error CallerNotAdmin();
  error InvalidImplementation();
  error SameImplementation();

  constructor(address admin_, address implementation_) {
    admin = admin_;
    emit AdminChanged(address(0), admin_);
    _upgrade(implementation_);
  }

  function upgradeTo(address newImplementation) external {
    if (msg.sender != admin) revert CallerNotAdmin();
    if (newImplementation == implementation) revert SameImplementation();
    _upgrade(newImplementation);
  }

  fallback() external {
    (bool done, bytes memory answer) = implementation.staticcall(msg.data);
    if (!done && bytes4(answer) == OffchainLookup.selector) {
      Lookup memory lookup = decodeLookup(answer);
      bool own = lookup.sender == implementation;
      if (own) {
        revert OffchainLookup(
          address(this), lookup.urls, lookup.callData, lookup.callbackFunction, lookup.extraData
        );
      }
    }
    assembly {
      switch done
      case 0 { revert(add(answer, 32), mload(answer)) }
      default { return(add(answer, 32), mload(answer)) }
    }
  }

  function _upgrade(address newImplementation) private {
    if (newImplementation.code.length == 0) revert InvalidImplementation();
    implementation = newImplementation;
    emit Upgraded(newImplementation);
  }
}
