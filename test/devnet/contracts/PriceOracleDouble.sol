// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Price, GRACE_PERIOD, characterCount} from "./EnsInterfaces.sol";
import {premiumAfter} from "./PremiumCurve.sol";

interface UsdOracle {
  function latestAnswer() external view returns (int256);
}

/// Double of the price oracle of 2022: rent by length, and after the grace period a premium that starts at 100 million
/// USD, halves every day and ends after 21 days. Prices are attoUSD per second, answers are wei.
contract PriceOracleDouble {
  UsdOracle public immutable usdOracle;
  uint256[5] public rentPrices;

  constructor(UsdOracle usdOracle_, uint256[5] memory rentPrices_) {
    usdOracle = usdOracle_;
    rentPrices = rentPrices_;
  }

  function price(string calldata name, uint256 expires, uint256 duration) external view returns (Price memory) {
    uint256 length = characterCount(name);
    if (length > 5) length = 5;
    if (length == 0) length = 1;
    return Price(_toWei(rentPrices[length - 1] * duration), _toWei(_premiumUsd(expires)));
  }

  function premium(string calldata, uint256 expires, uint256) external view returns (uint256) {
    return _toWei(_premiumUsd(expires));
  }

  function _premiumUsd(uint256 expires) private view returns (uint256) {
    uint256 released = expires + GRACE_PERIOD;
    return released > block.timestamp ? 0 : premiumAfter(block.timestamp - released);
  }

  function _toWei(uint256 attoUsd) private view returns (uint256) {
    return (attoUsd * 1e8) / uint256(usdOracle.latestAnswer());
  }
}
