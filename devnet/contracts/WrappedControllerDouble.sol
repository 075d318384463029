// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Owned} from "./Administered.sol";
import {
  Registrar, Resolver, Price, PriceOracle, NameReverser, WrapperOfNames, ETH_NODE, childOf, characterCount
} from "./EnsInterfaces.sol";

/// Double of the controller of 2023 (generation 4), which registers names wrapped.
/// Its NameRenewed carries msg.value, not the price: what was sent too much is refunded, but not deducted there.
/// Left out: recoverFunds and the reverse claim of the constructor.
contract WrappedControllerDouble is Owned {
  uint256 public constant MIN_REGISTRATION_DURATION = 28 days;

  Registrar private immutable base;
  PriceOracle public immutable prices;
  uint256 public immutable minCommitmentAge;
  uint256 public immutable maxCommitmentAge;
  NameReverser public immutable reverseRegistrar;
  WrapperOfNames public immutable nameWrapper;
  mapping(bytes32 => uint256) public commitments;

  event NameRegistered(
    string name, bytes32 indexed label, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires
  );
  event NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires);

  error CommitmentTooNew(bytes32 commitment);
  error CommitmentTooOld(bytes32 commitment);
  error NameNotAvailable(string name);
  error DurationTooShort(uint256 duration);
  error ResolverRequiredWhenDataSupplied();
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
    WrapperOfNames nameWrapper_
  ) {
    if (maxCommitmentAge_ <= minCommitmentAge_) revert MaxCommitmentAgeTooLow();
    if (maxCommitmentAge_ > block.timestamp) revert MaxCommitmentAgeTooHigh();
    base = base_;
    prices = prices_;
    minCommitmentAge = minCommitmentAge_;
    maxCommitmentAge = maxCommitmentAge_;
    reverseRegistrar = reverseRegistrar_;
    nameWrapper = nameWrapper_;
  }

  function rentPrice(string memory name, uint256 duration) public view returns (Price memory) {
    return prices.price(name, base.nameExpires(uint256(keccak256(bytes(name)))), duration);
  }

  function valid(string memory name) public pure returns (bool) {
    return characterCount(name) >= 3;
  }

  function available(string memory name) public view returns (bool) {
    return valid(name) && base.available(uint256(keccak256(bytes(name))));
  }

  function makeCommitment(
    string memory name,
    address owner,
    uint256 duration,
    bytes32 secret,
    address resolver,
    bytes[] calldata data,
    bool reverseRecord,
    uint16 ownerControlledFuses
  ) public pure returns (bytes32) {
    if (data.length > 0 && resolver == address(0)) revert ResolverRequiredWhenDataSupplied();
    bytes32 label = keccak256(bytes(name));
    return keccak256(
      abi.encode(label, owner, duration, secret, resolver, data, reverseRecord, ownerControlledFuses)
    );
  }

  function commit(bytes32 commitment) external {
    if (commitments[commitment] + maxCommitmentAge >= block.timestamp) revert UnexpiredCommitmentExists(commitment);
    commitments[commitment] = block.timestamp;
  }

  function register(
    string calldata name,
    address owner,
    uint256 duration,
    bytes32 secret,
    address resolver,
    bytes[] calldata data,
    bool reverseRecord,
    uint16 ownerControlledFuses
  ) external payable {
    Price memory cost = rentPrice(name, duration);
    if (msg.value < cost.base + cost.premium) revert InsufficientValue();
    _consume(
      name,
      duration,
      makeCommitment(name, owner, duration, secret, resolver, data, reverseRecord, ownerControlledFuses)
    );
    uint256 expires = nameWrapper.registerAndWrapETH2LD(name, owner, duration, resolver, ownerControlledFuses);
    bytes32 label = keccak256(bytes(name));
    if (data.length > 0) Resolver(resolver).multicallWithNodeCheck(childOf(ETH_NODE, label), data);
    if (reverseRecord) _setReverseName(resolver, name);
    emit NameRegistered(name, label, owner, cost.base, cost.premium, expires);
    _refund(cost.base + cost.premium);
  }

  function renew(string calldata name, uint256 duration) external payable {
    bytes32 label = keccak256(bytes(name));
    Price memory cost = rentPrice(name, duration);
    if (msg.value < cost.base) revert InsufficientValue();
    uint256 expires = nameWrapper.renew(uint256(label), duration);
    _refund(cost.base);
    emit NameRenewed(name, label, msg.value, expires);
  }

  function withdraw() external {
    payable(owner).transfer(address(this).balance);
  }

  function _consume(string memory name, uint256 duration, bytes32 commitment) private {
    uint256 committedAt = commitments[commitment];
    if (committedAt + minCommitmentAge > block.timestamp) revert CommitmentTooNew(commitment);
    if (committedAt + maxCommitmentAge <= block.timestamp) revert CommitmentTooOld(commitment);
    if (!available(name)) revert NameNotAvailable(name);
    delete commitments[commitment];
    if (duration < MIN_REGISTRATION_DURATION) revert DurationTooShort(duration);
  }

  function _setReverseName(address resolver, string calldata name) private {
    reverseRegistrar.setNameForAddr(msg.sender, msg.sender, resolver, string.concat(name, ".eth"));
  }

  function _refund(uint256 cost) private {
    if (msg.value > cost) payable(msg.sender).transfer(msg.value - cost);
  }
}
