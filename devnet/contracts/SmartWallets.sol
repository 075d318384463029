// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {OffchainLookup} from "./OffchainLookup.sol";

/// A wallet that is a contract: a signature is its own if its owner made it (ERC-1271).
contract SmartWallet {
  address public immutable owner;

  constructor(address owner_) {
    owner = owner_;
  }

  function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
    require(signature.length == 65, "not a signature");
    address signer = ecrecover(
      hash, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64])
    );
    return signer == owner ? this.isValidSignature.selector : bytes4(0xffffffff);
  }
}

/// Deploys wallets where everybody can foretell (ERC-6492).
contract SmartWalletFactory {
  function deploy(address owner) external returns (address) {
    return address(new SmartWallet{salt: 0}(owner));
  }
}

/// A wallet that sends those who check its signature to another server (ERC-3668).
contract LookupWallet {
  string public url;

  constructor(string memory url_) {
    url = url_;
  }

  function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
    string[] memory urls = new string[](1);
    urls[0] = url;
    revert OffchainLookup(address(this), urls, "", this.accept.selector, "");
  }

  function accept(bytes calldata, bytes calldata) external pure returns (bytes4) {
    return this.isValidSignature.selector;
  }
}
