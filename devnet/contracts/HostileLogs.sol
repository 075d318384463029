// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// An attacker's resolver, for tests of bounds: it logs whatever costs its readers most, for nodes that are not its own.
/// The values are made here, because as calldata they would cost more gas than one transaction may use.
contract HostileLogs {
  event TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value);
  event AddrChanged(bytes32 indexed node, address a);

  /// A log with three topics or two (the last may be zero), whose data is `head` and then `size` letters.
  function shout(bytes32[3] calldata topics, bytes calldata head, uint256 size) external {
    assembly {
      // The data stands at the end of memory and is never copied: memory costs as the square of its size.
      let data := mload(0x40)
      calldatacopy(data, head.offset, head.length)
      let end := add(add(data, head.length), size)
      let word := 0x6161616161616161616161616161616161616161616161616161616161616161
      for { let at := add(data, head.length) } lt(at, end) { at := add(at, 32) } { mstore(at, word) }
      let length := and(add(add(head.length, size), 31), not(31))
      switch calldataload(add(topics, 64))
      case 0 { log2(data, length, calldataload(topics), calldataload(add(topics, 32))) }
      default { log3(data, length, calldataload(topics), calldataload(add(topics, 32)), calldataload(add(topics, 64))) }
    }
  }

  /// As many logs as one transaction can pay for; each sets the same record.
  function floodAddresses(bytes32 node, uint256 count) external {
    for (uint256 i = 0; i < count; i++) emit AddrChanged(node, address(uint160(i + 1)));
  }

  function floodTexts(bytes32 node, string calldata key, uint256 count) external {
    for (uint256 i = 0; i < count; i++) emit TextChanged(node, key, key, "x");
  }

  /// The same for as many nodes.
  function floodNodes(uint256 from, uint256 count) external {
    for (uint256 i = from; i < from + count; i++) emit AddrChanged(keccak256(abi.encode(i)), address(this));
  }
}
