// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Registry, WrapperOfNames} from "./EnsInterfaces.sol";
import {ResolverRecords} from "./ResolverRecords.sol";

/// Double of the public resolver of 2025 (generation 5): the record of the default coin type (ENSIP-19) answers every
/// EVM coin type that has no record of its own, and an EVM address may be empty.
contract PublicResolver2025Double is ResolverRecords {
  uint256 private constant COIN_TYPE_DEFAULT = 1 << 31;

  error InvalidEVMAddress(bytes addressBytes);

  constructor(Registry ens_, WrapperOfNames nameWrapper_, address controller, address reverseRegistrar)
    ResolverRecords(ens_, nameWrapper_, controller, reverseRegistrar)
  {}

  function addr(bytes32 node, uint256 coinType) public view override returns (bytes memory a) {
    a = _records(node).addresses[coinType];
    if (a.length == 0 && _isOfChain(coinType)) a = _records(node).addresses[COIN_TYPE_DEFAULT];
  }

  function hasAddr(bytes32 node, uint256 coinType) external view returns (bool) {
    return _records(node).addresses[coinType].length > 0;
  }

  function supportsInterface(bytes4 id) public view override returns (bool) {
    return id == this.hasAddr.selector || super.supportsInterface(id);
  }

  function _checkAddress(uint256 coinType, bytes memory a) internal pure override {
    bool evm = coinType == COIN_TYPE_DEFAULT || _isOfChain(coinType);
    if (evm && a.length != 0 && a.length != 20) revert InvalidEVMAddress(a);
  }

  /// Coin types of an EVM chain: 60, and the chain id with bit 31 set.
  function _isOfChain(uint256 coinType) private pure returns (bool) {
    return coinType == COIN_TYPE_ETH || (coinType > COIN_TYPE_DEFAULT && coinType < 2 * COIN_TYPE_DEFAULT);
  }
}
