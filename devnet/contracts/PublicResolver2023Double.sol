// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Registry, WrapperOfNames} from "./EnsInterfaces.sol";
import {ResolverRecords} from "./ResolverRecords.sol";

/// Double of the public resolver of 2023 (generation 4): an Ethereum address has 20 bytes, so that only the zero
/// address can stand for none.
contract PublicResolver2023Double is ResolverRecords {
  constructor(Registry ens_, WrapperOfNames nameWrapper_, address controller, address reverseRegistrar)
    ResolverRecords(ens_, nameWrapper_, controller, reverseRegistrar)
  {}

  function _checkAddress(uint256 coinType, bytes memory a) internal pure override {
    require(coinType != COIN_TYPE_ETH || a.length == 20);
  }
}
