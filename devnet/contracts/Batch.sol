// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Performs several calls in one transaction, as itself: several registrations at once, or a record set through a
/// contract, so that the transaction does not go to the resolver. What is left of the value goes back to the sender.
/// It can hold names: it takes ERC-721 and ERC-1155 tokens.
contract Batch {
  struct Call {
    address target;
    uint256 value;
    bytes data;
  }

  error CallFailed(uint256 index, bytes reason);

  event Received(address indexed from, uint256 value);

  /// Logs what it gets, as accounts of contracts do: also what a controller gives back.
  receive() external payable {
    emit Received(msg.sender, msg.value);
  }

  function run(Call[] calldata calls) external payable returns (bytes[] memory results) {
    results = new bytes[](calls.length);
    for (uint256 i = 0; i < calls.length; i++) {
      bool done;
      (done, results[i]) = calls[i].target.call{value: calls[i].value}(calls[i].data);
      if (!done) revert CallFailed(i, results[i]);
    }
    if (address(this).balance > 0) payable(msg.sender).transfer(address(this).balance);
  }

  function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
    return this.onERC721Received.selector;
  }

  function onERC1155Received(address, address, uint256, uint256, bytes calldata) external pure returns (bytes4) {
    return this.onERC1155Received.selector;
  }

  function onERC1155BatchReceived(address, address, uint256[] calldata, uint256[] calldata, bytes calldata)
    external
    pure
    returns (bytes4)
  {
    return this.onERC1155BatchReceived.selector;
  }
}
