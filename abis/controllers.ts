import { parseAbi } from "viem";

const owned = "event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)";

/**
 * Events of controllers 1 to 3 (2019, 2019, 2020): one `cost`. The argument `label` is a labelhash.
 * Source: npm @ensdomains/ens-archived-contracts, ethregistrar/ETHRegistrarController.
 */
export const controllerCostAbi = parseAbi([
  "event NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 cost, uint256 expires)",
  "event NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)",
  "event NewPriceOracle(address indexed oracle)",
  owned,
]);

/**
 * Events of controller 4 (2023, registers through the NameWrapper): `baseCost` and `premium` apart;
 * `cost` of its NameRenewed is the value sent, before the surplus is given back.
 * Source: ensdomains/ens-contracts, deployments/mainnet/ETHRegistrarController.json.
 */
export const controllerPremiumAbi = parseAbi([
  "event NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires)",
  "event NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)",
  owned,
]);

/**
 * Events of controller 5 (2025, unwrapped, with a referrer). Here `label` is the text and `labelhash` its hash.
 * Source: ensdomains/ens-contracts, contracts/ethregistrar/ETHRegistrarController.sol.
 */
export const controllerReferrerAbi = parseAbi([
  "event NameRegistered(string label, bytes32 indexed labelhash, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires, bytes32 referrer)",
  "event NameRenewed(string label, bytes32 indexed labelhash, uint256 cost, uint256 expires, bytes32 referrer)",
  owned,
]);

/** UniversalRegistrarRenewalWithReferrer (2025): renews through another controller and names who referred. */
export const renewalReferrerAbi = parseAbi([
  "event RenewalReferred(string label, bytes32 indexed labelHash, uint256 cost, uint256 duration, bytes32 referrer)",
]);

/** The price of `duration` seconds; asked at a past block to correct what controller 4 reports. */
export const rentPriceAbi = parseAbi([
  "struct Price { uint256 base; uint256 premium; }",
  "function rentPrice(string name, uint256 duration) view returns (Price price)",
]);
