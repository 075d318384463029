// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ApprovedControllers} from "./Administered.sol";
import {Registry, WrapperOfNames} from "./EnsInterfaces.sol";
import {PublicResolver2023Double} from "./PublicResolver2023Double.sol";
import {PublicResolver2025Double} from "./PublicResolver2025Double.sol";

/// Double of the first resolver of Basenames: an Ethereum address has 20 bytes. The real one trusts one controller at a
/// time. Left out: resolve, the reverse claim of the constructor.
contract BasenamesResolver2024Double is PublicResolver2023Double, ApprovedControllers {
  constructor(Registry ens_, address reverseRegistrar)
    PublicResolver2023Double(ens_, WrapperOfNames(address(0)), address(0), reverseRegistrar)
  {}

  function _isTrusted(address account) internal view override returns (bool) {
    return approvedControllers[account] || super._isTrusted(account);
  }
}

/// Double of the second, upgradeable resolver of Basenames: an Ethereum address may be empty, and the record of the default
/// coin type stands in for one that is missing. Left out: resolve, upgrades.
contract BasenamesResolver2025Double is PublicResolver2025Double, ApprovedControllers {
  constructor(Registry ens_, address reverseRegistrar)
    PublicResolver2025Double(ens_, WrapperOfNames(address(0)), address(0), reverseRegistrar)
  {}

  function _isTrusted(address account) internal view override returns (bool) {
    return approvedControllers[account] || super._isTrusted(account);
  }
}
