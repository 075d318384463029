import { parseAbi } from "viem";

/** Functions for reading prices. Only the API calls them, so they are not in `abis/`, on which the index depends. */

/** Function of Multicall3 itself. */
export const clockReads = parseAbi(["function getCurrentBlockTimestamp() view returns (uint256)"]);

/** Functions of ENSv1 controllers and registrars, and of the NameWrapper. */
export const sellerReads = parseAbi([
  "function prices() view returns (address)",
  "function controllers(address controller) view returns (bool)",
]);

/** Functions of the ENSv2 registrar, and of the contract that renews ENSv1 names there. */
export const ensv2SellerReads = parseAbi(["function rentPriceOracle() view returns (address)"]);

/** Functions of the price oracles of ENSv1, Basenames and Lineanames. Each oracle has some of them. */
export const oracleReads = parseAbi([
  "function price1Letter() view returns (uint256)",
  "function price2Letter() view returns (uint256)",
  "function price3Letter() view returns (uint256)",
  "function price4Letter() view returns (uint256)",
  "function price5Letter() view returns (uint256)",
  "function price10Letter() view returns (uint256)",
  "function usdOracle() view returns (address)",
  "function startPremium() view returns (uint256)",
  "function endValue() view returns (uint256)",
  "function FIXED_PRICE_ETH() view returns (uint256)",
  "function premium(string name, uint256 expires, uint256 duration) view returns (uint256)",
]);

/** Functions of a price feed. */
export const feedReads = parseAbi(["function latestAnswer() view returns (int256)"]);

/** Functions of the ENSv2 price oracle. */
export const ensv2OracleReads = parseAbi([
  "struct DiscountPoint { uint64 duration; uint128 numer; }",
  "function getBaseRates() view returns (uint256[])",
  "function getDiscountPoints() view returns (DiscountPoint[])",
  "function DISCOUNT_DENOMINATOR() view returns (uint128)",
  "function PREMIUM_PRICE_INITIAL() view returns (uint256)",
  "function PREMIUM_HALVING_PERIOD() view returns (uint64)",
  "function PREMIUM_PERIOD() view returns (uint64)",
  "function getPaymentTokenRatio(address paymentToken) view returns (uint128 numer, uint128 denom)",
]);
