// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Owned} from "./Administered.sol";
import {characterCount} from "./EnsInterfaces.sol";
import {
  PermissionedRegistryV2, RegistryV2, State, Status, labelId, ROLES_OF_AN_OWNER
} from "./EnsV2Interfaces.sol";
import {premiumAfter} from "./PremiumCurve.sol";

interface Stablecoin {
  function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// An ERC-20 token that anybody mints.
contract StablecoinDouble {
  string public name;
  string public symbol;
  uint8 public immutable decimals;
  mapping(address => uint256) public balanceOf;
  mapping(address => mapping(address => uint256)) public allowance;

  event Transfer(address indexed from, address indexed to, uint256 value);
  event Approval(address indexed owner, address indexed spender, uint256 value);

  error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed);
  error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed);

  constructor(string memory symbol_, uint8 decimals_) {
    (name, symbol, decimals) = (symbol_, symbol_, decimals_);
  }

  function mint(address to, uint256 value) external {
    balanceOf[to] += value;
    emit Transfer(address(0), to, value);
  }

  function approve(address spender, uint256 value) external returns (bool) {
    allowance[msg.sender][spender] = value;
    emit Approval(msg.sender, spender, value);
    return true;
  }

  function transferFrom(address from, address to, uint256 value) external returns (bool) {
    uint256 allowed = allowance[from][msg.sender];
    if (allowed < value) revert ERC20InsufficientAllowance(msg.sender, allowed, value);
    if (balanceOf[from] < value) revert ERC20InsufficientBalance(from, balanceOf[from], value);
    if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
    balanceOf[from] -= value;
    balanceOf[to] += value;
    emit Transfer(from, to, value);
    return true;
  }
}

/// A discount for durations of at least this many seconds: the price times the numerator over the common denominator.
struct DiscountPoint {
  uint64 duration;
  uint128 numer;
}

/// Double of the price oracle of ENSv2: rent by length in attoUSD a second, discounts for long durations, and the premium,
/// in units of a stablecoin, rounded up. Left out: roles, `convertUnits`.
contract RentPriceOracleDouble is Owned {
  struct Ratio {
    uint128 numer;
    uint128 denom;
  }

  uint128 public immutable DISCOUNT_DENOMINATOR;
  uint256 public constant PREMIUM_PRICE_INITIAL = 100_000_000e18;
  uint64 public constant PREMIUM_HALVING_PERIOD = 1 days;
  uint64 public constant PREMIUM_PERIOD = 21 days;

  uint256[] private baseRates;
  DiscountPoint[] private discountPoints;
  mapping(address => Ratio) private ratios;

  event PaymentTokenUpdated(address indexed paymentToken, uint128 numer, uint128 denom);

  error PaymentTokenNotSupported(address paymentToken);
  error NotValid(string label);

  constructor(uint256[] memory baseRates_, DiscountPoint[] memory discountPoints_, uint128 discountDenominator) {
    baseRates = baseRates_;
    for (uint256 i = 0; i < discountPoints_.length; i++) discountPoints.push(discountPoints_[i]);
    DISCOUNT_DENOMINATOR = discountDenominator;
  }

  /// What one attoUSD is in units of the token; a denominator of 0 turns the token off.
  function updatePaymentToken(address token, uint128 numer, uint128 denom) external onlyOwner {
    ratios[token] = Ratio(numer, denom);
    emit PaymentTokenUpdated(token, numer, denom);
  }

  function isPaymentToken(address token) external view returns (bool) {
    return ratios[token].denom > 0;
  }

  function getPaymentTokenRatio(address token) external view returns (uint128 numer, uint128 denom) {
    return (ratios[token].numer, ratios[token].denom);
  }

  function getBaseRates() external view returns (uint256[] memory) {
    return baseRates;
  }

  function getDiscountPoints() external view returns (DiscountPoint[] memory) {
    return discountPoints;
  }

  /// `released` is how long the name could be had already.
  function getRegisterPrice(string calldata label, uint64 released, uint64 duration, address token)
    external
    view
    returns (uint256 base, uint256 premium)
  {
    base = _rent(label, duration);
    uint256 premiumUsd = released < PREMIUM_PERIOD
      ? premiumAfter(released, PREMIUM_PRICE_INITIAL, PREMIUM_PRICE_INITIAL >> 21)
      : 0;
    premium = _toUnits(premiumUsd, token);
    base = _toUnits(base + premiumUsd, token) - premium;
  }

  function getRenewPrice(string calldata label, uint64, uint64 duration, address token)
    external
    view
    returns (uint256)
  {
    return _toUnits(_rent(label, duration), token);
  }

  function _rent(string calldata label, uint64 duration) private view returns (uint256 rent) {
    uint256 length = characterCount(label);
    if (length > baseRates.length) length = baseRates.length;
    if (length > 0) rent = _discounted(baseRates[length - 1] * duration, duration);
    if (rent == 0) revert NotValid(label);
  }

  function _discounted(uint256 rent, uint64 duration) private view returns (uint256) {
    uint128 numer = 0;
    for (uint256 i = 0; i < discountPoints.length; i++) {
      if (duration >= discountPoints[i].duration) numer = discountPoints[i].numer;
    }
    return numer == 0 ? rent : (rent * numer) / DISCOUNT_DENOMINATOR;
  }

  function _toUnits(uint256 attoUsd, address token) private view returns (uint256) {
    Ratio memory ratio = ratios[token];
    if (ratio.denom == 0) revert PaymentTokenNotSupported(token);
    return (attoUsd * ratio.numer + ratio.denom - 1) / ratio.denom;
  }
}

/// What sells time in the ETH registry for stablecoins.
abstract contract StablecoinRegistrar is Owned {
  uint64 public constant MIN_RENEW_DURATION = 1;

  PermissionedRegistryV2 public immutable ETH_REGISTRY;
  address public immutable BENEFICIARY;
  RentPriceOracleDouble public rentPriceOracle;

  event RentPriceOracleUpdated(RentPriceOracleDouble oracle);
  event NameRenewed(
    uint256 indexed tokenId,
    string label,
    uint64 duration,
    uint64 newExpiry,
    address paymentToken,
    bytes32 indexed referrer,
    uint256 amount
  );

  error NameNotRenewable(string label);
  error DurationTooShort(uint64 duration, uint64 minDuration);

  constructor(PermissionedRegistryV2 ethRegistry, address beneficiary, RentPriceOracleDouble oracle) {
    ETH_REGISTRY = ethRegistry;
    BENEFICIARY = beneficiary;
    _setOracle(oracle);
  }

  function setRentPriceOracle(RentPriceOracleDouble oracle) external onlyOwner {
    _setOracle(oracle);
  }

  function renew(string calldata label, uint64 duration, address paymentToken, bytes32 referrer) external {
    string[] memory labels = new string[](1);
    uint64[] memory durations = new uint64[](1);
    (labels[0], durations[0]) = (label, duration);
    _renewAll(labels, durations, paymentToken, referrer);
  }

  /// Several names, and one payment after all of them.
  function renewAll(string[] calldata labels, uint64[] calldata durations, address paymentToken, bytes32 referrer)
    external
  {
    _renewAll(labels, durations, paymentToken, referrer);
  }

  function isRenewable(string calldata label) external view returns (bool) {
    return _isRenewable(_stateOf(label));
  }

  function getRenewPrice(string memory label, uint64 duration, address paymentToken) public view returns (uint256) {
    return rentPriceOracle.getRenewPrice(label, _renewableState(label, duration).expiry, duration, paymentToken);
  }

  function _isRenewable(State memory state) internal view virtual returns (bool);

  function _afterRenewal(string memory label, uint64 duration) internal virtual {}

  function _afterPayment(string[] memory labels) internal virtual {}

  function _stateOf(string memory label) internal view returns (State memory) {
    return ETH_REGISTRY.getState(labelId(label));
  }

  function _pay(address paymentToken, uint256 amount) internal {
    require(Stablecoin(paymentToken).transferFrom(msg.sender, BENEFICIARY, amount), "not paid");
  }

  function _renewAll(string[] memory labels, uint64[] memory durations, address paymentToken, bytes32 referrer)
    private
  {
    uint256 total = 0;
    for (uint256 i = 0; i < labels.length; i++) {
      total += _renewOne(labels[i], durations[i], paymentToken, referrer);
    }
    _pay(paymentToken, total);
    _afterPayment(labels);
  }

  /// The time is added to the old expiry, also in grace.
  function _renewOne(string memory label, uint64 duration, address paymentToken, bytes32 referrer)
    private
    returns (uint256 amount)
  {
    State memory state = _renewableState(label, duration);
    amount = getRenewPrice(label, duration, paymentToken);
    ETH_REGISTRY.renew(state.tokenId, state.expiry + duration);
    _afterRenewal(label, duration);
    emit NameRenewed(state.tokenId, label, duration, state.expiry + duration, paymentToken, referrer, amount);
  }

  function _renewableState(string memory label, uint64 duration) private view returns (State memory state) {
    state = _stateOf(label);
    if (!_isRenewable(state)) revert NameNotRenewable(label);
    if (duration < MIN_RENEW_DURATION) revert DurationTooShort(duration, MIN_RENEW_DURATION);
  }

  function _setOracle(RentPriceOracleDouble oracle) private {
    rentPriceOracle = oracle;
    emit RentPriceOracleUpdated(oracle);
  }
}

/// Double of the registrar of .eth in ENSv2.
contract ETHRegistrarDouble is StablecoinRegistrar {
  uint64 public immutable GRACE_PERIOD;
  uint64 public immutable MIN_COMMITMENT_AGE;
  uint64 public immutable MAX_COMMITMENT_AGE;
  uint64 public immutable MIN_REGISTER_DURATION;
  mapping(bytes32 => uint64) public commitmentAt;

  event CommitmentMade(bytes32 commitment);
  event NameRegistered(
    uint256 indexed tokenId,
    string label,
    address owner,
    RegistryV2 subregistry,
    address resolver,
    uint64 duration,
    address paymentToken,
    bytes32 indexed referrer,
    uint256 base,
    uint256 premium
  );

  error CommitmentTooNew(bytes32 commitment, uint64 validFrom, uint64 blockTimestamp);
  error CommitmentTooOld(bytes32 commitment, uint64 validTo, uint64 blockTimestamp);
  error UnexpiredCommitmentExists(bytes32 commitment);
  error NameNotAvailable(string label);
  error InvalidOwner();

  constructor(
    PermissionedRegistryV2 ethRegistry,
    address beneficiary,
    RentPriceOracleDouble oracle,
    uint64 gracePeriod,
    uint64 minCommitmentAge,
    uint64 maxCommitmentAge,
    uint64 minRegisterDuration
  ) StablecoinRegistrar(ethRegistry, beneficiary, oracle) {
    GRACE_PERIOD = gracePeriod;
    MIN_COMMITMENT_AGE = minCommitmentAge;
    MAX_COMMITMENT_AGE = maxCommitmentAge;
    MIN_REGISTER_DURATION = minRegisterDuration;
  }

  function isAvailable(string calldata label) external view returns (bool) {
    return _isAvailable(_stateOf(label));
  }

  function getRemainingGracePeriod(string calldata label) external view returns (uint64) {
    State memory state = _stateOf(label);
    return _isHeldInGrace(state) ? GRACE_PERIOD - uint64(block.timestamp - state.expiry) : 0;
  }

  function getRegisterPrice(string memory label, uint64 duration, address paymentToken)
    public
    view
    returns (uint256 base, uint256 premium)
  {
    uint64 expiry = _availableState(label, duration).expiry;
    return rentPriceOracle.getRegisterPrice(label, _releasedFor(expiry), duration, paymentToken);
  }

  function makeCommitment(
    string calldata label,
    address owner,
    bytes32 secret,
    RegistryV2 subregistry,
    address resolver,
    uint64 duration,
    bytes32 referrer
  ) public pure returns (bytes32) {
    return keccak256(abi.encode(label, owner, secret, subregistry, resolver, duration, referrer));
  }

  function commit(bytes32 commitment) external {
    if (commitmentAt[commitment] + MAX_COMMITMENT_AGE > block.timestamp) revert UnexpiredCommitmentExists(commitment);
    commitmentAt[commitment] = uint64(block.timestamp);
    emit CommitmentMade(commitment);
  }

  function register(
    string calldata label,
    address owner,
    bytes32 secret,
    RegistryV2 subregistry,
    address resolver,
    uint64 duration,
    address paymentToken,
    bytes32 referrer
  ) external returns (uint256 tokenId) {
    if (owner == address(0)) revert InvalidOwner();
    _consume(makeCommitment(label, owner, secret, subregistry, resolver, duration, referrer));
    (uint256 base, uint256 premium) = getRegisterPrice(label, duration, paymentToken);
    _pay(paymentToken, base + premium);
    tokenId = ETH_REGISTRY.register(
      label, owner, subregistry, resolver, ROLES_OF_AN_OWNER, uint64(block.timestamp) + duration
    );
    emit NameRegistered(
      tokenId, label, owner, subregistry, resolver, duration, paymentToken, referrer, base, premium
    );
  }

  function _consume(bytes32 commitment) private {
    uint64 now_ = uint64(block.timestamp);
    uint64 from = commitmentAt[commitment] + MIN_COMMITMENT_AGE;
    uint64 to = commitmentAt[commitment] + MAX_COMMITMENT_AGE;
    if (now_ < from) revert CommitmentTooNew(commitment, from, now_);
    if (now_ >= to) revert CommitmentTooOld(commitment, to, now_);
    delete commitmentAt[commitment];
  }

  function _availableState(string memory label, uint64 duration) private view returns (State memory state) {
    state = _stateOf(label);
    if (!_isAvailable(state)) revert NameNotAvailable(label);
    if (duration < MIN_REGISTER_DURATION) revert DurationTooShort(duration, MIN_REGISTER_DURATION);
  }

  function _isAvailable(State memory state) private view returns (bool) {
    return state.status == Status.AVAILABLE && block.timestamp - state.expiry >= GRACE_PERIOD;
  }

  function _isRenewable(State memory state) internal view override returns (bool) {
    return state.status == Status.REGISTERED || _isHeldInGrace(state);
  }

  /// In grace only the last holder's name can be renewed: one that was given up, or was only reserved, cannot.
  function _isHeldInGrace(State memory state) private view returns (bool) {
    bool inGrace = state.status == Status.AVAILABLE && block.timestamp - state.expiry < GRACE_PERIOD;
    return inGrace && state.latestOwner != address(0);
  }

  /// A name that ENSv2 never saw carries no premium.
  function _releasedFor(uint64 expiry) private view returns (uint64) {
    return expiry == 0 ? uint64(block.timestamp) : uint64(block.timestamp) - expiry - GRACE_PERIOD;
  }
}

interface RegistrarOfV1 {
  function renew(uint256 id, uint256 duration) external returns (uint256);
  function addController(address controller) external;
  function removeController(address controller) external;
  function transferOwnership(address newOwner) external;
}

interface ControllerOfV1 {
  function renew(string calldata label, uint256 duration) external payable;
  function nameWrapper() external view returns (address);
}

/// Double of the contract that renews reserved names, in both systems at once. It owns ENSv1's registrar; the wrapper's
/// expiries follow through the controller of 2023, which is let in for this alone.
contract ETHRenewerV1Double is StablecoinRegistrar {
  uint64 private immutable gracePeriodOfV2;
  RegistrarOfV1 public immutable BASE_REGISTRAR;
  ControllerOfV1 public immutable WRAPPED_CONTROLLER;

  constructor(
    PermissionedRegistryV2 ethRegistry,
    address beneficiary,
    RentPriceOracleDouble oracle,
    uint64 gracePeriod,
    RegistrarOfV1 baseRegistrar,
    ControllerOfV1 wrappedController
  ) StablecoinRegistrar(ethRegistry, beneficiary, oracle) {
    gracePeriodOfV2 = gracePeriod;
    BASE_REGISTRAR = baseRegistrar;
    WRAPPED_CONTROLLER = wrappedController;
  }

  function transferRegistrarOwnership(address newOwner) external onlyOwner {
    BASE_REGISTRAR.transferOwnership(newOwner);
  }

  function _isRenewable(State memory state) internal view override returns (bool) {
    if (state.status == Status.RESERVED) return true;
    bool inGrace = state.status == Status.AVAILABLE && block.timestamp - state.expiry < gracePeriodOfV2;
    return inGrace && state.latestOwner == address(0);
  }

  function _afterRenewal(string memory label, uint64 duration) internal override {
    BASE_REGISTRAR.renew(labelId(label), duration);
  }

  function _afterPayment(string[] memory labels) internal override {
    address wrapper = WRAPPED_CONTROLLER.nameWrapper();
    BASE_REGISTRAR.addController(wrapper);
    for (uint256 i = 0; i < labels.length; i++) WRAPPED_CONTROLLER.renew(labels[i], 0);
    BASE_REGISTRAR.removeController(wrapper);
  }
}

/// Double of BatchRegistrar, which reserves the names of ENSv1, and extends reservations.
contract BatchRegistrarDouble is Owned {
  PermissionedRegistryV2 public immutable ETH_REGISTRY;

  error InputLengthMismatch();

  constructor(PermissionedRegistryV2 ethRegistry) {
    ETH_REGISTRY = ethRegistry;
  }

  function batchRegister(RegistryV2 registry, address resolver, string[] calldata labels, uint64[] calldata expires)
    external
    onlyOwner
  {
    if (labels.length != expires.length) revert InputLengthMismatch();
    for (uint256 i = 0; i < labels.length; i++) {
      State memory state = ETH_REGISTRY.getState(labelId(labels[i]));
      if (state.status == Status.AVAILABLE) {
        ETH_REGISTRY.register(labels[i], address(0), registry, resolver, 0, expires[i]);
      } else if (state.status == Status.RESERVED && expires[i] > state.expiry) {
        ETH_REGISTRY.renew(state.tokenId, expires[i]);
      }
    }
  }
}
