// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import "./EnsInterfaces.sol";
import "./OffchainLookup.sol";

interface ResolverRegistry {
  function resolver(bytes32 node) external view returns (address);
}

interface DefaultNames {
  function nameForAddr(address addr) external view returns (string memory);
}

/// A double of the Universal Resolver: the interface, the errors and the batched look-ups of the real one, written for the
/// devnet from its published interface. Resolvers that take a multicall in one look-up (ENSIP-22) are not told apart:
/// every read is a call of its own. `gateways` get the batch in one look-up, as `query` of ENSIP-21.
contract UniversalResolverDouble {
  error ResolverNotFound(bytes name);
  error ResolverNotContract(bytes name, address resolver);
  error UnsupportedResolverProfile(bytes4 selector);
  error ResolverError(bytes errorData);
  error ReverseAddressMismatch(string primary, bytes primaryAddress);
  error DNSDecodingFailed(bytes dns);
  error DNSEncodingFailed(string ens);
  error EmptyAddress();
  error HttpError(uint16 status, string message);
  error InvalidBatchGatewayResponse();

  uint256 constant ETHER_COIN = 60;
  uint256 constant DEFAULT_COIN = 1 << 31;
  /// Enough for any read; a contract of before EIP-140 that burns it all leaves the others theirs.
  uint256 constant READ_GAS = 5_000_000;

  enum State {
    Pending,
    Answered,
    Failed,
    GatewayFailed
  }

  struct Read {
    bytes call;
    bytes data;
    State state;
  }

  struct Batch {
    bytes name;
    address resolver;
    bool extended;
    bool multi;
    Read[] reads;
    string[] gateways;
    // What a reverse resolution remembers between its two halves.
    bytes lookupAddress;
    uint256 coinType;
    string primary;
    address reverseResolver;
  }

  struct Request {
    address sender;
    string[] urls;
    bytes data;
  }

  ResolverRegistry public immutable registry;
  DefaultNames public immutable defaultNames;

  constructor(ResolverRegistry registry_, DefaultNames defaultNames_) {
    registry = registry_;
    defaultNames = defaultNames_;
  }

  function resolveWithGateways(bytes calldata name, bytes calldata data, string[] calldata gateways)
    external
    view
    returns (bytes memory result, address resolver)
  {
    Batch memory batch = prepare(name, data, gateways);
    run(batch, this.resolveCallback.selector);
    return finishResolve(batch);
  }

  function resolveCallback(bytes calldata response, bytes calldata extraData)
    external
    view
    returns (bytes memory result, address resolver)
  {
    return finishResolve(resume(response, extraData, this.resolveCallback.selector));
  }

  function finishResolve(Batch memory batch) internal pure returns (bytes memory, address) {
    return (answerOf(batch), batch.resolver);
  }

  /// The resolver of a name: its own, or that of the nearest ancestor that has one. `offset` is 0 for its own.
  function findResolver(bytes memory name)
    public
    view
    virtual
    returns (address resolver, bytes32 node, uint256 offset)
  {
    node = nodeAt(name, 0);
    while (true) {
      resolver = registry.resolver(nodeAt(name, offset));
      if (resolver != address(0) || name[offset] == 0) return (resolver, node, offset);
      offset += 1 + uint256(uint8(name[offset]));
    }
  }

  function reverseWithGateways(bytes calldata lookupAddress, uint256 coinType, string[] calldata gateways)
    external
    view
    returns (string memory primary, address resolver, address reverseResolver)
  {
    if (lookupAddress.length == 0) revert EmptyAddress();
    bytes memory name = reverseName(lookupAddress, coinType);
    Batch memory batch = prepare(name, abi.encodeWithSignature("name(bytes32)", nodeAt(name, 0)), gateways);
    batch.lookupAddress = lookupAddress;
    batch.coinType = coinType;
    run(batch, this.reverseNameCallback.selector);
    return finishName(batch);
  }

  function reverseNameCallback(bytes calldata response, bytes calldata extraData)
    external
    view
    returns (string memory primary, address resolver, address reverseResolver)
  {
    return finishName(resume(response, extraData, this.reverseNameCallback.selector));
  }

  /// The second half: the name has to resolve to the address.
  function finishName(Batch memory claim) internal view returns (string memory, address, address) {
    string memory primary = abi.decode(answerOf(claim), (string));
    if (bytes(primary).length == 0) return ("", address(0), claim.resolver);
    bytes memory name = encodeName(primary);
    bytes memory data = claim.coinType == ETHER_COIN
      ? abi.encodeWithSignature("addr(bytes32)", nodeAt(name, 0))
      : abi.encodeWithSignature("addr(bytes32,uint256)", nodeAt(name, 0), claim.coinType);
    Batch memory batch = prepare(name, data, claim.gateways);
    batch.lookupAddress = claim.lookupAddress;
    batch.coinType = claim.coinType;
    batch.primary = primary;
    batch.reverseResolver = claim.resolver;
    run(batch, this.reverseAddressCallback.selector);
    return finishAddress(batch);
  }

  function reverseAddressCallback(bytes calldata response, bytes calldata extraData)
    external
    view
    returns (string memory primary, address resolver, address reverseResolver)
  {
    return finishAddress(resume(response, extraData, this.reverseAddressCallback.selector));
  }

  function finishAddress(Batch memory batch) internal pure returns (string memory, address, address) {
    bytes memory answer = answerOf(batch);
    bytes memory found =
      batch.coinType == ETHER_COIN ? abi.encodePacked(abi.decode(answer, (address))) : abi.decode(answer, (bytes));
    if (keccak256(found) != keccak256(batch.lookupAddress)) revert ReverseAddressMismatch(batch.primary, found);
    return (batch.primary, batch.resolver, batch.reverseResolver);
  }

  function prepare(bytes memory name, bytes memory data, string[] memory gateways)
    internal
    view
    returns (Batch memory batch)
  {
    (address resolver,, uint256 offset) = findResolver(name);
    if (resolver == address(0)) revert ResolverNotFound(name);
    bool extended = isExtended(resolver);
    if (!extended && offset > 0) revert ResolverNotFound(name);
    if (resolver.code.length == 0) revert ResolverNotContract(name, resolver);
    batch.name = name;
    batch.resolver = resolver;
    batch.extended = extended;
    batch.multi = bytes4(data) == bytes4(keccak256("multicall(bytes[])"));
    batch.gateways = gateways;
    bytes[] memory calls = batch.multi ? abi.decode(withoutSelector(data), (bytes[])) : new bytes[](1);
    if (!batch.multi) calls[0] = data;
    batch.reads = new Read[](calls.length);
    for (uint256 i = 0; i < calls.length; i++) {
      batch.reads[i].call =
        extended ? abi.encodeWithSignature("resolve(bytes,bytes)", name, calls[i]) : calls[i];
    }
  }

  /// Makes every read once; those that look up off chain are asked for in one look-up.
  function run(Batch memory batch, bytes4 callback) internal view {
    for (uint256 i = 0; i < batch.reads.length; i++) {
      Read memory read = batch.reads[i];
      (bool done, bytes memory data) = batch.resolver.staticcall{gas: READ_GAS}(read.call);
      settle(read, done, data);
    }
    requestPending(batch, callback);
  }

  /// Gives each look-up's answer to the contract that asked for it.
  function resume(bytes calldata response, bytes calldata extraData, bytes4 callback)
    internal
    view
    returns (Batch memory batch)
  {
    (bool[] memory failures, bytes[] memory responses) = abi.decode(response, (bool[], bytes[]));
    batch = abi.decode(extraData, (Batch));
    if (failures.length != responses.length || responses.length != countPending(batch)) {
      revert InvalidBatchGatewayResponse();
    }
    uint256 next = 0;
    for (uint256 i = 0; i < batch.reads.length; i++) {
      Read memory read = batch.reads[i];
      if (read.state != State.Pending) continue;
      if (failures[next]) {
        read.state = State.GatewayFailed;
        read.data = responses[next];
      } else {
        Lookup memory lookup = decodeLookup(read.data);
        (bool done, bytes memory data) = lookup.sender.staticcall{gas: READ_GAS}(
          abi.encodeWithSelector(lookup.callbackFunction, responses[next], lookup.extraData)
        );
        settle(read, done, data);
      }
      next++;
    }
    requestPending(batch, callback);
  }

  function settle(Read memory read, bool done, bytes memory data) internal pure {
    read.data = data;
    if (done) read.state = State.Answered;
    else if (bytes4(data) != OffchainLookup.selector) read.state = State.Failed;
  }

  function countPending(Batch memory batch) internal pure returns (uint256 count) {
    for (uint256 i = 0; i < batch.reads.length; i++) {
      if (batch.reads[i].state == State.Pending) count++;
    }
  }

  function requestPending(Batch memory batch, bytes4 callback) internal view {
    uint256 count = countPending(batch);
    if (count == 0) return;
    Request[] memory requests = new Request[](count);
    uint256 next = 0;
    for (uint256 i = 0; i < batch.reads.length; i++) {
      if (batch.reads[i].state != State.Pending) continue;
      Lookup memory lookup = decodeLookup(batch.reads[i].data);
      requests[next++] = Request(lookup.sender, lookup.urls, lookup.callData);
    }
    bytes memory query = abi.encodeWithSignature("query((address,string[],bytes)[])", requests);
    revert OffchainLookup(address(this), batch.gateways, query, callback, abi.encode(batch));
  }

  /// What the caller gets: every answer or error of a multicall; of a single read the answer, or its error thrown.
  function answerOf(Batch memory batch) internal pure returns (bytes memory) {
    if (!batch.multi) return singleAnswer(batch, batch.reads[0]);
    bytes[] memory answers = new bytes[](batch.reads.length);
    for (uint256 i = 0; i < answers.length; i++) {
      Read memory read = batch.reads[i];
      if (read.state != State.Answered) answers[i] = padError(read.data);
      else if (read.data.length > 0) answers[i] = unwrap(batch, read.data);
    }
    return abi.encode(answers);
  }

  function singleAnswer(Batch memory batch, Read memory read) internal pure returns (bytes memory) {
    bytes memory data = read.data;
    if (read.state == State.GatewayFailed || bytes4(data) == UnsupportedResolverProfile.selector) {
      assembly {
        revert(add(data, 32), mload(data))
      }
    }
    if (data.length == 0) revert UnsupportedResolverProfile(bytes4(read.call));
    if (read.state == State.Failed) revert ResolverError(data);
    return unwrap(batch, data);
  }

  /// `resolve` of ENSIP-10 answers bytes that hold the answer.
  function unwrap(Batch memory batch, bytes memory data) internal pure returns (bytes memory) {
    return batch.extended ? abi.decode(data, (bytes)) : data;
  }

  /// Errors in a multicall have a length that no answer has: 4 more than a multiple of 32.
  function padError(bytes memory data) internal pure returns (bytes memory) {
    if (data.length == 0) return data;
    return abi.encodePacked(data, new bytes((36 - (data.length % 32)) % 32));
  }

  function isExtended(address resolver) internal view returns (bool) {
    (bool done, bytes memory data) = resolver.staticcall{gas: 30_000}(
      abi.encodeWithSignature("supportsInterface(bytes4)", bytes4(0x9061b923))
    );
    return done && data.length >= 32 && abi.decode(data, (uint256)) != 0;
  }

  function nodeAt(bytes memory name, uint256 offset) internal pure returns (bytes32) {
    if (offset >= name.length) revert DNSDecodingFailed(name);
    uint256 size = uint8(name[offset]);
    if (size == 0) {
      if (offset + 1 != name.length) revert DNSDecodingFailed(name);
      return bytes32(0);
    }
    if (offset + 1 + size >= name.length) revert DNSDecodingFailed(name);
    return childOf(nodeAt(name, offset + 1 + size), keccak256(slice(name, offset + 1, size)));
  }

  function encodeName(string memory name) internal pure returns (bytes memory encoded) {
    bytes memory text = bytes(name);
    uint256 start = 0;
    for (uint256 i = 0; i <= text.length; i++) {
      if (i < text.length && text[i] != ".") continue;
      uint256 size = i - start;
      if (size == 0 || size > 255) revert DNSEncodingFailed(name);
      encoded = abi.encodePacked(encoded, uint8(size), slice(text, start, size));
      start = i + 1;
    }
    return abi.encodePacked(encoded, uint8(0));
  }

  /// `<address hex>.addr.reverse`, or with the coin type in hex in place of `addr` (ENSIP-19).
  function reverseName(bytes memory lookupAddress, uint256 coinType) internal pure returns (bytes memory) {
    bytes memory space = coinType == ETHER_COIN ? bytes("addr") : bytes("default");
    if (coinType != ETHER_COIN && coinType != DEFAULT_COIN) space = shortHex(coinType);
    bytes memory label = toHex(lookupAddress);
    return abi.encodePacked(uint8(label.length), label, uint8(space.length), space, uint8(7), "reverse", uint8(0));
  }

  function shortHex(uint256 value) internal pure returns (bytes memory) {
    bytes memory digits = toHex(abi.encodePacked(value));
    uint256 start = 0;
    while (start < digits.length - 1 && digits[start] == "0") start++;
    return slice(digits, start, digits.length - start);
  }

  function toHex(bytes memory data) internal pure returns (bytes memory text) {
    bytes16 digits = "0123456789abcdef";
    text = new bytes(data.length * 2);
    for (uint256 i = 0; i < data.length; i++) {
      text[2 * i] = digits[uint8(data[i]) >> 4];
      text[2 * i + 1] = digits[uint8(data[i]) & 15];
    }
  }
}
