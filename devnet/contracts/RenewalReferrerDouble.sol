// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface WrappedController {
  function renew(string calldata name, uint256 duration) external payable;
}

/// Double of the renewal contract with a referrer: renews by the wrapped controller, then says who referred and what
/// the renewal cost after the controller's refund.
contract RenewalReferrerDouble {
  WrappedController private immutable controller;

  event RenewalReferred(string label, bytes32 indexed labelHash, uint256 cost, uint256 duration, bytes32 referrer);

  constructor(WrappedController controller_) {
    controller = controller_;
  }

  receive() external payable {}

  function renew(string calldata label, uint256 duration, bytes32 referrer) external payable {
    uint256 before = address(this).balance;
    controller.renew{value: msg.value}(label, duration);
    uint256 left = address(this).balance;
    emit RenewalReferred(label, keccak256(bytes(label)), before - left, duration, referrer);
    if (left > 0) payable(msg.sender).transfer(left);
  }
}
