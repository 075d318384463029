// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {TokenReceiver} from "./FuseToken.sol";

error ERC1155InvalidArrayLength(uint256 idsLength, uint256 valuesLength);

/// ERC-1155 tokens that have one holder each. A transfer of value 0 is announced and moves nothing.
abstract contract SingleTokens {
  mapping(uint256 => address) private holders;
  mapping(address => mapping(address => bool)) private operators;

  event TransferSingle(
    address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
  );
  event TransferBatch(
    address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
  );
  event ApprovalForAll(address indexed account, address indexed operator, bool approved);

  error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId);
  error ERC1155InvalidOperator(address operator);
  error ERC1155InvalidReceiver(address receiver);
  error ERC1155InvalidSender(address sender);
  error ERC1155MissingApprovalForAll(address operator, address owner);

  function ownerOf(uint256 id) public view virtual returns (address);

  function latestOwnerOf(uint256 id) public view returns (address) {
    return holders[id];
  }

  function balanceOf(address account, uint256 id) public view returns (uint256) {
    return ownerOf(id) == account ? 1 : 0;
  }

  function isApprovedForAll(address account, address operator) public view returns (bool) {
    return operators[account][operator];
  }

  function setApprovalForAll(address operator, bool approved) external {
    if (operator == address(0)) revert ERC1155InvalidOperator(operator);
    operators[msg.sender][operator] = approved;
    emit ApprovalForAll(msg.sender, operator, approved);
  }

  function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes calldata data) external {
    _checkOperator(from);
    (uint256[] memory ids, uint256[] memory values) = _one(id, value);
    _checkSafe(from, ids, values);
    _transfer(from, to, ids, values);
    _askReceiver(from, to, id, value, data);
  }

  function safeBatchTransferFrom(
    address from,
    address to,
    uint256[] calldata ids,
    uint256[] calldata values,
    bytes calldata data
  ) external {
    _checkOperator(from);
    if (ids.length != values.length) revert ERC1155InvalidArrayLength(ids.length, values.length);
    _checkSafe(from, ids, values);
    _transfer(from, to, ids, values);
    _askReceiverOfBatch(from, to, ids, values, data);
  }

  /// What a plain transfer demands beyond the token itself.
  function _checkSafe(address from, uint256[] memory ids, uint256[] memory values) internal view virtual;

  /// After a token went from one holder to another.
  function _afterTransfer(address from, address to, uint256[] memory ids, uint256[] memory values) internal virtual;

  function _transfer(address from, address to, uint256[] memory ids, uint256[] memory values) internal {
    if (to == address(0)) revert ERC1155InvalidReceiver(to);
    if (from == address(0)) revert ERC1155InvalidSender(from);
    _move(from, to, ids, values);
    _afterTransfer(from, to, ids, values);
  }

  function _mint(address to, uint256 id) internal {
    if (to == address(0)) revert ERC1155InvalidReceiver(to);
    (uint256[] memory ids, uint256[] memory values) = _one(id, 1);
    _move(address(0), to, ids, values);
    _askReceiver(address(0), to, id, 1, "");
  }

  function _burn(address from, uint256 id) internal {
    (uint256[] memory ids, uint256[] memory values) = _one(id, 1);
    _move(from, address(0), ids, values);
  }

  function _one(uint256 id, uint256 value) internal pure returns (uint256[] memory ids, uint256[] memory values) {
    (ids, values) = (new uint256[](1), new uint256[](1));
    (ids[0], values[0]) = (id, value);
  }

  function _askReceiver(address from, address to, uint256 id, uint256 value, bytes memory data) internal {
    if (to.code.length == 0) return;
    bytes4 answer = TokenReceiver(to).onERC1155Received(msg.sender, from, id, value, data);
    if (answer != TokenReceiver.onERC1155Received.selector) revert ERC1155InvalidReceiver(to);
  }

  function _askReceiverOfBatch(
    address from,
    address to,
    uint256[] memory ids,
    uint256[] memory values,
    bytes memory data
  ) internal {
    if (to.code.length == 0) return;
    bytes4 answer = TokenReceiver(to).onERC1155BatchReceived(msg.sender, from, ids, values, data);
    if (answer != TokenReceiver.onERC1155BatchReceived.selector) revert ERC1155InvalidReceiver(to);
  }

  function _move(address from, address to, uint256[] memory ids, uint256[] memory values) private {
    for (uint256 i = 0; i < ids.length; i++) {
      if (values[i] == 0) continue;
      uint256 balance = holders[ids[i]] == from ? 1 : 0;
      if (values[i] > balance) revert ERC1155InsufficientBalance(from, balance, values[i], ids[i]);
      holders[ids[i]] = to;
    }
    if (ids.length == 1) emit TransferSingle(msg.sender, from, to, ids[0], values[0]);
    else emit TransferBatch(msg.sender, from, to, ids, values);
  }

  function _checkOperator(address from) private view {
    if (from != msg.sender && !operators[from][msg.sender]) revert ERC1155MissingApprovalForAll(msg.sender, from);
  }
}
