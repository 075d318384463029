// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import "./EnsInterfaces.sol";

/// An attacker's tool, for tests of bounds: makes as many names as one transaction can pay for, below a node that it owns.
contract HostileNames {
  Registry public immutable registry;

  constructor(Registry registry_) {
    registry = registry_;
  }

  /// A name below a name below a name: `depth` levels, each with the same labelhash. Gives the lowest node.
  function nest(bytes32 parent, bytes32 labelhash, uint256 depth) external returns (bytes32 node) {
    node = parent;
    for (uint256 i = 0; i < depth; i++) {
      registry.setSubnodeOwner(node, labelhash, address(this));
      node = keccak256(abi.encodePacked(node, labelhash));
    }
  }

  /// Names side by side below one node; the hashes of their labels are numbers.
  function spread(bytes32 parent, uint256 from, uint256 count) external {
    for (uint256 i = from; i < from + count; i++) registry.setSubnodeOwner(parent, bytes32(i), address(this));
  }
}
