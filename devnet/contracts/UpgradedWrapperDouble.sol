// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Stands for a later NameWrapper: takes over what `NameWrapper.upgrade` hands it, and announces that.
contract UpgradedWrapperDouble {
  event NameUpgraded(
    bytes name, address wrappedOwner, uint32 fuses, uint64 expiry, address approved, bytes extraData
  );

  function wrapFromUpgrade(
    bytes calldata name,
    address wrappedOwner,
    uint32 fuses,
    uint64 expiry,
    address approved,
    bytes calldata extraData
  ) external {
    emit NameUpgraded(name, wrappedOwner, fuses, expiry, approved, extraData);
  }
}
