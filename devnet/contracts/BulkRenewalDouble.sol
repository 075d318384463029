// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Price} from "./EnsInterfaces.sol";

interface PricedController {
  function rentPrice(string calldata name, uint256 duration) external view returns (Price memory);
  function renew(string calldata name, uint256 duration) external payable;
}

/// Double of StaticBulkRenewal: renews several names by the wrapped controller in one transaction, each at its exact
/// price. It emits nothing itself.
contract BulkRenewalDouble {
  PricedController private immutable controller;

  constructor(PricedController controller_) {
    controller = controller_;
  }

  function rentPrice(string[] calldata names, uint256 duration) external view returns (uint256 total) {
    for (uint256 i = 0; i < names.length; i++) total += _cost(names[i], duration);
  }

  function renewAll(string[] calldata names, uint256 duration) external payable {
    for (uint256 i = 0; i < names.length; i++) {
      controller.renew{value: _cost(names[i], duration)}(names[i], duration);
    }
    payable(msg.sender).transfer(address(this).balance);
  }

  function _cost(string calldata name, uint256 duration) private view returns (uint256) {
    Price memory cost = controller.rentPrice(name, duration);
    return cost.base + cost.premium;
  }
}
