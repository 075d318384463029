// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface AgentRegistry {
  function register(string calldata agentURI) external returns (uint256);
  function setAgentURI(uint256 agentId, string calldata newURI) external;
  function setMetadata(uint256 agentId, string calldata key, bytes calldata value) external;
  function unsetAgentWallet(uint256 agentId) external;
  function transferFrom(address from, address to, uint256 agentId) external;
  function ownerOf(uint256 agentId) external view returns (address);
  function tokenURI(uint256 agentId) external view returns (string memory);
}

interface BoundToken {
  function ownerOf(uint256 tokenId) external view returns (address);
  function balanceOf(address account, uint256 tokenId) external view returns (uint256);
  function owner() external view returns (address);
}

/// Double of the ERC-8217 adapter: registers agents in its own name and binds each to a token for good.
/// Left out: proxy, counterfactual claims, delegation, registration with metadata, setting of wallet and metadata.
contract AgentAdapterDouble {
  struct Binding {
    uint8 standard;
    address tokenContract;
    uint256 tokenId;
  }

  /// Standards of tokens: ERC-721, ERC-1155, ERC-6909, then the later drafts, of which those from 5 on are contracts.
  uint8 private constant ERC1155 = 1;
  uint8 private constant ERC6909 = 2;
  uint8 private constant FIRST_OF_CONTRACTS = 5;

  AgentRegistry public immutable identityRegistry;
  mapping(uint256 => Binding) private bindings;

  event AgentBound(
    uint256 indexed agentId,
    uint8 indexed standard,
    address indexed tokenContract,
    uint256 tokenId,
    address registeredBy
  );
  event AgentURISet(uint256 indexed agentId, string newURI, address indexed setBy);

  error InvalidTokenContract();
  error NotController(address account, uint256 agentId);
  error UnknownAgent(uint256 agentId);

  constructor(AgentRegistry identityRegistry_) {
    identityRegistry = identityRegistry_;
  }

  /// The controller of the token registers an agent for it; a token may have many.
  function register(uint8 standard, address tokenContract, uint256 tokenId, string calldata agentURI)
    external
    returns (uint256 agentId)
  {
    if (tokenContract == address(0)) revert InvalidTokenContract();
    Binding memory binding = Binding(standard, tokenContract, tokenId);
    if (!_controls(binding, msg.sender)) revert NotController(msg.sender, 0);
    agentId = identityRegistry.register(agentURI);
    bindings[agentId] = binding;
    identityRegistry.setMetadata(agentId, "agent-binding", abi.encodePacked(address(this)));
    identityRegistry.unsetAgentWallet(agentId);
    emit AgentBound(agentId, standard, tokenContract, tokenId, msg.sender);
  }

  function setAgentURI(uint256 agentId, string calldata newURI) external {
    if (!_controls(bindingOf(agentId), msg.sender)) revert NotController(msg.sender, agentId);
    identityRegistry.setAgentURI(agentId, newURI);
    emit AgentURISet(agentId, newURI, msg.sender);
  }

  /// No adapter gives agents away; an upgraded one might.
  function release(uint256 agentId, address to) external {
    if (!_controls(bindingOf(agentId), msg.sender)) revert NotController(msg.sender, agentId);
    identityRegistry.transferFrom(address(this), to, agentId);
  }

  function bindingOf(uint256 agentId) public view returns (Binding memory binding) {
    binding = bindings[agentId];
    if (binding.tokenContract == address(0)) revert UnknownAgent(agentId);
  }

  function isController(uint256 agentId, address account) external view returns (bool) {
    return _controls(bindingOf(agentId), account);
  }

  function ownerOf(uint256 agentId) external view returns (address) {
    return identityRegistry.ownerOf(agentId);
  }

  function tokenURI(uint256 agentId) external view returns (string memory) {
    return identityRegistry.tokenURI(agentId);
  }

  function _controls(Binding memory binding, address account) private view returns (bool) {
    BoundToken token = BoundToken(binding.tokenContract);
    if (binding.standard >= FIRST_OF_CONTRACTS) return token.owner() == account;
    if (binding.standard == ERC1155 || binding.standard == ERC6909) return token.balanceOf(account, binding.tokenId) > 0;
    return token.ownerOf(binding.tokenId) == account;
  }
}
