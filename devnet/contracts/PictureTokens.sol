// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// A token of either standard that says what it was made to say: honest ones and liars alike.
contract PictureTokens {
  address private holder;
  string private description;
  uint256 private immutable size;

  /// `size_`: how many bytes of zeros the description has besides.
  constructor(address holder_, string memory description_, uint256 size_) {
    holder = holder_;
    description = description_;
    size = size_;
  }

  function ownerOf(uint256) external view returns (address) {
    return holder;
  }

  function balanceOf(address account, uint256) external view returns (uint256) {
    return account == holder ? 1 : 0;
  }

  function tokenURI(uint256) external view returns (string memory) {
    return _described();
  }

  function uri(uint256) external view returns (string memory) {
    return _described();
  }

  function _described() private view returns (string memory) {
    return size == 0 ? description : string(bytes.concat(bytes(description), new bytes(size)));
  }
}
