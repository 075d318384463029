// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// What the doubles call on the real registry, registrar and resolvers.

interface Registry {
  function owner(bytes32 node) external view returns (address);
  function isApprovedForAll(address owner, address operator) external view returns (bool);
  function setApprovalForAll(address operator, bool approved) external;
  function setOwner(bytes32 node, address owner) external;
  function setResolver(bytes32 node, address resolver) external;
  function setTTL(bytes32 node, uint64 ttl) external;
  function setRecord(bytes32 node, address owner, address resolver, uint64 ttl) external;
  function setSubnodeOwner(bytes32 node, bytes32 label, address owner) external returns (bytes32);
  function setSubnodeRecord(bytes32 node, bytes32 label, address owner, address resolver, uint64 ttl) external;
}

interface Registrar {
  function ownerOf(uint256 tokenId) external view returns (address);
  function isApprovedForAll(address owner, address operator) external view returns (bool);
  function nameExpires(uint256 id) external view returns (uint256);
  function available(uint256 id) external view returns (bool);
  function register(uint256 id, address owner, uint256 duration) external returns (uint256);
  function renew(uint256 id, uint256 duration) external returns (uint256);
  function reclaim(uint256 id, address owner) external;
  function setApprovalForAll(address operator, bool approved) external;
  function transferFrom(address from, address to, uint256 tokenId) external;
  function safeTransferFrom(address from, address to, uint256 tokenId) external;
}

interface Resolver {
  function setName(bytes32 node, string calldata name) external;
  function multicallWithNodeCheck(bytes32 node, bytes[] calldata data) external returns (bytes[] memory);
}

struct Price {
  uint256 base;
  uint256 premium;
}

interface PriceOracle {
  function price(string calldata name, uint256 expires, uint256 duration) external view returns (Price memory);
}

interface NameReverser {
  function setNameForAddr(address addr, address owner, address resolver, string calldata name)
    external
    returns (bytes32);
}

interface DefaultNameReverser {
  function setNameForAddr(address addr, string calldata name) external;
}

interface WrapperOfNames {
  function ownerOf(uint256 id) external view returns (address);
  function renew(uint256 tokenId, uint256 duration) external returns (uint256);
  function registerAndWrapETH2LD(
    string calldata label,
    address wrappedOwner,
    uint256 duration,
    address resolver,
    uint16 ownerControlledFuses
  ) external returns (uint256);
}

// namehash("eth")
bytes32 constant ETH_NODE = 0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae;

// namehash("addr.reverse")
bytes32 constant ADDR_REVERSE_NODE = 0x91d1777781884d03a6757a803996e38de2a42967fb37eeaca72729271025a9e2;

// The time after expiry in which only a renewal is possible.
uint64 constant GRACE_PERIOD = 90 days;

function childOf(bytes32 parent, bytes32 labelhash) pure returns (bytes32) {
  return keccak256(abi.encodePacked(parent, labelhash));
}

/// The number of characters of a UTF-8 label as the ENS contracts count it: by leading bytes, unchecked.
function characterCount(string memory label) pure returns (uint256 count) {
  bytes memory raw = bytes(label);
  for (uint256 at = 0; at < raw.length; count++) {
    uint8 lead = uint8(raw[at]);
    if (lead < 0x80) at += 1;
    else if (lead < 0xE0) at += 2;
    else if (lead < 0xF0) at += 3;
    else if (lead < 0xF8) at += 4;
    else if (lead < 0xFC) at += 5;
    else at += 6;
  }
}
