import { parseAbi } from "viem";

/* Functions that prices are read by. Only the API asks them, so they are not among `abis/`, which the index depends on. */

/** Multicall3's own. */
export const clockReads = parseAbi(["function getCurrentBlockTimestamp() view returns (uint256)"]);

/** Of controllers and registrars of ENSv1, and of the NameWrapper. */
export const sellerReads = parseAbi([
  "function prices() view returns (address)",
  "function controllers(address controller) view returns (bool)",
]);

/** Of the registrar of ENSv2, and of the contract that renews names of ENSv1 there. */
export const ensv2SellerReads = parseAbi(["function rentPriceOracle() view returns (address)"]);

/** Of the price oracles of ENSv1, Basenames and Lineanames; each has some of them. */
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

/** Of a price feed. */
export const feedReads = parseAbi(["function latestAnswer() view returns (int256)"]);

/** Of the price oracle of ENSv2. */
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
