// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Emits any log, also such as no honest contract would: broken text, wrong topics, any size. It has no storage, so its
/// code can also be put in the place of a tracked contract.
contract LogEmitter {
  struct RawLog {
    bytes32[] topics;
    bytes data;
  }

  error TooManyTopics(uint256 count);

  function emitLog(bytes32[] calldata topics, bytes calldata data) external {
    _emit(topics, data);
  }

  function emitLogs(RawLog[] calldata logs) external {
    for (uint256 i = 0; i < logs.length; i++) _emit(logs[i].topics, logs[i].data);
  }

  function _emit(bytes32[] memory topics, bytes memory data) private {
    uint256 count = topics.length;
    if (count > 4) revert TooManyTopics(count);
    assembly ("memory-safe") {
      let from := add(data, 32)
      let size := mload(data)
      let t := add(topics, 32)
      switch count
      case 0 { log0(from, size) }
      case 1 { log1(from, size, mload(t)) }
      case 2 { log2(from, size, mload(t), mload(add(t, 32))) }
      case 3 { log3(from, size, mload(t), mload(add(t, 32)), mload(add(t, 64))) }
      case 4 { log4(from, size, mload(t), mload(add(t, 32)), mload(add(t, 64)), mload(add(t, 96))) }
    }
  }
}
