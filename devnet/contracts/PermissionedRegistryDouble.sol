// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {AccessRoles} from "./AccessRoles.sol";
import {
  LabelStore,
  RegistryV2,
  State,
  Status,
  labelId,
  withCounter,
  ROLE_REGISTRAR,
  ROLE_REGISTER_RESERVED,
  ROLE_SET_PARENT,
  ROLE_UNREGISTER,
  ROLE_RENEW,
  ROLE_SET_SUBREGISTRY,
  ROLE_SET_RESOLVER,
  ROLE_CAN_TRANSFER_ADMIN,
  ROLE_WAS_RESERVED,
  ROLE_SET_URI,
  ROLE_UPGRADE
} from "./EnsV2Interfaces.sol";
import {SingleTokens} from "./SingleTokens.sol";

/// A registry of ENSv2: the labels directly below one place of the tree. Every function takes the labelhash, the number of
/// the token or the number of the roles for the same entry: they differ in the low 32 bits only.
abstract contract PermissionedRegistry is AccessRoles, SingleTokens {
  /// The holder of one of these for the root could take what others hold.
  uint256 private constant TOUCHES_TOKENS = (ROLE_UNREGISTER | ROLE_SET_SUBREGISTRY | ROLE_SET_RESOLVER | ROLE_UPGRADE)
    * (1 + (1 << 128)) | ROLE_CAN_TRANSFER_ADMIN;

  struct Entry {
    uint32 roleCounter;
    uint32 tokenCounter;
    RegistryV2 subregistry;
    uint64 expiry;
    address resolver;
  }

  LabelStore public immutable LABEL_STORE;
  mapping(uint256 => Entry) private entries;
  RegistryV2 private parentRegistry;
  string private childLabel;
  string private tokenUri;

  event RegistryCreated();
  event LabelRegistered(
    uint256 indexed tokenId,
    bytes32 indexed labelHash,
    string label,
    address owner,
    uint64 expiry,
    address indexed sender
  );
  event LabelReserved(
    uint256 indexed tokenId, bytes32 indexed labelHash, string label, uint64 expiry, address indexed sender
  );
  event LabelUnregistered(uint256 indexed tokenId, address indexed sender);
  event ExpiryUpdated(uint256 indexed tokenId, uint64 indexed newExpiry, address indexed sender);
  event SubregistryUpdated(uint256 indexed tokenId, RegistryV2 indexed subregistry, address indexed sender);
  event ResolverUpdated(uint256 indexed tokenId, address indexed resolver, address indexed sender);
  event TokenResource(uint256 indexed tokenId, uint256 indexed resource);
  event TokenRegenerated(uint256 indexed oldTokenId, uint256 indexed newTokenId);
  event ParentUpdated(RegistryV2 indexed parent, string label, address indexed sender);
  event URIUpdated(string uri, address renderer, address indexed sender);

  error LabelAlreadyRegistered(string label);
  error LabelAlreadyReserved(string label);
  error LabelExpired(uint256 tokenId);
  error CannotReduceExpiry(uint64 oldExpiry, uint64 newExpiry);
  error CannotSetPastExpiry(uint64 expiry);
  error TransferDisallowed(uint256 tokenId, address from);

  constructor(LabelStore labelStore) {
    LABEL_STORE = labelStore;
    emit RegistryCreated();
  }

  // What a walk asks, by label.

  function getSubregistry(string calldata label) public view returns (RegistryV2) {
    Entry storage entry = _entry(labelId(label));
    return _isExpired(entry) ? RegistryV2(address(0)) : entry.subregistry;
  }

  function getResolver(string calldata label) public view virtual returns (address) {
    Entry storage entry = _entry(labelId(label));
    return _isExpired(entry) ? address(0) : entry.resolver;
  }

  function getParent() public view returns (RegistryV2 parent, string memory label) {
    return (parentRegistry, childLabel);
  }

  function findOwner(string calldata label) external view returns (address) {
    return getOwner(labelId(label));
  }

  function findExpiry(string calldata label) external view returns (uint64) {
    return getExpiry(labelId(label));
  }

  function findTokenId(string calldata label) external view returns (uint256) {
    return getTokenId(labelId(label));
  }

  // One entry, by any of its numbers.

  function getExpiry(uint256 anyId) public view returns (uint64) {
    return _entry(anyId).expiry;
  }

  function getTokenId(uint256 anyId) public view returns (uint256) {
    return withCounter(anyId, _entry(anyId).tokenCounter);
  }

  function getResource(uint256 anyId) external view returns (uint256) {
    return _resourceOf(anyId);
  }

  function getOwner(uint256 anyId) public view returns (address) {
    return ownerOf(getTokenId(anyId));
  }

  function getStatus(uint256 anyId) public view returns (Status) {
    if (_isExpired(_entry(anyId))) return Status.AVAILABLE;
    return latestOwnerOf(getTokenId(anyId)) == address(0) ? Status.RESERVED : Status.REGISTERED;
  }

  function getState(uint256 anyId) external view returns (State memory) {
    uint256 tokenId = getTokenId(anyId);
    return State(getStatus(anyId), getExpiry(anyId), latestOwnerOf(tokenId), tokenId, _resourceOf(anyId));
  }

  /// The zero address once expired, or for the number of an earlier token.
  function ownerOf(uint256 tokenId) public view override returns (address) {
    bool current = tokenId == getTokenId(tokenId) && !_isExpired(_entry(tokenId));
    return current ? latestOwnerOf(tokenId) : address(0);
  }

  function uri(uint256) external view returns (string memory) {
    return tokenUri;
  }

  /// Whether no holder of root roles can touch what is registered here.
  function isEmancipated() public view returns (bool) {
    return _countsOf(ROOT_RESOURCE) & (TOUCHES_TOKENS * 15) == 0;
  }

  function supportsInterface(bytes4 id) external pure virtual returns (bool) {
    return id == 0x01ffc9a7 || id == 0xd9b67a26;
  }

  // Life of an entry.

  function register(
    string memory label,
    address owner,
    RegistryV2 registry,
    address resolver,
    uint256 roleBitmap,
    uint64 expiry
  ) public virtual returns (uint256) {
    bool promotes = !_isExpired(_entry(labelId(label)));
    _check(ROOT_RESOURCE, promotes ? ROLE_REGISTER_RESERVED : ROLE_REGISTRAR, msg.sender);
    return _register(label, owner, registry, resolver, roleBitmap, expiry);
  }

  function unregister(uint256 anyId) external {
    (uint256 tokenId, Entry storage entry) = _checkedEntry(anyId, ROLE_UNREGISTER);
    emit LabelUnregistered(tokenId, msg.sender);
    _endToken(tokenId, entry);
    entry.expiry = uint64(block.timestamp);
  }

  /// To a later time only; after expiry by holders of the root's role only.
  function renew(uint256 anyId, uint64 newExpiry) external {
    Entry storage entry = _entry(anyId);
    uint256 tokenId = getTokenId(anyId);
    if (_isExpired(entry)) {
      if (entry.expiry == 0 || !hasRootRoles(ROLE_RENEW, msg.sender)) revert LabelExpired(tokenId);
    } else {
      _checkOwnerRole(anyId, ROLE_RENEW);
    }
    if (newExpiry < entry.expiry) revert CannotReduceExpiry(entry.expiry, newExpiry);
    entry.expiry = newExpiry;
    emit ExpiryUpdated(tokenId, newExpiry, msg.sender);
  }

  function setSubregistry(uint256 anyId, RegistryV2 registry) external {
    (uint256 tokenId, Entry storage entry) = _checkedEntry(anyId, ROLE_SET_SUBREGISTRY);
    entry.subregistry = registry;
    emit SubregistryUpdated(tokenId, registry, msg.sender);
  }

  function setResolver(uint256 anyId, address resolver) external {
    (uint256 tokenId, Entry storage entry) = _checkedEntry(anyId, ROLE_SET_RESOLVER);
    entry.resolver = resolver;
    emit ResolverUpdated(tokenId, resolver, msg.sender);
  }

  function setParent(RegistryV2 parent, string memory label) external {
    _check(ROOT_RESOURCE, ROLE_SET_PARENT, msg.sender);
    _setParent(parent, label);
  }

  function setURI(string calldata newUri, address renderer) external {
    _check(ROOT_RESOURCE, ROLE_SET_URI, msg.sender);
    tokenUri = newUri;
    emit URIUpdated(newUri, renderer, msg.sender);
  }

  // Transfers by the holder where others have a say in the token.

  function unsafeTransfer(address to, uint256 tokenId, bytes calldata data) external {
    (uint256[] memory ids, uint256[] memory values) = _one(tokenId, 1);
    _transfer(msg.sender, to, ids, values);
    _askReceiver(msg.sender, to, tokenId, 1, data);
  }

  function unsafeBatchTransfer(address to, uint256[] calldata tokenIds, bytes calldata data) external {
    uint256[] memory values = new uint256[](tokenIds.length);
    for (uint256 i = 0; i < values.length; i++) values[i] = 1;
    _transfer(msg.sender, to, tokenIds, values);
    _askReceiverOfBatch(msg.sender, to, tokenIds, values, data);
  }

  /// Registers or, without an owner, reserves. Whatever the entry had before is gone; a zero is not announced.
  function _register(
    string memory label,
    address owner,
    RegistryV2 registry,
    address resolver,
    uint256 roleBitmap,
    uint64 expiry
  ) internal returns (uint256 tokenId) {
    LABEL_STORE.setLabel(label);
    Entry storage entry = _entry(labelId(label));
    tokenId = getTokenId(labelId(label));
    if (!_isExpired(entry)) {
      if (latestOwnerOf(tokenId) != address(0)) revert LabelAlreadyRegistered(label);
      if (owner == address(0)) revert LabelAlreadyReserved(label);
      if (expiry == 0) expiry = entry.expiry;
      roleBitmap |= ROLE_WAS_RESERVED;
    } else if (owner == address(0) && roleBitmap != 0) {
      revert EACCannotGrantRoles(ROOT_RESOURCE, roleBitmap, msg.sender);
    }
    // A reservation may lie in the past.
    if (owner == address(0) ? expiry == 0 : block.timestamp >= expiry) revert CannotSetPastExpiry(expiry);
    _endToken(tokenId, entry);
    tokenId = getTokenId(tokenId);
    (entry.expiry, entry.subregistry, entry.resolver) = (expiry, registry, resolver);
    if (owner == address(0)) emit LabelReserved(tokenId, bytes32(labelId(label)), label, expiry, msg.sender);
    else _giveToOwner(label, tokenId, owner, roleBitmap);
    if (address(registry) != address(0)) emit SubregistryUpdated(tokenId, registry, msg.sender);
    if (resolver != address(0)) emit ResolverUpdated(tokenId, resolver, msg.sender);
  }

  function _giveToOwner(string memory label, uint256 tokenId, address owner, uint256 roleBitmap) private {
    emit LabelRegistered(tokenId, bytes32(labelId(label)), label, owner, getExpiry(tokenId), msg.sender);
    _mint(owner, tokenId);
    uint256 resource = _resourceOf(tokenId);
    emit TokenResource(tokenId, resource);
    _grant(resource, roleBitmap, owner);
  }

  /// Burns a token that is held, with all roles for it.
  function _endToken(uint256 tokenId, Entry storage entry) private {
    address last = latestOwnerOf(tokenId);
    if (last == address(0)) return;
    _burn(last, tokenId);
    entry.roleCounter++;
    entry.tokenCounter++;
  }

  function _setParent(RegistryV2 parent, string memory label) internal {
    (parentRegistry, childLabel) = (parent, label);
    emit ParentUpdated(parent, label, msg.sender);
  }

  function _announceUri() internal {
    emit URIUpdated(tokenUri, address(0), msg.sender);
  }

  /// The number of the roles that count now: once expired it is the one that the next holder will have.
  function _resourceOf(uint256 anyId) internal view override returns (uint256) {
    if (anyId == ROOT_RESOURCE) return ROOT_RESOURCE;
    Entry storage entry = _entry(anyId);
    return withCounter(anyId, _isExpired(entry) ? entry.roleCounter + 1 : entry.roleCounter);
  }

  /// Rights to give roles away come with the token only.
  function _settable(uint256 resource, address account) internal view override returns (uint256) {
    return getOwner(resource) == address(0) ? 0 : _administered(resource, account) & type(uint128).max;
  }

  function _revokable(uint256 resource, address account) internal view override returns (uint256) {
    return getOwner(resource) == address(0) ? 0 : _administered(resource, account);
  }

  /// A token whose roles changed gets a new number, so that no buyer gets another than he saw.
  function _afterChange(uint256 resource) internal override {
    uint256 oldId = getTokenId(resource);
    address holder = latestOwnerOf(oldId);
    _burn(holder, oldId);
    _entry(resource).tokenCounter++;
    emit TokenRegenerated(oldId, getTokenId(resource));
    _mint(holder, getTokenId(resource));
  }

  function _afterTransfer(address from, address to, uint256[] memory ids, uint256[] memory values) internal override {
    for (uint256 i = 0; i < ids.length; i++) {
      uint256 resource = _resourceOf(ids[i]);
      if (!_holds(resource, ROLE_CAN_TRANSFER_ADMIN, from)) revert TransferDisallowed(ids[i], from);
      if (values[i] > 0) _handOver(resource, from, to);
    }
  }

  function _checkSafe(address from, uint256[] memory ids, uint256[] memory values) internal view override {
    for (uint256 i = 0; i < ids.length; i++) {
      uint256 resource = _resourceOf(ids[i]);
      bool shared = values[i] > 0 && _countsOf(resource) != _heldOf(resource, from);
      if (shared || !isEmancipated()) revert TransferDisallowed(ids[i], from);
    }
  }

  function _checkedEntry(uint256 anyId, uint256 role) private view returns (uint256 tokenId, Entry storage entry) {
    entry = _entry(anyId);
    tokenId = getTokenId(anyId);
    if (_isExpired(entry)) revert LabelExpired(tokenId);
    _checkOwnerRole(anyId, role);
  }

  /// An operator of the holder acts with the holder's roles.
  function _checkOwnerRole(uint256 anyId, uint256 role) private view {
    uint256 resource = _resourceOf(anyId);
    address holder = getOwner(anyId);
    bool asOperator = isApprovedForAll(holder, msg.sender) && _holds(resource, role, holder);
    if (!asOperator) _check(resource, role, msg.sender);
  }

  function _entry(uint256 anyId) private view returns (Entry storage) {
    return entries[withCounter(anyId, 0)];
  }

  /// At the very second of the expiry, too.
  function _isExpired(Entry storage entry) private view returns (bool) {
    return block.timestamp >= entry.expiry;
  }
}

/// Double of the registries that stand on their own: the root's and that of `.eth`.
contract PermissionedRegistryDouble is PermissionedRegistry {
  constructor(LabelStore labelStore, address rootAccount, uint256 roleBitmap) PermissionedRegistry(labelStore) {
    _grant(ROOT_RESOURCE, roleBitmap, rootAccount);
  }
}
