// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Owned} from "./Administered.sol";
import {Registry, GRACE_PERIOD} from "./EnsInterfaces.sol";

interface TokenReceiver721 {
  function onERC721Received(address operator, address from, uint256 id, bytes calldata data) external returns (bytes4);
}

/// Double of the registrar of Basenames: an ERC-721 token per name, which a controller registers with or without a node
/// in the registry. `registerWithoutBurn` is ours: it leaves the lapsed token unburnt, as one registration on Base did.
/// Left out: token metadata.
contract BasenamesRegistrarDouble is Owned {
  Registry public immutable registry;
  bytes32 public immutable baseNode;
  mapping(uint256 => uint256) public nameExpires;
  mapping(address => bool) public controllers;
  mapping(uint256 => address) private holders;
  mapping(address => uint256) public balanceOf;
  mapping(uint256 => address) private approved;
  mapping(address => mapping(address => bool)) public isApprovedForAll;

  event Transfer(address indexed from, address indexed to, uint256 indexed id);
  event Approval(address indexed owner, address indexed account, uint256 indexed id);
  event ApprovalForAll(address indexed owner, address indexed operator, bool isApproved);
  event ControllerAdded(address indexed controller);
  event ControllerRemoved(address indexed controller);
  event NameRegistered(uint256 indexed id, address indexed owner, uint256 expires);
  event NameRegisteredWithRecord(
    uint256 indexed id, address indexed owner, uint256 expires, address resolver, uint64 ttl
  );
  event NameRenewed(uint256 indexed id, uint256 expires);

  error Expired(uint256 tokenId);
  error NotApprovedOwner(uint256 tokenId, address sender);
  error NotAvailable(uint256 tokenId);
  error NotOwnerNorApproved();
  error NotRegisteredOrInGrace(uint256 tokenId);
  error OnlyController();
  error RegistrarNotLive();
  error TokenDoesNotExist();
  error TransferFromIncorrectOwner();
  error TransferToNonERC721ReceiverImplementer();
  error TransferToZeroAddress();

  modifier live() {
    if (registry.owner(baseNode) != address(this)) revert RegistrarNotLive();
    _;
  }

  modifier byController() {
    if (!controllers[msg.sender]) revert OnlyController();
    _;
  }

  constructor(Registry registry_, bytes32 baseNode_) {
    registry = registry_;
    baseNode = baseNode_;
  }

  // Controllers.

  function addController(address controller) external onlyOwner {
    controllers[controller] = true;
    emit ControllerAdded(controller);
  }

  function removeController(address controller) external onlyOwner {
    controllers[controller] = false;
    emit ControllerRemoved(controller);
  }

  // Registration.

  function register(uint256 id, address owner, uint256 duration) external live byController returns (uint256 expires) {
    expires = _replaceToken(id, owner, duration);
    registry.setSubnodeOwner(baseNode, bytes32(id), owner);
    emit NameRegistered(id, owner, expires);
  }

  function registerOnly(uint256 id, address owner, uint256 duration)
    external
    live
    byController
    returns (uint256 expires)
  {
    expires = _replaceToken(id, owner, duration);
    emit NameRegistered(id, owner, expires);
  }

  function registerWithRecord(uint256 id, address owner, uint256 duration, address resolver, uint64 ttl)
    external
    live
    byController
    returns (uint256 expires)
  {
    expires = _replaceToken(id, owner, duration);
    registry.setSubnodeRecord(baseNode, bytes32(id), owner, resolver, ttl);
    emit NameRegisteredWithRecord(id, owner, expires, resolver, ttl);
  }

  function registerWithoutBurn(uint256 id, address owner, uint256 duration)
    external
    live
    byController
    returns (uint256 expires)
  {
    expires = _reserve(id, duration);
    if (holders[id] != address(0)) balanceOf[holders[id]]--;
    _mint(id, owner);
    registry.setSubnodeOwner(baseNode, bytes32(id), owner);
    emit NameRegistered(id, owner, expires);
  }

  function renew(uint256 id, uint256 duration) external live byController returns (uint256 expires) {
    if (nameExpires[id] + GRACE_PERIOD < block.timestamp) revert NotRegisteredOrInGrace(id);
    expires = nameExpires[id] + duration;
    nameExpires[id] = expires;
    emit NameRenewed(id, expires);
  }

  function reclaim(uint256 id, address owner) external live {
    if (!_mayMove(msg.sender, id)) revert NotApprovedOwner(id, owner);
    registry.setSubnodeOwner(baseNode, bytes32(id), owner);
  }

  function isAvailable(uint256 id) public view returns (bool) {
    return nameExpires[id] + GRACE_PERIOD < block.timestamp;
  }

  // The token. An expired one has no owner, and no one can move it.

  function ownerOf(uint256 id) public view returns (address holder) {
    if (nameExpires[id] <= block.timestamp) revert Expired(id);
    holder = holders[id];
    if (holder == address(0)) revert TokenDoesNotExist();
  }

  function getApproved(uint256 id) external view returns (address) {
    if (holders[id] == address(0)) revert TokenDoesNotExist();
    return approved[id];
  }

  function approve(address account, uint256 id) external {
    address holder = ownerOf(id);
    if (msg.sender != holder && !isApprovedForAll[holder][msg.sender]) revert NotOwnerNorApproved();
    approved[id] = account;
    emit Approval(holder, account, id);
  }

  function setApprovalForAll(address operator, bool isApproved) external {
    isApprovedForAll[msg.sender][operator] = isApproved;
    emit ApprovalForAll(msg.sender, operator, isApproved);
  }

  function transferFrom(address from, address to, uint256 id) public {
    if (ownerOf(id) != from) revert TransferFromIncorrectOwner();
    if (to == address(0)) revert TransferToZeroAddress();
    if (!_mayMove(msg.sender, id)) revert NotOwnerNorApproved();
    delete approved[id];
    balanceOf[from]--;
    balanceOf[to]++;
    holders[id] = to;
    emit Transfer(from, to, id);
  }

  function safeTransferFrom(address from, address to, uint256 id) external {
    safeTransferFrom(from, to, id, "");
  }

  function safeTransferFrom(address from, address to, uint256 id, bytes memory data) public {
    transferFrom(from, to, id);
    if (to.code.length == 0) return;
    bytes4 answer = TokenReceiver721(to).onERC721Received(msg.sender, from, id, data);
    if (answer != TokenReceiver721.onERC721Received.selector) revert TransferToNonERC721ReceiverImplementer();
  }

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x01ffc9a7 || id == 0x80ac58cd || id == this.reclaim.selector;
  }

  function _mayMove(address account, uint256 id) private view returns (bool) {
    address holder = ownerOf(id);
    return account == holder || approved[id] == account || isApprovedForAll[holder][account];
  }

  function _reserve(uint256 id, uint256 duration) private returns (uint256 expires) {
    if (!isAvailable(id)) revert NotAvailable(id);
    expires = block.timestamp + duration;
    nameExpires[id] = expires;
  }

  function _replaceToken(uint256 id, address owner, uint256 duration) private returns (uint256 expires) {
    expires = _reserve(id, duration);
    if (holders[id] != address(0)) _burn(id);
    _mint(id, owner);
  }

  function _burn(uint256 id) private {
    address holder = holders[id];
    balanceOf[holder]--;
    delete approved[id];
    delete holders[id];
    emit Transfer(holder, address(0), id);
  }

  function _mint(uint256 id, address to) private {
    if (to == address(0)) revert TransferToZeroAddress();
    balanceOf[to]++;
    holders[id] = to;
    emit Transfer(address(0), to, id);
  }
}
