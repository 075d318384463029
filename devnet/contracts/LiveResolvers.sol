// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import "./OffchainLookup.sol";

/// Resolvers for tests of live resolution: each stands for one kind of resolver that no index can answer for.

/// Answers for every name below the one it is set on (ENSIP-10), on chain: an address made of the name, and a
/// description that holds its first label. It has no other records, and says so for kinds that it does not know.
contract WildcardResolver {
  error UnsupportedResolverProfile(bytes4 selector);

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x9061b923 || id == 0x01ffc9a7;
  }

  function resolve(bytes calldata name, bytes calldata data) external pure returns (bytes memory) {
    bytes4 selector = bytes4(data);
    if (selector == bytes4(keccak256("addr(bytes32)"))) return abi.encode(addressOf(name));
    if (selector == bytes4(keccak256("text(bytes32,string)"))) {
      (, string memory key) = abi.decode(data[4:], (bytes32, string));
      bool known = keccak256(bytes(key)) == keccak256("description");
      return abi.encode(known ? string.concat("wildcard of ", string(name[1:1 + uint8(name[0])])) : "");
    }
    revert UnsupportedResolverProfile(selector);
  }

  function addressOf(bytes calldata name) public pure returns (address) {
    return address(uint160(uint256(keccak256(name))));
  }
}

/// Reverts with a reason, whatever it is asked.
contract RevertingResolver {
  fallback() external {
    revert("out of order");
  }
}

/// Answers every read with bytes that are no answer: as long as one, but nothing that could be read.
contract GarbageResolver {
  function supportsInterface(bytes4) external pure returns (bool) {
    return false;
  }

  fallback(bytes calldata) external returns (bytes memory) {
    return abi.encode(type(uint256).max, type(uint256).max);
  }
}

/// Answers what its owner last told it, and logs other things: its events prove nothing.
contract ChangeableResolver {
  event TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value);
  event AddressChanged(bytes32 indexed node, uint256 coinType, bytes newAddress);
  event AddrChanged(bytes32 indexed node, address a);

  address public answer;
  string public words;

  function say(address answer_, string calldata words_) external {
    answer = answer_;
    words = words_;
  }

  /// Logs a text and an address that it does not answer.
  function pretend(bytes32 node, string calldata key, string calldata value, address a) external {
    emit TextChanged(node, key, key, value);
    emit AddressChanged(node, 60, abi.encodePacked(a));
    emit AddrChanged(node, a);
  }

  function addr(bytes32) external view returns (address) {
    return answer;
  }

  function text(bytes32, string calldata) external view returns (string memory) {
    return words;
  }
}

/// Asks for a look-up at whatever URLs it was given and takes the answer as it comes; `endless` asks again each time.
contract LookupResolver {
  string[] public urls;
  bool public immutable endless;

  constructor(bool endless_) {
    endless = endless_;
  }

  function setUrls(string[] calldata urls_) external {
    delete urls;
    for (uint256 i = 0; i < urls_.length; i++) urls.push(urls_[i]);
  }

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x9061b923 || id == 0x01ffc9a7;
  }

  function resolve(bytes calldata, bytes calldata data) external view returns (bytes memory) {
    revert OffchainLookup(address(this), urls, data, this.takeAnswer.selector, data);
  }

  function takeAnswer(bytes calldata answer, bytes calldata extraData) external view returns (bytes memory) {
    if (endless) revert OffchainLookup(address(this), urls, extraData, this.takeAnswer.selector, extraData);
    return answer;
  }
}

/// Hostile: asks for a look-up with whatever bytes it was given, or answers a text of whatever length.
contract HostileResolver {
  string[] public urls;
  bytes public lookup;
  uint256 public textSize;

  /// Asks each caller for this look-up.
  function ask(string[] calldata urls_, bytes calldata lookup_) external {
    delete urls;
    for (uint256 i = 0; i < urls_.length; i++) urls.push(urls_[i]);
    lookup = lookup_;
    textSize = 0;
  }

  /// Answers texts of this many bytes.
  function answerTexts(uint256 size) external {
    textSize = size;
  }

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x9061b923 || id == 0x01ffc9a7;
  }

  function resolve(bytes calldata, bytes calldata) external view returns (bytes memory) {
    if (textSize > 0) return abi.encode(string(new bytes(textSize)));
    revert OffchainLookup(address(this), urls, lookup, this.takeAnswer.selector, lookup);
  }

  function takeAnswer(bytes calldata answer, bytes calldata) external pure returns (bytes memory) {
    return answer;
  }
}
