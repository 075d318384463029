// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Owned} from "./Administered.sol";
import {
  Registry,
  Registrar,
  Resolver,
  Price,
  PriceOracle,
  NameReverser,
  DefaultNameReverser,
  ETH_NODE,
  childOf,
  characterCount
} from "./EnsInterfaces.sol";

/// Double of the controller of 2025 (generation 5), which registers names unwrapped and names a referrer.
/// With a resolver it registers to itself, sets the records and then hands the token to the owner.
/// It renews on the registrar alone: the NameWrapper's own expiry of a wrapped name stays behind.
contract ReferrerControllerDouble is Owned {
  struct Registration {
    string label;
    address owner;
    uint256 duration;
    bytes32 secret;
    address resolver;
    bytes[] data;
    uint8 reverseRecord;
    bytes32 referrer;
  }

  uint256 public constant MIN_REGISTRATION_DURATION = 28 days;
  uint8 private constant REVERSE_OF_ETHEREUM = 1;
  uint8 private constant REVERSE_BY_DEFAULT = 2;

  Registry public immutable ens;
  Registrar private immutable base;
  PriceOracle public immutable prices;
  uint256 public immutable minCommitmentAge;
  uint256 public immutable maxCommitmentAge;
  NameReverser public immutable reverseRegistrar;
  DefaultNameReverser public immutable defaultReverseRegistrar;
  mapping(bytes32 => uint256) public commitments;

  event NameRegistered(
    string label,
    bytes32 indexed labelhash,
    address indexed owner,
    uint256 baseCost,
    uint256 premium,
    uint256 expires,
    bytes32 referrer
  );
  event NameRenewed(string label, bytes32 indexed labelhash, uint256 cost, uint256 expires, bytes32 referrer);

  error CommitmentNotFound(bytes32 commitment);
  error CommitmentTooNew(bytes32 commitment, uint256 minimumCommitmentTimestamp, uint256 currentTimestamp);
  error CommitmentTooOld(bytes32 commitment, uint256 maximumCommitmentTimestamp, uint256 currentTimestamp);
  error NameNotAvailable(string name);
  error DurationTooShort(uint256 duration);
  error ResolverRequiredWhenDataSupplied();
  error ResolverRequiredForReverseRecord();
  error UnexpiredCommitmentExists(bytes32 commitment);
  error InsufficientValue();
  error MaxCommitmentAgeTooLow();
  error MaxCommitmentAgeTooHigh();

  constructor(
    Registrar base_,
    PriceOracle prices_,
    uint256 minCommitmentAge_,
    uint256 maxCommitmentAge_,
    NameReverser reverseRegistrar_,
    DefaultNameReverser defaultReverseRegistrar_,
    Registry ens_
  ) {
    if (maxCommitmentAge_ <= minCommitmentAge_) revert MaxCommitmentAgeTooLow();
    if (maxCommitmentAge_ > block.timestamp) revert MaxCommitmentAgeTooHigh();
    ens = ens_;
    base = base_;
    prices = prices_;
    minCommitmentAge = minCommitmentAge_;
    maxCommitmentAge = maxCommitmentAge_;
    reverseRegistrar = reverseRegistrar_;
    defaultReverseRegistrar = defaultReverseRegistrar_;
  }

  function rentPrice(string calldata label, uint256 duration) public view returns (Price memory) {
    return prices.price(label, base.nameExpires(uint256(keccak256(bytes(label)))), duration);
  }

  function valid(string calldata label) public pure returns (bool) {
    return characterCount(label) >= 3;
  }

  function available(string calldata label) public view returns (bool) {
    return valid(label) && base.available(uint256(keccak256(bytes(label))));
  }

  function makeCommitment(Registration calldata registration) public pure returns (bytes32) {
    bool resolverless = registration.resolver == address(0);
    if (registration.data.length > 0 && resolverless) revert ResolverRequiredWhenDataSupplied();
    if (registration.reverseRecord != 0 && resolverless) revert ResolverRequiredForReverseRecord();
    if (registration.duration < MIN_REGISTRATION_DURATION) revert DurationTooShort(registration.duration);
    return keccak256(abi.encode(registration));
  }

  function commit(bytes32 commitment) external {
    if (commitments[commitment] + maxCommitmentAge >= block.timestamp) revert UnexpiredCommitmentExists(commitment);
    commitments[commitment] = block.timestamp;
  }

  function register(Registration calldata registration) external payable {
    Price memory cost = rentPrice(registration.label, registration.duration);
    if (msg.value < cost.base + cost.premium) revert InsufficientValue();
    if (!available(registration.label)) revert NameNotAvailable(registration.label);
    _consume(makeCommitment(registration));
    bytes32 labelhash = keccak256(bytes(registration.label));
    uint256 expires = registration.resolver == address(0)
      ? base.register(uint256(labelhash), registration.owner, registration.duration)
      : _registerWithRecords(registration, labelhash);
    emit NameRegistered(
      registration.label,
      labelhash,
      registration.owner,
      cost.base,
      cost.premium,
      expires,
      registration.referrer
    );
    _refund(cost.base + cost.premium);
  }

  function renew(string calldata label, uint256 duration, bytes32 referrer) external payable {
    bytes32 labelhash = keccak256(bytes(label));
    Price memory cost = rentPrice(label, duration);
    if (msg.value < cost.base) revert InsufficientValue();
    uint256 expires = base.renew(uint256(labelhash), duration);
    emit NameRenewed(label, labelhash, cost.base, expires, referrer);
    _refund(cost.base);
  }

  function withdraw() external {
    payable(owner).transfer(address(this).balance);
  }

  function _registerWithRecords(Registration calldata registration, bytes32 labelhash)
    private
    returns (uint256 expires)
  {
    bytes32 node = childOf(ETH_NODE, labelhash);
    expires = base.register(uint256(labelhash), address(this), registration.duration);
    ens.setRecord(node, registration.owner, registration.resolver, 0);
    if (registration.data.length > 0) {
      Resolver(registration.resolver).multicallWithNodeCheck(node, registration.data);
    }
    base.transferFrom(address(this), registration.owner, uint256(labelhash));
    _setReverseNames(registration);
  }

  function _setReverseNames(Registration calldata registration) private {
    string memory name = string.concat(registration.label, ".eth");
    if (registration.reverseRecord & REVERSE_OF_ETHEREUM != 0) {
      reverseRegistrar.setNameForAddr(msg.sender, msg.sender, registration.resolver, name);
    }
    if (registration.reverseRecord & REVERSE_BY_DEFAULT != 0) {
      defaultReverseRegistrar.setNameForAddr(msg.sender, name);
    }
  }

  function _consume(bytes32 commitment) private {
    uint256 committedAt = commitments[commitment];
    uint256 earliest = committedAt + minCommitmentAge;
    if (earliest > block.timestamp) revert CommitmentTooNew(commitment, earliest, block.timestamp);
    uint256 latest = committedAt + maxCommitmentAge;
    if (latest <= block.timestamp) {
      if (committedAt == 0) revert CommitmentNotFound(commitment);
      revert CommitmentTooOld(commitment, latest, block.timestamp);
    }
    delete commitments[commitment];
  }

  function _refund(uint256 cost) private {
    if (msg.value > cost) payable(msg.sender).transfer(msg.value - cost);
  }
}
