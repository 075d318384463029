// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// One owner, named in OwnershipTransferred.
abstract contract Owned {
  address public owner;

  event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

  modifier onlyOwner() {
    require(msg.sender == owner, "Ownable: caller is not the owner");
    _;
  }

  constructor() {
    _handTo(msg.sender);
  }

  function transferOwnership(address newOwner) external onlyOwner {
    require(newOwner != address(0), "Ownable: new owner is the zero address");
    _handTo(newOwner);
  }

  function renounceOwnership() external onlyOwner {
    _handTo(address(0));
  }

  function _handTo(address newOwner) private {
    emit OwnershipTransferred(owner, newOwner);
    owner = newOwner;
  }
}

/// An owner that names controllers, who may act for others.
abstract contract Controlled is Owned {
  mapping(address => bool) public controllers;

  event ControllerChanged(address indexed controller, bool active);

  modifier onlyController() {
    require(controllers[msg.sender], "Controllable: Caller is not a controller");
    _;
  }

  function setController(address controller, bool active) external onlyOwner {
    controllers[controller] = active;
    emit ControllerChanged(controller, active);
  }
}

/// The same by the words of Basenames.
abstract contract ApprovedControllers is Owned {
  mapping(address => bool) public approvedControllers;

  event ControllerApprovalChanged(address indexed controller, bool approved);

  function setControllerApproval(address controller, bool isApproved) external onlyOwner {
    approvedControllers[controller] = isApproved;
    emit ControllerApprovalChanged(controller, isApproved);
  }
}
