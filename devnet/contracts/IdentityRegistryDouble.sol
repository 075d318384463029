// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Double of the ERC-8004 IdentityRegistry ("AgentIdentity"): an ERC-721 token for each agent, from id 0 on.
/// Left out: proxy, approvals, ERC-4906, registration with metadata, setting of the agent's wallet by signature.
contract IdentityRegistryDouble {
  mapping(uint256 => address) private owners;
  mapping(uint256 => string) private uris;
  mapping(uint256 => mapping(string => bytes)) private metadata;
  uint256 private lastId;

  event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
  event Registered(uint256 indexed agentId, string agentURI, address indexed owner);
  event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy);
  event MetadataSet(uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue);

  error ERC721NonexistentToken(uint256 tokenId);

  modifier onlyAgentOwner(uint256 agentId) {
    require(ownerOf(agentId) == msg.sender, "Not authorized");
    _;
  }

  function register() external returns (uint256) {
    return _register("");
  }

  function register(string calldata agentURI) external returns (uint256) {
    return _register(agentURI);
  }

  function setAgentURI(uint256 agentId, string calldata newURI) external onlyAgentOwner(agentId) {
    uris[agentId] = newURI;
    emit URIUpdated(agentId, newURI, msg.sender);
  }

  function setMetadata(uint256 agentId, string calldata key, bytes calldata value) external onlyAgentOwner(agentId) {
    require(keccak256(bytes(key)) != keccak256("agentWallet"), "reserved key");
    _setMetadata(agentId, key, value);
  }

  function unsetAgentWallet(uint256 agentId) external onlyAgentOwner(agentId) {
    _setMetadata(agentId, "agentWallet", "");
  }

  /// The agent's wallet is cleared: it belongs to the owner of before.
  function transferFrom(address from, address to, uint256 agentId) external onlyAgentOwner(agentId) {
    require(from == msg.sender && to != address(0), "ERC721: wrong sender or receiver");
    owners[agentId] = to;
    emit Transfer(from, to, agentId);
    _setMetadata(agentId, "agentWallet", "");
  }

  function ownerOf(uint256 agentId) public view returns (address owner) {
    owner = owners[agentId];
    if (owner == address(0)) revert ERC721NonexistentToken(agentId);
  }

  function tokenURI(uint256 agentId) external view returns (string memory) {
    ownerOf(agentId);
    return uris[agentId];
  }

  function getMetadata(uint256 agentId, string calldata key) external view returns (bytes memory) {
    return metadata[agentId][key];
  }

  function getVersion() external pure returns (string memory) {
    return "2.0.0";
  }

  function _register(string memory agentURI) private returns (uint256 agentId) {
    agentId = lastId++;
    owners[agentId] = msg.sender;
    uris[agentId] = agentURI;
    emit Transfer(address(0), msg.sender, agentId);
    emit Registered(agentId, agentURI, msg.sender);
    _setMetadata(agentId, "agentWallet", abi.encodePacked(msg.sender));
  }

  function _setMetadata(uint256 agentId, string memory key, bytes memory value) private {
    metadata[agentId][key] = value;
    emit MetadataSet(agentId, key, key, value);
  }
}
