// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Price, GRACE_PERIOD, characterCount} from "./EnsInterfaces.sol";

interface UsdOracle {
  function latestAnswer() external view returns (int256);
}

/// Double of the price oracle of 2022: rent by length, and after the grace period a premium that starts at 100 million
/// USD, halves every day and ends after 21 days. Prices are attoUSD per second, answers are wei.
contract PriceOracleDouble {
  uint256 private constant ONE = 1e18;
  uint256 private constant START_PREMIUM = 100_000_000e18;
  uint256 private constant END_PREMIUM = START_PREMIUM >> 21;

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
    if (released > block.timestamp) return 0;
    uint256 now_ = _halvedDaily(block.timestamp - released);
    return now_ >= END_PREMIUM ? now_ - END_PREMIUM : 0;
  }

  /// The start premium times one half to the number of days, the fraction of a day taken in steps of 1/65536.
  function _halvedDaily(uint256 elapsed) private pure returns (uint256 amount) {
    uint256 daysPast = (elapsed * ONE) / 1 days;
    amount = START_PREMIUM >> (daysPast / ONE);
    uint256 fraction = ((daysPast % ONE) * 65536) / ONE;
    uint64[16] memory roots = _rootsOfOneHalf();
    for (uint256 bit = 0; bit < 16; bit++) {
      if (fraction & (1 << bit) != 0) amount = (amount * roots[bit]) / ONE;
    }
  }

  /// One half to the power 2^bit / 65536, times 1e18.
  function _rootsOfOneHalf() private pure returns (uint64[16] memory) {
    return [
      999989423469314432,
      999978847050491904,
      999957694548431104,
      999915390886613504,
      999830788931929088,
      999661606496243712,
      999323327502650752,
      998647112890970240,
      997296056085470080,
      994599423483633152,
      989228013193975424,
      978572062087700096,
      957603280698573696,
      917004043204671232,
      840896415253714560,
      707106781186547584
    ];
  }

  function _toWei(uint256 attoUsd) private view returns (uint256) {
    return (attoUsd * 1e8) / uint256(usdOracle.latestAnswer());
  }
}
