// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {NamesOfAddresses} from "./NamesOfAddresses.sol";

/// Double of the resolver at `addr.reverse` (ENSIP-19): an address without a reverse node of its own has the name that the
/// default reverse registrar has for it. Source: ensdomains/ens-contracts, contracts/reverseResolver/ETHReverseResolver.sol.
/// Left out: `resolveNames`.
contract EthReverseResolverDouble {
  error UnsupportedResolverProfile(bytes4 selector);

  NamesOfAddresses public immutable defaultRegistrar;

  constructor(NamesOfAddresses defaultRegistrar_) {
    defaultRegistrar = defaultRegistrar_;
  }

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x01ffc9a7 || id == 0x9061b923;
  }

  /// `name` is `<40 hex digits>.addr.reverse` in DNS wire format.
  function resolve(bytes calldata name, bytes calldata data) external view returns (bytes memory) {
    if (bytes4(data) != bytes4(keccak256("name(bytes32)"))) revert UnsupportedResolverProfile(bytes4(data));
    if (uint8(name[0]) != 40) return abi.encode("");
    uint160 account;
    for (uint256 i = 1; i <= 40; i++) {
      uint8 digit = uint8(name[i]);
      bool isNumber = digit >= 0x30 && digit <= 0x39;
      if (!isNumber && (digit < 0x61 || digit > 0x66)) return abi.encode("");
      account = account * 16 + (isNumber ? digit - 0x30 : digit - 0x57);
    }
    return abi.encode(defaultRegistrar.nameForAddr(address(account)));
  }
}
