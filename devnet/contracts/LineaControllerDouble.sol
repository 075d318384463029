// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Owned} from "./Administered.sol";
import {
  NameReverser,
  Price,
  PriceOracle,
  Registrar,
  Resolver,
  WrapperOfNames,
  GRACE_PERIOD,
  childOf,
  characterCount
} from "./EnsInterfaces.sol";

/// Double of the controller of Lineanames, which registers names wrapped: for a price, for nothing to a proved person
/// (Poh), and for nothing by its owner. Its NameRenewed carries msg.value, not the price: what was sent too much is
/// refunded, but not deducted there.
/// Left out: the proof (the signer of the transaction counts as a person) and the reverse claim of the constructor.
contract LineaControllerDouble is Owned {
  uint256 public constant MIN_REGISTRATION_DURATION = 28 days;
  uint256 public constant POH_REGISTRATION_DURATION = 3 * 365 days;

  /// What every way of registering takes.
  struct Request {
    string name;
    address owner;
    uint256 duration;
    address resolver;
    bytes[] data;
    bool reverseRecord;
    uint16 fuses;
  }

  Registrar private immutable base;
  PriceOracle public immutable prices;
  uint256 public immutable minCommitmentAge;
  uint256 public immutable maxCommitmentAge;
  NameReverser public immutable reverseRegistrar;
  WrapperOfNames public immutable nameWrapper;
  bytes32 public immutable baseNode;
  mapping(bytes32 => uint256) public commitments;
  /// The addresses that have had their one free name.
  mapping(address => bool) public redeemed;

  event NameRegistered(
    string name, bytes32 indexed label, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires
  );
  event PohNameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 expires);
  event OwnerNameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 expires);
  event NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires);
  event NameRenewedPoh(string name, bytes32 indexed label, uint256 expires);

  error CommitmentTooNew(bytes32 commitment);
  error CommitmentTooOld(bytes32 commitment);
  error DurationTooShort(uint256 duration);
  error InsufficientValue();
  error NameNotAvailable(string name);
  error OwnerAlreadyRegistered(address owner);
  error RenewPOHNotStarted(uint256 currentTime, uint256 renewTimeStart);
  error ResolverRequiredWhenDataSupplied();
  error SenderNotOwner(address owner, address sender);
  error UnexpiredCommitmentExists(bytes32 commitment);
  error WrongPohRegistrationDuration(uint256 duration);

  constructor(
    Registrar base_,
    PriceOracle prices_,
    uint256 minCommitmentAge_,
    uint256 maxCommitmentAge_,
    NameReverser reverseRegistrar_,
    WrapperOfNames nameWrapper_,
    bytes32 baseNode_
  ) {
    base = base_;
    prices = prices_;
    minCommitmentAge = minCommitmentAge_;
    maxCommitmentAge = maxCommitmentAge_;
    reverseRegistrar = reverseRegistrar_;
    nameWrapper = nameWrapper_;
    baseNode = baseNode_;
  }

  function rentPrice(string memory name, uint256 duration) public view returns (Price memory) {
    return prices.price(name, base.nameExpires(uint256(keccak256(bytes(name)))), duration);
  }

  function available(string memory name) public view returns (bool) {
    return characterCount(name) >= 3 && base.available(uint256(keccak256(bytes(name))));
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
  ) external pure returns (bytes32) {
    return _commitment(Request(name, owner, duration, resolver, data, reverseRecord, ownerControlledFuses), secret);
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
    Request memory request = Request(name, owner, duration, resolver, data, reverseRecord, ownerControlledFuses);
    uint256 expires = _registerCommitted(request, secret);
    emit NameRegistered(name, keccak256(bytes(name)), owner, cost.base, cost.premium, expires);
    _refund(cost.base + cost.premium);
  }

  /// One free name of three years for each person.
  function registerPoh(
    string calldata name,
    address owner,
    uint256 duration,
    bytes32 secret,
    address resolver,
    bytes[] calldata data,
    bool reverseRecord,
    uint16 ownerControlledFuses,
    bytes memory
  ) external {
    if (msg.sender != owner) revert SenderNotOwner(owner, msg.sender);
    if (duration != POH_REGISTRATION_DURATION) revert WrongPohRegistrationDuration(duration);
    if (redeemed[owner]) revert OwnerAlreadyRegistered(owner);
    redeemed[owner] = true;
    Request memory request = Request(name, owner, duration, resolver, data, reverseRecord, ownerControlledFuses);
    uint256 expires = _registerCommitted(request, secret);
    emit PohNameRegistered(name, keccak256(bytes(name)), owner, expires);
  }

  /// Needs no commitment.
  function ownerRegister(
    string calldata name,
    address owner,
    uint256 duration,
    address resolver,
    bytes[] calldata data,
    uint16 ownerControlledFuses,
    bool reverseRecord
  ) external onlyOwner {
    uint256 expires =
      _register(Request(name, owner, duration, resolver, data, reverseRecord, ownerControlledFuses));
    emit OwnerNameRegistered(name, keccak256(bytes(name)), owner, expires);
  }

  function renew(string calldata name, uint256 duration) external payable {
    bytes32 label = keccak256(bytes(name));
    Price memory cost = rentPrice(name, duration);
    if (msg.value < cost.base) revert InsufficientValue();
    uint256 expires = nameWrapper.renew(uint256(label), duration);
    _refund(cost.base);
    emit NameRenewed(name, label, msg.value, expires);
  }

  /// From 90 days before the expiry on.
  function renewPoh(string calldata name, bytes memory) external {
    bytes32 label = keccak256(bytes(name));
    address owner = nameWrapper.ownerOf(uint256(childOf(baseNode, label)));
    if (msg.sender != owner) revert SenderNotOwner(owner, msg.sender);
    uint256 start = base.nameExpires(uint256(label)) - GRACE_PERIOD;
    if (block.timestamp < start) revert RenewPOHNotStarted(block.timestamp, start);
    uint256 expires = nameWrapper.renew(uint256(label), POH_REGISTRATION_DURATION);
    emit NameRenewedPoh(name, label, expires);
  }

  function withdraw() external {
    payable(owner).transfer(address(this).balance);
  }

  function _commitment(Request memory request, bytes32 secret) private pure returns (bytes32) {
    if (request.duration < MIN_REGISTRATION_DURATION) revert DurationTooShort(request.duration);
    if (request.data.length > 0 && request.resolver == address(0)) revert ResolverRequiredWhenDataSupplied();
    return keccak256(abi.encode(request, secret));
  }

  function _registerCommitted(Request memory request, bytes32 secret) private returns (uint256) {
    bytes32 commitment = _commitment(request, secret);
    if (commitments[commitment] + minCommitmentAge > block.timestamp) revert CommitmentTooNew(commitment);
    if (commitments[commitment] + maxCommitmentAge <= block.timestamp) revert CommitmentTooOld(commitment);
    if (!available(request.name)) revert NameNotAvailable(request.name);
    delete commitments[commitment];
    return _register(request);
  }

  function _register(Request memory request) private returns (uint256 expires) {
    expires = nameWrapper.registerAndWrapETH2LD(
      request.name, request.owner, request.duration, request.resolver, request.fuses
    );
    bytes32 node = childOf(baseNode, keccak256(bytes(request.name)));
    if (request.data.length > 0) Resolver(request.resolver).multicallWithNodeCheck(node, request.data);
    if (request.reverseRecord) {
      string memory fullName = string.concat(request.name, ".linea.eth");
      reverseRegistrar.setNameForAddr(msg.sender, msg.sender, request.resolver, fullName);
    }
  }

  function _refund(uint256 cost) private {
    if (msg.value > cost) payable(msg.sender).transfer(msg.value - cost);
  }
}
