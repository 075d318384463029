// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {OffchainLookup} from "./OffchainLookup.sol";

/// Double of the resolvers on Ethereum that answer for names of a layer 2: below its own name from a gateway that signs
/// (ERC-3668), for its own name from another resolver. Base's does this. Linea's checks a proof of the layer 2's state
/// instead of a signature, which is left out, as is what the owner can change.
contract BridgeResolverDouble {
  string public url;
  bytes32 private immutable ownName;
  address public immutable rootResolver;
  mapping(address => bool) public signers;

  error InvalidSigner();
  error SignatureExpired();

  /// The own name is DNS-encoded.
  constructor(string memory url_, address signer, bytes memory dnsName, address rootResolver_) {
    url = url_;
    signers[signer] = true;
    ownName = keccak256(dnsName);
    rootResolver = rootResolver_;
  }

  function resolve(bytes calldata name, bytes calldata data) external view returns (bytes memory) {
    if (keccak256(name) == ownName) return _askRoot(data);
    string[] memory urls = new string[](1);
    urls[0] = url;
    revert OffchainLookup(address(this), urls, msg.data, this.resolveWithProof.selector, msg.data);
  }

  function resolveWithProof(bytes calldata response, bytes calldata request) external view returns (bytes memory) {
    (bytes memory result, uint64 expires, bytes memory signature) = abi.decode(response, (bytes, uint64, bytes));
    bytes32 hash =
      keccak256(abi.encodePacked(hex"1900", address(this), expires, keccak256(request), keccak256(result)));
    if (!signers[_signerOf(hash, signature)]) revert InvalidSigner();
    if (expires < block.timestamp) revert SignatureExpired();
    return result;
  }

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x01ffc9a7 || id == 0x9061b923;
  }

  /// The own name's records, also for a caller that knows nothing of `resolve`.
  fallback(bytes calldata data) external returns (bytes memory) {
    return _askRoot(data);
  }

  function _askRoot(bytes calldata data) private view returns (bytes memory result) {
    bool done;
    (done, result) = rootResolver.staticcall(data);
    if (done) return result;
    assembly ("memory-safe") {
      revert(add(result, 32), mload(result))
    }
  }

  function _signerOf(bytes32 hash, bytes memory signature) private pure returns (address) {
    if (signature.length != 65) return address(0);
    bytes32 r;
    bytes32 s;
    uint8 v;
    assembly ("memory-safe") {
      r := mload(add(signature, 32))
      s := mload(add(signature, 64))
      v := byte(0, mload(add(signature, 96)))
    }
    return ecrecover(hash, v, r, s);
  }
}
