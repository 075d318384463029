// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// ERC-3668: asks the caller to fetch `callData` from one of `urls`, and to call back with the answer.
error OffchainLookup(
  address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData
);

struct Lookup {
  address sender;
  string[] urls;
  bytes callData;
  bytes4 callbackFunction;
  bytes extraData;
}

function decodeLookup(bytes memory revertData) pure returns (Lookup memory lookup) {
  (lookup.sender, lookup.urls, lookup.callData, lookup.callbackFunction, lookup.extraData) =
    abi.decode(withoutSelector(revertData), (address, string[], bytes, bytes4, bytes));
}

function withoutSelector(bytes memory data) pure returns (bytes memory) {
  return slice(data, 4, data.length - 4);
}

function slice(bytes memory data, uint256 start, uint256 size) pure returns (bytes memory part) {
  part = new bytes(size);
  for (uint256 i = 0; i < size; i++) part[i] = data[start + i];
}
