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

const registeredWithoutPrice =
  "event NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 expires)";
const renewedWithoutPrice = "event NameRenewed(string name, bytes32 indexed label, uint256 expires)";
const paid = "event ETHPaymentProcessed(address indexed payee, uint256 price)";
const discounted = "event DiscountApplied(address indexed registrant, bytes32 indexed discountKey)";

/**
 * Events of the controllers of Basenames (2024 and 2025). The price comes first, in a log of its own: what was paid, a
 * discount taken off. DiscountApplied comes right after the registration.
 * Source: base/basenames, src/L2/{EARegistrarController,RegistrarController,UpgradeableRegistrarController}.sol.
 */
export const basenamesControllerAbi = parseAbi([
  registeredWithoutPrice,
  renewedWithoutPrice,
  paid,
  discounted,
  owned,
]);

const pohRegistered =
  "event PohNameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 expires)";
const ownerRegistered =
  "event OwnerNameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 expires)";
const pohRenewed = "event NameRenewedPoh(string name, bytes32 indexed label, uint256 expires)";

/**
 * Events of the controller of Lineanames (2024), which registers through the NameWrapper as controller 4 does. One name
 * is free for each proven person (PoH), and the contract's owner pays nothing; `cost` of NameRenewed is the value sent.
 * Source: Consensys/linea-ens, packages/linea-ens-contracts/contracts/ethregistrar/ETHRegistrarController.sol.
 */
export const lineanamesControllerAbi = parseAbi([
  "event NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires)",
  "event NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)",
  pohRegistered,
  ownerRegistered,
  pohRenewed,
  owned,
]);

/**
 * ShortNameAuctionController (2019), a controller of the registrar of 2019: the price was paid at OpenSea.
 * Source: ensdomains/ethregistrar, contracts/ShortNameAuctionController.sol.
 */
const auctioned = "event NameRegistered(string name, address owner)";

/** What a controller can log that a registrar or a NameWrapper took on after the deployment was written: any known shape. */
export const addedControllerAbi = parseAbi([
  "event NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 cost, uint256 expires)",
  "event NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires)",
  "event NameRegistered(string label, bytes32 indexed labelhash, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires, bytes32 referrer)",
  registeredWithoutPrice,
  auctioned,
  "event NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)",
  "event NameRenewed(string label, bytes32 indexed labelhash, uint256 cost, uint256 expires, bytes32 referrer)",
  renewedWithoutPrice,
  pohRegistered,
  ownerRegistered,
  pohRenewed,
  paid,
  discounted,
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
