// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {RegistryV2, labelAt, nodeOf, walk} from "./EnsV2Interfaces.sol";
import {Lookup, OffchainLookup, decodeLookup} from "./OffchainLookup.sol";
import {ResolverRegistry} from "./UniversalResolverDouble.sol";

/// A resolver that answers what the resolver of the same name in the other system answers (ENSIP-10).
abstract contract MirrorResolver {
  error UnreachableName(bytes name);
  error UnsupportedResolverProfile(bytes4 selector);

  /// The resolver there, and whether it is an ancestor's.
  function getResolver(bytes memory name) public view virtual returns (address resolver, bool inherited);

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x01ffc9a7 || id == 0x9061b923;
  }

  function resolve(bytes calldata name, bytes calldata data) external view returns (bytes memory) {
    (address resolver, bool inherited) = getResolver(name);
    bool extended = resolver != address(0) && _isExtended(resolver);
    bool known = resolver != address(0) && resolver != address(this) && (extended || !inherited);
    if (!known || resolver.code.length == 0) revert UnreachableName(name);
    bytes memory call = extended ? abi.encodeWithSignature("resolve(bytes,bytes)", name, data) : bytes(data);
    return _ask(resolver, call, extended, bytes4(data));
  }

  function resolveCallback(bytes calldata response, bytes calldata extraData) external view returns (bytes memory) {
    (Lookup memory lookup, bool extended, bytes4 selector) = abi.decode(extraData, (Lookup, bool, bytes4));
    bytes memory call = abi.encodeWithSelector(lookup.callbackFunction, response, lookup.extraData);
    return _ask(lookup.sender, call, extended, selector);
  }

  /// A look-up off chain becomes one of this contract.
  function _ask(address target, bytes memory call, bool extended, bytes4 selector)
    private
    view
    returns (bytes memory)
  {
    (bool done, bytes memory answer) = target.staticcall(call);
    if (done && answer.length == 0) revert UnsupportedResolverProfile(selector);
    if (done) return extended ? abi.decode(answer, (bytes)) : answer;
    if (bytes4(answer) == OffchainLookup.selector) {
      Lookup memory lookup = decodeLookup(answer);
      bytes memory rest = abi.encode(lookup, extended, selector);
      revert OffchainLookup(address(this), lookup.urls, lookup.callData, this.resolveCallback.selector, rest);
    }
    assembly {
      revert(add(answer, 32), mload(answer))
    }
  }

  function _isExtended(address resolver) private view returns (bool) {
    (bool done, bytes memory answer) =
      resolver.staticcall{gas: 30_000}(abi.encodeWithSignature("supportsInterface(bytes4)", bytes4(0x9061b923)));
    return done && answer.length >= 32 && abi.decode(answer, (uint256)) != 0;
  }
}

/// Double of the resolver that stands at reservations and answers from ENSv1.
contract ENSV1ResolverDouble is MirrorResolver {
  ResolverRegistry public immutable REGISTRY_V1;

  constructor(ResolverRegistry registry) {
    REGISTRY_V1 = registry;
  }

  function getResolver(bytes memory name) public view override returns (address resolver, bool inherited) {
    uint256 offset = 0;
    while (true) {
      resolver = REGISTRY_V1.resolver(nodeOf(name, offset));
      (string memory label, uint256 next) = labelAt(name, offset);
      if (resolver != address(0) || bytes(label).length == 0) return (resolver, offset > 0);
      offset = next;
    }
  }
}

/// Double of the resolver that stands at `eth` in ENSv1 and answers from ENSv2.
contract ENSV2ResolverDouble is MirrorResolver {
  RegistryV2 public immutable ROOT_REGISTRY;

  constructor(RegistryV2 rootRegistry) {
    ROOT_REGISTRY = rootRegistry;
  }

  function getResolver(bytes memory name) public view override returns (address resolver, bool inherited) {
    uint256 offset;
    (, resolver, offset) = walk(ROOT_REGISTRY, name, 0);
    inherited = offset > 0;
  }
}
