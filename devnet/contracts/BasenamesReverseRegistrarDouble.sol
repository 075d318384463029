// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ApprovedControllers} from "./Administered.sol";
import {Registry, Resolver, childOf} from "./EnsInterfaces.sol";
import {ownsContract, reverseLabelhash} from "./ReverseRegistrarDouble.sol";

/// Double of the reverse registrar of Basenames from before ENSIP-19: names of addresses are nodes of Base's own registry,
/// each announced by BaseReverseClaimed, first of all.
contract BasenamesReverseRegistrarDouble is ApprovedControllers {
  Registry public immutable registry;
  bytes32 public immutable reverseNode;
  Resolver public defaultResolver;

  event BaseReverseClaimed(address indexed addr, bytes32 indexed node);
  event DefaultResolverChanged(address indexed resolver);

  error NotAuthorized(address addr, address sender);

  /// The reverse node is namehash("<coin type in hex>.reverse").
  constructor(Registry registry_, bytes32 reverseNode_) {
    registry = registry_;
    reverseNode = reverseNode_;
  }

  function setDefaultResolver(Resolver resolver) external onlyOwner {
    defaultResolver = resolver;
    registry.setResolver(reverseNode, address(resolver));
    emit DefaultResolverChanged(address(resolver));
  }

  function node(address addr) public view returns (bytes32) {
    return childOf(reverseNode, reverseLabelhash(addr));
  }

  function claim(address owner) external returns (bytes32) {
    return claimForBaseAddr(msg.sender, owner, address(defaultResolver));
  }

  function claimWithResolver(address owner, address resolver) external returns (bytes32) {
    return claimForBaseAddr(msg.sender, owner, resolver);
  }

  function claimForBaseAddr(address addr, address owner, address resolver) public returns (bytes32) {
    if (!_mayClaim(addr)) revert NotAuthorized(addr, msg.sender);
    emit BaseReverseClaimed(addr, node(addr));
    registry.setSubnodeRecord(reverseNode, reverseLabelhash(addr), owner, resolver, 0);
    return node(addr);
  }

  function setName(string calldata name) external returns (bytes32) {
    return setNameForAddr(msg.sender, msg.sender, address(defaultResolver), name);
  }

  function setNameForAddr(address addr, address owner, address resolver, string calldata name)
    public
    returns (bytes32 claimed)
  {
    claimed = claimForBaseAddr(addr, owner, resolver);
    Resolver(resolver).setName(claimed, name);
  }

  function _mayClaim(address addr) private view returns (bool) {
    return addr == msg.sender || approvedControllers[msg.sender] || registry.isApprovedForAll(addr, msg.sender)
      || ownsContract(msg.sender, addr);
  }
}
