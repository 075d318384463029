// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Owned} from "./Administered.sol";
import {
  NameReverser, Price, PriceOracle, Resolver, GRACE_PERIOD, childOf, characterCount
} from "./EnsInterfaces.sol";

interface BasenamesRegistrar {
  function baseNode() external view returns (bytes32);
  function nameExpires(uint256 id) external view returns (uint256);
  function isAvailable(uint256 id) external view returns (bool);
  function registerWithRecord(uint256 id, address owner, uint256 duration, address resolver, uint64 ttl)
    external
    returns (uint256);
  function renew(uint256 id, uint256 duration) external returns (uint256);
}

/// Double of the three controllers of Basenames, which say the exact price first, in ETHPaymentProcessed.
/// Left out: proofs for discounts (each account has one, once), names by signature, commitments (there are none).
contract BasenamesControllerDouble is Owned {
  struct RegisterRequest {
    string name;
    address owner;
    uint256 duration;
    address resolver;
    bytes[] data;
    bool reverseRecord;
  }

  BasenamesRegistrar public immutable base;
  PriceOracle public prices;
  NameReverser public immutable reverseRegistrar;
  uint256 public immutable MIN_REGISTRATION_DURATION;
  /// Where all reverse names are written; zero: to the resolver of the request, as the first two controllers do.
  address public immutable reverseResolver;
  address payable public immutable paymentReceiver;
  mapping(bytes32 => uint256) public discounts;
  mapping(address => bool) public discountedRegistrants;

  event ETHPaymentProcessed(address indexed payee, uint256 price);
  event NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 expires);
  event NameRenewed(string name, bytes32 indexed label, uint256 expires);
  event DiscountApplied(address indexed registrant, bytes32 indexed discountKey);
  event PriceOracleUpdated(address newPrices);

  error AlreadyRegisteredWithDiscount(address sender);
  error DurationTooShort(uint256 duration);
  error InactiveDiscount(bytes32 key);
  error InsufficientValue();
  error NameNotValid(string name);
  error ResolverRequiredWhenDataSupplied();
  error TransferFailed();

  modifier validRegistration(RegisterRequest calldata request) {
    if (request.data.length > 0 && request.resolver == address(0)) revert ResolverRequiredWhenDataSupplied();
    if (!valid(request.name)) revert NameNotValid(request.name);
    if (request.duration < MIN_REGISTRATION_DURATION) revert DurationTooShort(request.duration);
    _;
  }

  constructor(
    BasenamesRegistrar base_,
    PriceOracle prices_,
    NameReverser reverseRegistrar_,
    uint256 minDuration,
    address reverseResolver_,
    address payable paymentReceiver_
  ) {
    base = base_;
    prices = prices_;
    reverseRegistrar = reverseRegistrar_;
    MIN_REGISTRATION_DURATION = minDuration;
    reverseResolver = reverseResolver_;
    paymentReceiver = paymentReceiver_;
  }

  function setPriceOracle(PriceOracle prices_) external onlyOwner {
    prices = prices_;
    emit PriceOracleUpdated(address(prices_));
  }

  function setDiscount(bytes32 key, uint256 amount) external onlyOwner {
    discounts[key] = amount;
  }

  function valid(string memory name) public pure returns (bool) {
    return characterCount(name) >= 3;
  }

  function available(string memory name) external view returns (bool) {
    return valid(name) && base.isAvailable(uint256(keccak256(bytes(name))));
  }

  function rentPrice(string memory name, uint256 duration) public view returns (Price memory) {
    uint256 expires = base.nameExpires(uint256(keccak256(bytes(name))));
    return prices.price(name, expires == 0 ? 0 : expires + GRACE_PERIOD, duration);
  }

  function registerPrice(string memory name, uint256 duration) public view returns (uint256) {
    Price memory price = rentPrice(name, duration);
    return price.base + price.premium;
  }

  function discountedRegisterPrice(string memory name, uint256 duration, bytes32 key) public view returns (uint256) {
    uint256 price = registerPrice(name, duration);
    return price > discounts[key] ? price - discounts[key] : 0;
  }

  function register(RegisterRequest calldata request) external payable validRegistration(request) {
    uint256 price = registerPrice(request.name, request.duration);
    _takePayment(price);
    _register(request);
    _refund(price);
  }

  function discountedRegister(RegisterRequest calldata request, bytes32 discountKey, bytes calldata)
    external
    payable
    validRegistration(request)
  {
    if (discountedRegistrants[msg.sender]) revert AlreadyRegisteredWithDiscount(msg.sender);
    if (discounts[discountKey] == 0) revert InactiveDiscount(discountKey);
    uint256 price = discountedRegisterPrice(request.name, request.duration, discountKey);
    _takePayment(price);
    discountedRegistrants[msg.sender] = true;
    _register(request);
    _refund(price);
    emit DiscountApplied(msg.sender, discountKey);
  }

  /// A renewal costs the rent alone, also in the grace period.
  function renew(string calldata name, uint256 duration) external payable {
    bytes32 label = keccak256(bytes(name));
    uint256 price = rentPrice(name, duration).base;
    _takePayment(price);
    uint256 expires = base.renew(uint256(label), duration);
    _refund(price);
    emit NameRenewed(name, label, expires);
  }

  function withdrawETH() external {
    _pay(paymentReceiver, address(this).balance);
  }

  function _takePayment(uint256 price) private {
    if (msg.value < price) revert InsufficientValue();
    emit ETHPaymentProcessed(msg.sender, price);
  }

  function _register(RegisterRequest calldata request) private {
    bytes32 label = keccak256(bytes(request.name));
    uint256 expires =
      base.registerWithRecord(uint256(label), request.owner, request.duration, request.resolver, 0);
    if (request.data.length > 0) {
      Resolver(request.resolver).multicallWithNodeCheck(childOf(base.baseNode(), label), request.data);
    }
    if (request.reverseRecord) _setReverseName(request);
    emit NameRegistered(request.name, label, request.owner, expires);
  }

  function _setReverseName(RegisterRequest calldata request) private {
    address resolver = reverseResolver == address(0) ? request.resolver : reverseResolver;
    reverseRegistrar.setNameForAddr(msg.sender, msg.sender, resolver, string.concat(request.name, ".base.eth"));
  }

  function _refund(uint256 price) private {
    if (msg.value > price) _pay(payable(msg.sender), msg.value - price);
  }

  function _pay(address payable to, uint256 amount) private {
    (bool sent,) = to.call{value: amount}("");
    if (!sent) revert TransferFailed();
  }
}
