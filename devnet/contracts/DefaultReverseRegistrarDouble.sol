// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Controlled} from "./Administered.sol";
import {NamesOfAddresses} from "./NamesOfAddresses.sol";

/// Double of the default reverse registrar (ENSIP-19): the name of an address on every EVM chain that gives it none.
/// Left out: names set by signature.
contract DefaultReverseRegistrarDouble is NamesOfAddresses, Controlled {
  function setName(string calldata name) external {
    _setName(msg.sender, name);
  }

  function setNameForAddr(address addr, string calldata name) external onlyController {
    _setName(addr, name);
  }
}
