// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {NamesOfAddresses} from "./NamesOfAddresses.sol";
import {ownsContract} from "./ReverseRegistrarDouble.sol";

/// Double of the reverse registrar of a layer 2 (ENSIP-19): the names of addresses on that chain.
/// Left out: names set by signature, syncName and resolve.
contract L2ReverseRegistrarDouble is NamesOfAddresses {
  uint256 public immutable CHAIN_ID;
  bytes32 public immutable PARENT_NODE;

  error Unauthorised();

  /// The parent node is namehash("<coin type in hex>.reverse").
  constructor(uint256 chainId, bytes32 parentNode) {
    CHAIN_ID = chainId;
    PARENT_NODE = parentNode;
  }

  function setName(string calldata name) external {
    _setName(msg.sender, name);
  }

  function setNameForAddr(address addr, string calldata name) external {
    if (addr != msg.sender && !ownsContract(msg.sender, addr)) revert Unauthorised();
    _setName(addr, name);
  }
}
