// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Names of addresses kept outside the registry, announced by NameForAddrChanged alone.
abstract contract NamesOfAddresses {
  mapping(address => string) private names;

  event NameForAddrChanged(address indexed addr, string name);

  function nameForAddr(address addr) external view returns (string memory) {
    return names[addr];
  }

  function _setName(address addr, string calldata name) internal {
    names[addr] = name;
    emit NameForAddrChanged(addr, name);
  }
}
