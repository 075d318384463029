// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface TokenReceiver {
  function onERC1155Received(address operator, address from, uint256 id, uint256 value, bytes calldata data)
    external
    returns (bytes4);
  function onERC1155BatchReceived(
    address operator,
    address from,
    uint256[] calldata ids,
    uint256[] calldata values,
    bytes calldata data
  ) external returns (bytes4);
}

uint32 constant CANNOT_UNWRAP = 1;
uint32 constant CANNOT_BURN_FUSES = 2;
uint32 constant CANNOT_TRANSFER = 4;
uint32 constant CANNOT_SET_RESOLVER = 8;
uint32 constant CANNOT_SET_TTL = 16;
uint32 constant CANNOT_CREATE_SUBDOMAIN = 32;
uint32 constant CANNOT_APPROVE = 64;
uint32 constant PARENT_CANNOT_CONTROL = 1 << 16;
uint32 constant IS_DOT_ETH = 1 << 17;
uint32 constant CAN_EXTEND_EXPIRY = 1 << 18;
uint32 constant PARENT_CONTROLLED_FUSES = 0xFFFF0000;

/// One ERC-1155 token per name; beside the owner it holds the name's fuses and expiry, which outlive a burn.
abstract contract FuseToken {
  struct Held {
    address owner;
    uint32 fuses;
    uint64 expiry;
  }

  mapping(bytes32 => Held) private held;
  mapping(bytes32 => address) private approvedFor;
  mapping(address => mapping(address => bool)) private operators;

  event TransferSingle(
    address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
  );
  event TransferBatch(
    address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
  );
  event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
  event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
  event URI(string value, uint256 indexed id);

  error OperationProhibited(bytes32 node);

  /// What holds now: an expired name has no fuses, and no owner if its parent had lost control of it.
  function getData(uint256 id) public view returns (address owner, uint32 fuses, uint64 expiry) {
    Held memory token = _current(bytes32(id));
    return (token.owner, token.fuses, token.expiry);
  }

  /// The stored word: owner in the low 160 bits, then 32 bits of fuses, then 64 bits of expiry, as last written.
  function _tokens(uint256 id) external view returns (uint256) {
    Held memory token = held[bytes32(id)];
    return uint256(uint160(token.owner)) | (uint256(token.fuses) << 160) | (uint256(token.expiry) << 192);
  }

  function ownerOf(uint256 id) public view returns (address) {
    return _current(bytes32(id)).owner;
  }

  function balanceOf(address account, uint256 id) public view returns (uint256) {
    require(account != address(0), "ERC1155: balance query for the zero address");
    return ownerOf(id) == account ? 1 : 0;
  }

  function balanceOfBatch(address[] calldata accounts, uint256[] calldata ids)
    external
    view
    returns (uint256[] memory balances)
  {
    require(accounts.length == ids.length, "ERC1155: accounts and ids length mismatch");
    balances = new uint256[](accounts.length);
    for (uint256 i = 0; i < ids.length; i++) balances[i] = balanceOf(accounts[i], ids[i]);
  }

  function getApproved(uint256 id) public view returns (address) {
    return ownerOf(id) == address(0) ? address(0) : approvedFor[bytes32(id)];
  }

  function isApprovedForAll(address account, address operator) public view returns (bool) {
    return operators[account][operator];
  }

  function approve(address to, uint256 tokenId) external {
    Held memory token = _current(bytes32(tokenId));
    if (token.fuses & CANNOT_APPROVE != 0) revert OperationProhibited(bytes32(tokenId));
    require(to != token.owner, "ERC721: approval to current owner");
    require(_mayActFor(token.owner), "ERC721: approve caller is not token owner or approved for all");
    approvedFor[bytes32(tokenId)] = to;
    emit Approval(token.owner, to, tokenId);
  }

  function setApprovalForAll(address operator, bool approved) external {
    require(msg.sender != operator, "ERC1155: setting approval status for self");
    operators[msg.sender][operator] = approved;
    emit ApprovalForAll(msg.sender, operator, approved);
  }

  function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes calldata data) external {
    require(to != address(0), "ERC1155: transfer to the zero address");
    require(_mayActFor(from), "ERC1155: caller is not owner nor approved");
    _transfer(from, to, bytes32(id), amount, data);
  }

  function safeBatchTransferFrom(
    address from,
    address to,
    uint256[] calldata ids,
    uint256[] calldata amounts,
    bytes calldata data
  ) external {
    require(ids.length == amounts.length, "ERC1155: ids and amounts length mismatch");
    require(to != address(0), "ERC1155: transfer to the zero address");
    require(_mayActFor(from), "ERC1155: transfer caller is not owner nor approved");
    for (uint256 i = 0; i < ids.length; i++) {
      Held memory token = _releasedFrom(from, bytes32(ids[i]), amounts[i]);
      _store(bytes32(ids[i]), to, token.fuses, token.expiry);
    }
    emit TransferBatch(msg.sender, from, to, ids, amounts);
    if (to.code.length == 0) return;
    bytes4 answer = TokenReceiver(to).onERC1155BatchReceived(msg.sender, from, ids, amounts, data);
    require(answer == TokenReceiver.onERC1155BatchReceived.selector, "ERC1155: ERC1155Receiver rejected tokens");
  }

  function _stored(bytes32 node) internal view returns (Held memory) {
    return held[node];
  }

  function _current(bytes32 node) internal view returns (Held memory token) {
    token = held[node];
    if (token.expiry >= block.timestamp) return token;
    if (token.fuses & PARENT_CANNOT_CONTROL != 0) token.owner = address(0);
    token.fuses = 0;
  }

  function _store(bytes32 node, address owner, uint32 fuses, uint64 expiry) internal {
    held[node] = Held(owner, fuses, expiry);
  }

  /// What the wrapper demands before a token changes hands.
  function _checkTransferable(bytes32 node, Held memory token) internal view virtual;

  function _transfer(address from, address to, bytes32 node, uint256 amount, bytes memory data) internal {
    Held memory token = _releasedFrom(from, node, amount);
    if (token.owner == to) return;
    _store(node, to, token.fuses, token.expiry);
    emit TransferSingle(msg.sender, from, to, uint256(node), amount);
    _askReceiver(from, to, node, amount, data);
  }

  /// A longer expiry left by an earlier token is kept, and while it lasts so are the fuses its parent had burnt.
  function _mint(bytes32 node, address owner, uint32 fuses, uint64 expiry) internal {
    Held memory left = _current(node);
    if (left.expiry >= block.timestamp) fuses |= left.fuses & PARENT_CONTROLLED_FUSES;
    if (left.expiry > expiry) expiry = left.expiry;
    require(left.owner == address(0), "ERC1155: mint of existing token");
    require(owner != address(0), "ERC1155: mint to the zero address");
    require(owner != address(this), "ERC1155: newOwner cannot be the NameWrapper contract");
    _store(node, owner, fuses, expiry);
    emit TransferSingle(msg.sender, address(0), owner, uint256(node), 1);
    _askReceiver(address(0), owner, node, 1, "");
  }

  function _burn(bytes32 node) internal {
    address oldOwner = held[node].owner;
    Held memory token = _current(node);
    delete approvedFor[node];
    _store(node, address(0), token.fuses, token.expiry);
    emit TransferSingle(msg.sender, oldOwner, address(0), uint256(node), 1);
  }

  function _mayActFor(address account) internal view returns (bool) {
    return account == msg.sender || operators[account][msg.sender];
  }

  function _releasedFrom(address from, bytes32 node, uint256 amount) private returns (Held memory token) {
    token = _current(node);
    _checkTransferable(node, token);
    if (token.fuses & CANNOT_APPROVE == 0) delete approvedFor[node];
    require(amount == 1 && token.owner == from, "ERC1155: insufficient balance for transfer");
  }

  function _askReceiver(address from, address to, bytes32 node, uint256 amount, bytes memory data) private {
    if (to.code.length == 0) return;
    bytes4 answer = TokenReceiver(to).onERC1155Received(msg.sender, from, uint256(node), amount, data);
    require(answer == TokenReceiver.onERC1155Received.selector, "ERC1155: ERC1155Receiver rejected tokens");
  }
}
