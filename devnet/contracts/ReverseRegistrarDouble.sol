// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Controlled} from "./Administered.sol";
import {Registry, Resolver, ADDR_REVERSE_NODE, childOf} from "./EnsInterfaces.sol";

interface Ownable {
  function owner() external view returns (address);
}

interface ReverseClaims {
  function claim(address owner) external returns (bytes32);
}

/// Keccak-256 of the 40 lower-case hexadecimal characters of an address: its label under addr.reverse.
function reverseLabelhash(address addr) pure returns (bytes32) {
  bytes memory digits = "0123456789abcdef";
  bytes memory label = new bytes(40);
  for (uint256 i = 0; i < 40; i++) label[i] = digits[(uint160(addr) >> (156 - 4 * i)) & 0xf];
  return keccak256(label);
}

/// Whether the account owns the contract at the address, as that contract says itself.
function ownsContract(address account, address at) view returns (bool) {
  if (at.code.length == 0) return false;
  try Ownable(at).owner() returns (address owner) {
    return owner == account;
  } catch {
    return false;
  }
}

/// Double of the reverse registrar of 2023 (generation 3): each claim is announced by ReverseClaimed, first of all.
contract ReverseRegistrarDouble is Controlled {
  Registry public immutable ens;
  Resolver public defaultResolver;

  event ReverseClaimed(address indexed addr, bytes32 indexed node);
  event DefaultResolverChanged(address indexed resolver);

  /// The deployer takes the reverse name of this contract from the registrar before it.
  constructor(Registry ens_) {
    ens = ens_;
    address before = ens_.owner(ADDR_REVERSE_NODE);
    if (before != address(0)) ReverseClaims(before).claim(msg.sender);
  }

  function setDefaultResolver(Resolver resolver) external onlyOwner {
    require(address(resolver) != address(0), "ReverseRegistrar: Resolver address must not be 0");
    defaultResolver = resolver;
    emit DefaultResolverChanged(address(resolver));
  }

  function node(address addr) public pure returns (bytes32) {
    return childOf(ADDR_REVERSE_NODE, reverseLabelhash(addr));
  }

  function claim(address owner) external returns (bytes32) {
    return claimForAddr(msg.sender, owner, address(defaultResolver));
  }

  function claimWithResolver(address owner, address resolver) external returns (bytes32) {
    return claimForAddr(msg.sender, owner, resolver);
  }

  function claimForAddr(address addr, address owner, address resolver) public returns (bytes32) {
    require(
      _mayClaim(addr),
      "ReverseRegistrar: Caller is not a controller or authorised by address or the address itself"
    );
    emit ReverseClaimed(addr, node(addr));
    ens.setSubnodeRecord(ADDR_REVERSE_NODE, reverseLabelhash(addr), owner, resolver, 0);
    return node(addr);
  }

  function setName(string calldata name) external returns (bytes32) {
    return setNameForAddr(msg.sender, msg.sender, address(defaultResolver), name);
  }

  function setNameForAddr(address addr, address owner, address resolver, string calldata name)
    public
    returns (bytes32 claimed)
  {
    claimed = claimForAddr(addr, owner, resolver);
    Resolver(resolver).setName(claimed, name);
  }

  function _mayClaim(address addr) private view returns (bool) {
    return addr == msg.sender || controllers[msg.sender] || ens.isApprovedForAll(addr, msg.sender)
      || ownsContract(msg.sender, addr);
  }
}
