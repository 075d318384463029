// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Price, GRACE_PERIOD, characterCount} from "./EnsInterfaces.sol";
import {premiumAfter, exponential} from "./PremiumCurve.sol";

interface UsdOracle {
  function latestAnswer() external view returns (int256);
}

/// Double of the price oracle of 2022: rent by length, and after the grace period a premium that halves every day. That
/// of Ethereum starts at 100 million USD and ends after 21 days. Prices are attoUSD per second, answers are wei. Without
/// a start it has no premium.
contract PriceOracleDouble {
  UsdOracle public immutable usdOracle;
  uint256 public immutable price1Letter;
  uint256 public immutable price2Letter;
  uint256 public immutable price3Letter;
  uint256 public immutable price4Letter;
  uint256 public immutable price5Letter;
  uint256 private immutable startPremium;
  uint256 private immutable endValue;

  constructor(UsdOracle usdOracle_, uint256[5] memory rents, uint256 startPremium_, uint256 totalDays) {
    usdOracle = usdOracle_;
    price1Letter = rents[0];
    price2Letter = rents[1];
    price3Letter = rents[2];
    price4Letter = rents[3];
    price5Letter = rents[4];
    startPremium = startPremium_;
    endValue = startPremium_ >> totalDays;
  }

  function price(string calldata name, uint256 expires, uint256 duration) external view returns (Price memory) {
    return Price(_toWei(_rentPrice(characterCount(name)) * duration), _toWei(_premiumUsd(expires)));
  }

  function premium(string calldata, uint256 expires, uint256) external view returns (uint256) {
    return _toWei(_premiumUsd(expires));
  }

  function _rentPrice(uint256 length) private view returns (uint256) {
    if (length >= 5) return price5Letter;
    if (length == 4) return price4Letter;
    if (length == 3) return price3Letter;
    return length == 2 ? price2Letter : price1Letter;
  }

  function _premiumUsd(uint256 expires) private view returns (uint256) {
    uint256 released = expires + GRACE_PERIOD;
    return released > block.timestamp ? 0 : premiumAfter(block.timestamp - released, startPremium, endValue);
  }

  function _toWei(uint256 attoUsd) private view returns (uint256) {
    return (attoUsd * 1e8) / uint256(usdOracle.latestAnswer());
  }
}

/// Double of the price oracle of Basenames. All is wei, and labels of ten characters have a rent of their own. The
/// premium halves every day; its caller says when the name was released.
contract BasenamesPriceOracleDouble {
  uint256 public immutable price1Letter;
  uint256 public immutable price2Letter;
  uint256 public immutable price3Letter;
  uint256 public immutable price4Letter;
  uint256 public immutable price5Letter;
  uint256 public immutable price10Letter;
  uint256 public immutable startPremium;
  uint256 public immutable endValue;

  constructor(uint256[6] memory rents, uint256 startPremium_, uint256 totalDays) {
    price1Letter = rents[0];
    price2Letter = rents[1];
    price3Letter = rents[2];
    price4Letter = rents[3];
    price5Letter = rents[4];
    price10Letter = rents[5];
    startPremium = startPremium_;
    endValue = startPremium_ >> totalDays;
  }

  function price(string calldata name, uint256 released, uint256 duration) external view returns (Price memory) {
    return Price(_rentPrice(characterCount(name)) * duration, _premium(released));
  }

  function premium(string calldata, uint256 released, uint256) external view returns (uint256) {
    return _premium(released);
  }

  function decayedPremium(uint256 elapsed) public view returns (uint256) {
    int256 power = (-693147180559945310 * int256((elapsed * 1e18) / 1 days)) / 1e18;
    return power <= -41446531673892822313 ? 0 : (startPremium * exponential(power)) / 1e18;
  }

  function _rentPrice(uint256 length) private view returns (uint256) {
    if (length >= 10) return price10Letter;
    if (length >= 5) return price5Letter;
    if (length == 4) return price4Letter;
    if (length == 3) return price3Letter;
    return length == 2 ? price2Letter : price1Letter;
  }

  function _premium(uint256 released) private view returns (uint256) {
    if (released > block.timestamp) return 0;
    uint256 decayed = decayedPremium(block.timestamp - released);
    return decayed > endValue ? decayed - endValue : 0;
  }
}

/// Double of the price oracle of Lineanames, which sells nothing by price: names are free for proved persons.
contract FixedPriceOracleDouble {
  uint256 public constant FIXED_PRICE_ETH = 1_000_000 ether;

  function price(string calldata, uint256, uint256) external pure returns (Price memory) {
    return Price(FIXED_PRICE_ETH, 0);
  }
}
