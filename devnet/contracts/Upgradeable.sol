// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// Where a proxy keeps the address of its implementation (ERC-1967).
bytes32 constant IMPLEMENTATION_SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

function readImplementation() view returns (address implementation) {
  assembly {
    implementation := sload(IMPLEMENTATION_SLOT)
  }
}

function storeImplementation(address implementation) {
  assembly {
    sstore(IMPLEMENTATION_SLOT, implementation)
  }
}

/// Calls code as part of this contract, and reverts with its words.
function callAsOwn(address code, bytes memory data) {
  (bool done, bytes memory answer) = code.delegatecall(data);
  if (done) return;
  assembly {
    revert(add(answer, 32), mload(answer))
  }
}

/// The code behind a proxy: prepared once, and replaced by an account that may (ERC-1822).
abstract contract Upgradeable {
  uint64 private initializedVersion;

  event Upgraded(address indexed implementation);
  event Initialized(uint64 version);

  error InvalidInitialization();
  error ERC1967InvalidImplementation(address implementation);

  modifier initializer() {
    if (initializedVersion != 0) revert InvalidInitialization();
    initializedVersion = 1;
    _;
    emit Initialized(1);
  }

  /// The implementation itself is never used: its constructor calls this last.
  function _disableInitializers() internal {
    initializedVersion = type(uint64).max;
    emit Initialized(type(uint64).max);
  }

  function proxiableUUID() external pure returns (bytes32) {
    return IMPLEMENTATION_SLOT;
  }

  function upgradeToAndCall(address implementation, bytes calldata data) external payable {
    _checkMayUpgrade();
    if (implementation.code.length == 0) revert ERC1967InvalidImplementation(implementation);
    storeImplementation(implementation);
    emit Upgraded(implementation);
    if (data.length > 0) callAsOwn(implementation, data);
  }

  function _checkMayUpgrade() internal view virtual;
}
