// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {labelId, withCounter} from "./EnsV2Interfaces.sol";

/// Double of LabelStore: every label that a registry was told, announced once. Anybody may tell it one.
contract LabelStoreDouble {
  mapping(uint256 => string) private labels;

  event Label(bytes32 indexed labelHash, string label);

  error LabelIsEmpty();
  error LabelIsTooLong(string label);

  function setLabel(string calldata label) external {
    if (bytes(label).length == 0) revert LabelIsEmpty();
    if (bytes(label).length > 255) revert LabelIsTooLong(label);
    uint256 key = withCounter(labelId(label), 0);
    if (bytes(labels[key]).length > 0) return;
    labels[key] = label;
    emit Label(bytes32(labelId(label)), label);
  }

  function getLabel(uint256 anyId) external view returns (string memory) {
    return labels[withCounter(anyId, 0)];
  }
}
