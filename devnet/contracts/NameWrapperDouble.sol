// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Controlled} from "./Administered.sol";
import {Registry, Registrar, ETH_NODE, GRACE_PERIOD, childOf} from "./EnsInterfaces.sol";
import {
  FuseToken,
  CANNOT_UNWRAP,
  CANNOT_BURN_FUSES,
  CANNOT_TRANSFER,
  CANNOT_SET_RESOLVER,
  CANNOT_SET_TTL,
  CANNOT_CREATE_SUBDOMAIN,
  PARENT_CANNOT_CONTROL,
  IS_DOT_ETH,
  CAN_EXTEND_EXPIRY,
  PARENT_CONTROLLED_FUSES
} from "./FuseToken.sol";

interface UpgradedWrapper {
  function wrapFromUpgrade(
    bytes calldata name,
    address wrappedOwner,
    uint32 fuses,
    uint64 expiry,
    address approved,
    bytes calldata extraData
  ) external;
}

/// Double of the NameWrapper of 2023: the same calls, rules, reverts, logs and silences. The base node is that of `eth`, or
/// of `linea.eth` on Linea, whose functions have other names (wrapAnyLD for wrapETH2LD, and so on).
/// Left out: the metadata service (uri answers ""), recoverFunds, and the reverse claim of the constructor.
contract NameWrapperDouble is FuseToken, Controlled {
  bytes32 private constant ROOT_NODE = 0;
  uint32 private constant NOT_USER_SETTABLE = IS_DOT_ETH;

  string public constant name = "NameWrapper";
  Registry public immutable ens;
  Registrar public immutable registrar;
  /// Names directly below it have a registration.
  bytes32 public immutable baseNode;
  UpgradedWrapper public upgradeContract;
  /// The DNS-encoded name of each node that was ever wrapped.
  mapping(bytes32 => bytes) public names;

  event NameWrapped(bytes32 indexed node, bytes name, address owner, uint32 fuses, uint64 expiry);
  event NameUnwrapped(bytes32 indexed node, address owner);
  event FusesSet(bytes32 indexed node, uint32 fuses);
  event ExpiryExtended(bytes32 indexed node, uint64 expiry);

  error Unauthorised(bytes32 node, address addr);
  error IncompatibleParent();
  error IncorrectTokenType();
  error LabelMismatch(bytes32 labelHash, bytes32 expectedLabelhash);
  error LabelTooShort();
  error LabelTooLong(string label);
  error IncorrectTargetOwner(address owner);
  error CannotUpgrade();
  error NameIsNotWrapped();

  modifier onlyTokenOwner(bytes32 node) {
    if (!canModifyName(node, msg.sender)) revert Unauthorised(node, msg.sender);
    _;
  }

  modifier unlessBurnt(bytes32 node, uint32 fuses) {
    if (_current(node).fuses & fuses != 0) revert OperationProhibited(node);
    _;
  }

  constructor(Registry ens_, Registrar registrar_, bytes32 baseNode_, bytes memory baseName) {
    ens = ens_;
    registrar = registrar_;
    baseNode = baseNode_;
    _store(ROOT_NODE, address(0), PARENT_CANNOT_CONTROL | CANNOT_UNWRAP, type(uint64).max);
    _store(ETH_NODE, address(0), PARENT_CANNOT_CONTROL | CANNOT_UNWRAP, type(uint64).max);
    _store(baseNode_, address(0), PARENT_CANNOT_CONTROL | CANNOT_UNWRAP, type(uint64).max);
    names[ROOT_NODE] = hex"00";
    names[ETH_NODE] = hex"0365746800";
    names[baseNode_] = baseName;
  }

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x0e89341c || id == 0x150b7a02;
  }

  function uri(uint256) external pure returns (string memory) {
    return "";
  }

  function canModifyName(bytes32 node, address addr) public view returns (bool) {
    Held memory token = _current(node);
    return _isOwnerOrOperator(token.owner, addr) && !_isEthNameInGrace(token);
  }

  function canExtendSubnames(bytes32 node, address addr) public view returns (bool) {
    Held memory token = _current(node);
    bool allowed = _isOwnerOrOperator(token.owner, addr) || getApproved(uint256(node)) == addr;
    return allowed && !_isEthNameInGrace(token);
  }

  function allFusesBurned(bytes32 node, uint32 fuseMask) public view returns (bool) {
    return _current(node).fuses & fuseMask == fuseMask;
  }

  function isWrapped(bytes32 node) external view returns (bool) {
    bytes memory dnsName = names[node];
    if (dnsName.length == 0) return false;
    (bytes32 labelhash, uint256 next) = _readLabel(dnsName, 0);
    return isWrapped(_namehash(dnsName, next), labelhash);
  }

  function isWrapped(bytes32 parentNode, bytes32 labelhash) public view returns (bool) {
    if (parentNode != baseNode) return _isWrapped(childOf(parentNode, labelhash));
    // Of a .eth second-level name the real one asks the registrar only, whatever became of the token.
    try registrar.ownerOf(uint256(labelhash)) returns (address owner) {
      return owner == address(this);
    } catch {
      return false;
    }
  }

  // Wrapping: the name goes to this contract, a token goes to its owner.

  function wrapETH2LD(string calldata label, address wrappedOwner, uint16 ownerControlledFuses, address resolver)
    external
    returns (uint64 expiry)
  {
    uint256 tokenId = uint256(keccak256(bytes(label)));
    address registrant = registrar.ownerOf(tokenId);
    if (registrant != msg.sender && !registrar.isApprovedForAll(registrant, msg.sender)) {
      revert Unauthorised(childOf(baseNode, bytes32(tokenId)), msg.sender);
    }
    registrar.transferFrom(registrant, address(this), tokenId);
    return _wrapHeldEthName(label, wrappedOwner, ownerControlledFuses, resolver);
  }

  function onERC721Received(address, address, uint256 tokenId, bytes calldata data) external returns (bytes4) {
    if (msg.sender != address(registrar)) revert IncorrectTokenType();
    (string memory label, address owner, uint16 fuses, address resolver) =
      abi.decode(data, (string, address, uint16, address));
    bytes32 labelhash = keccak256(bytes(label));
    if (labelhash != bytes32(tokenId)) revert LabelMismatch(labelhash, bytes32(tokenId));
    _wrapHeldEthName(label, owner, fuses, resolver);
    return this.onERC721Received.selector;
  }

  function registerAndWrapETH2LD(
    string calldata label,
    address wrappedOwner,
    uint256 duration,
    address resolver,
    uint16 ownerControlledFuses
  ) external onlyController returns (uint256 registrarExpiry) {
    registrarExpiry = registrar.register(uint256(keccak256(bytes(label))), address(this), duration);
    _wrapEthName(label, wrappedOwner, ownerControlledFuses, uint64(registrarExpiry) + GRACE_PERIOD, resolver);
  }

  /// Extends the wrapped expiry with the registration, and says so in no event.
  function renew(uint256 tokenId, uint256 duration) external onlyController returns (uint256 expires) {
    expires = registrar.renew(tokenId, duration);
    bytes32 node = childOf(baseNode, bytes32(tokenId));
    try registrar.ownerOf(tokenId) returns (address owner) {
      if (owner != address(this) || ens.owner(node) != address(this)) return expires;
    } catch {
      return expires;
    }
    Held memory token = _stored(node);
    _checkBurnable(node, token.fuses);
    _store(node, token.owner, token.fuses, uint64(expires) + GRACE_PERIOD);
  }

  function wrap(bytes calldata dnsName, address wrappedOwner, address resolver) external {
    (bytes32 labelhash, uint256 next) = _readLabel(dnsName, 0);
    bytes32 parentNode = _namehash(dnsName, next);
    bytes32 node = childOf(parentNode, labelhash);
    names[node] = dnsName;
    if (parentNode == baseNode) revert IncompatibleParent();
    address owner = ens.owner(node);
    if (owner != msg.sender && !ens.isApprovedForAll(owner, msg.sender)) revert Unauthorised(node, msg.sender);
    if (resolver != address(0)) ens.setResolver(node, resolver);
    ens.setOwner(node, address(this));
    _wrap(node, dnsName, wrappedOwner, 0, 0);
  }

  function unwrapETH2LD(bytes32 labelhash, address registrant, address controller)
    external
    onlyTokenOwner(childOf(baseNode, labelhash))
  {
    if (registrant == address(this)) revert IncorrectTargetOwner(registrant);
    _unwrap(childOf(baseNode, labelhash), controller);
    registrar.safeTransferFrom(address(this), registrant, uint256(labelhash));
  }

  function unwrap(bytes32 parentNode, bytes32 labelhash, address controller)
    external
    onlyTokenOwner(childOf(parentNode, labelhash))
  {
    if (parentNode == baseNode) revert IncompatibleParent();
    if (controller == address(0) || controller == address(this)) revert IncorrectTargetOwner(controller);
    _unwrap(childOf(parentNode, labelhash), controller);
  }

  function setUpgradeContract(UpgradedWrapper upgraded) external onlyOwner {
    if (address(upgradeContract) != address(0)) _approveUpgrade(false);
    upgradeContract = upgraded;
    if (address(upgraded) != address(0)) _approveUpgrade(true);
  }

  /// Burns the token and hands its data on, without NameUnwrapped.
  function upgrade(bytes calldata dnsName, bytes calldata extraData) external {
    if (address(upgradeContract) == address(0)) revert CannotUpgrade();
    bytes32 node = _namehash(dnsName, 0);
    if (!canModifyName(node, msg.sender)) revert Unauthorised(node, msg.sender);
    Held memory token = _current(node);
    address approved = getApproved(uint256(node));
    _burn(node);
    upgradeContract.wrapFromUpgrade(dnsName, token.owner, token.fuses, token.expiry, approved, extraData);
  }

  // Fuses and expiry.

  function setFuses(bytes32 node, uint16 ownerControlledFuses)
    external
    onlyTokenOwner(node)
    unlessBurnt(node, CANNOT_BURN_FUSES)
    returns (uint32)
  {
    Held memory token = _current(node);
    _setFuses(node, token, token.fuses | ownerControlledFuses, token.expiry);
    return token.fuses;
  }

  function setChildFuses(bytes32 parentNode, bytes32 labelhash, uint32 fuses, uint64 expiry) external {
    bytes32 node = childOf(parentNode, labelhash);
    _checkSettable(node, fuses);
    Held memory token = _current(node);
    if (token.owner == address(0) || ens.owner(node) != address(this)) revert NameIsNotWrapped();
    bytes32 mustOwn = parentNode == ROOT_NODE ? node : parentNode;
    if (!canModifyName(mustOwn, msg.sender)) revert Unauthorised(mustOwn, msg.sender);
    expiry = _checkAgainstParent(parentNode, node, fuses, expiry);
    bool changes = token.fuses | fuses != token.fuses;
    if (changes && token.fuses & PARENT_CANNOT_CONTROL != 0) revert OperationProhibited(node);
    _setFuses(node, token, token.fuses | fuses, expiry);
  }

  function extendExpiry(bytes32 parentNode, bytes32 labelhash, uint64 expiry) external returns (uint64) {
    bytes32 node = childOf(parentNode, labelhash);
    if (!_isWrapped(node)) revert NameIsNotWrapped();
    bool asParent = canExtendSubnames(parentNode, msg.sender);
    if (!asParent && !canModifyName(node, msg.sender)) revert Unauthorised(node, msg.sender);
    Held memory token = _current(node);
    if (!asParent && token.fuses & CAN_EXTEND_EXPIRY == 0) revert OperationProhibited(node);
    expiry = _clamped(expiry, token.expiry, _current(parentNode).expiry);
    _checkBurnable(node, token.fuses);
    _store(node, token.owner, token.fuses, expiry);
    emit ExpiryExtended(node, expiry);
    return expiry;
  }

  // Subnames and registry records.

  function setSubnodeOwner(bytes32 parentNode, string calldata label, address owner, uint32 fuses, uint64 expiry)
    external
    onlyTokenOwner(parentNode)
    returns (bytes32 node)
  {
    bytes32 labelhash = keccak256(bytes(label));
    node = childOf(parentNode, labelhash);
    expiry = _prepareSubname(parentNode, node, label, fuses, expiry);
    if (_isWrapped(node)) return _updateSubname(node, owner, fuses, expiry);
    ens.setSubnodeOwner(parentNode, labelhash, address(this));
    _wrap(node, names[node], owner, fuses, expiry);
  }

  function setSubnodeRecord(
    bytes32 parentNode,
    string calldata label,
    address owner,
    address resolver,
    uint64 ttl,
    uint32 fuses,
    uint64 expiry
  ) external onlyTokenOwner(parentNode) returns (bytes32 node) {
    node = childOf(parentNode, keccak256(bytes(label)));
    expiry = _prepareSubname(parentNode, node, label, fuses, expiry);
    bool existing = _isWrapped(node);
    ens.setSubnodeRecord(parentNode, keccak256(bytes(label)), address(this), resolver, ttl);
    if (existing) return _updateSubname(node, owner, fuses, expiry);
    _wrap(node, names[node], owner, fuses, expiry);
  }

  function setRecord(bytes32 node, address owner, address resolver, uint64 ttl)
    external
    onlyTokenOwner(node)
    unlessBurnt(node, CANNOT_TRANSFER | CANNOT_SET_RESOLVER | CANNOT_SET_TTL)
  {
    ens.setRecord(node, address(this), resolver, ttl);
    if (owner != address(0)) return _transfer(ownerOf(uint256(node)), owner, node, 1, "");
    if (_current(node).fuses & IS_DOT_ETH != 0) revert IncorrectTargetOwner(owner);
    _unwrap(node, address(0));
  }

  function setResolver(bytes32 node, address resolver)
    external
    onlyTokenOwner(node)
    unlessBurnt(node, CANNOT_SET_RESOLVER)
  {
    ens.setResolver(node, resolver);
  }

  function setTTL(bytes32 node, uint64 ttl) external onlyTokenOwner(node) unlessBurnt(node, CANNOT_SET_TTL) {
    ens.setTTL(node, ttl);
  }

  /// A .eth name counts as expired here from the start of its grace period.
  function _checkTransferable(bytes32 node, Held memory token) internal view override {
    uint64 end = token.fuses & IS_DOT_ETH != 0 ? token.expiry - GRACE_PERIOD : token.expiry;
    if (end >= block.timestamp) {
      if (token.fuses & CANNOT_TRANSFER != 0) revert OperationProhibited(node);
    } else {
      require(token.fuses & PARENT_CANNOT_CONTROL == 0, "ERC1155: insufficient balance for transfer");
    }
  }

  function _wrapHeldEthName(string memory label, address wrappedOwner, uint16 fuses, address resolver)
    private
    returns (uint64 expiry)
  {
    uint256 tokenId = uint256(keccak256(bytes(label)));
    registrar.reclaim(tokenId, address(this));
    expiry = uint64(registrar.nameExpires(tokenId)) + GRACE_PERIOD;
    _wrapEthName(label, wrappedOwner, fuses, expiry, resolver);
  }

  function _wrapEthName(string memory label, address wrappedOwner, uint32 fuses, uint64 expiry, address resolver)
    private
  {
    bytes32 node = childOf(baseNode, keccak256(bytes(label)));
    names[node] = _dnsName(label, names[baseNode]);
    _wrap(node, names[node], wrappedOwner, fuses | PARENT_CANNOT_CONTROL | IS_DOT_ETH, expiry);
    if (resolver != address(0)) ens.setResolver(node, resolver);
  }

  /// A token left over from an earlier owner is burnt first and reported as unwrapped to the zero address.
  function _wrap(bytes32 node, bytes memory dnsName, address wrappedOwner, uint32 fuses, uint64 expiry) private {
    _checkBurnable(node, fuses);
    if (_stored(node).owner != address(0)) {
      _burn(node);
      emit NameUnwrapped(node, address(0));
    }
    _mint(node, wrappedOwner, fuses, expiry);
    emit NameWrapped(node, dnsName, wrappedOwner, fuses, expiry);
  }

  function _unwrap(bytes32 node, address owner) private {
    if (allFusesBurned(node, CANNOT_UNWRAP)) revert OperationProhibited(node);
    _burn(node);
    ens.setOwner(node, owner);
    emit NameUnwrapped(node, owner);
  }

  function _prepareSubname(bytes32 parentNode, bytes32 node, string calldata label, uint32 fuses, uint64 expiry)
    private
    returns (uint64)
  {
    _checkParentMayReplace(parentNode, node);
    _checkSettable(node, fuses);
    names[node] = _dnsName(label, names[parentNode]);
    return _checkAgainstParent(parentNode, node, fuses, expiry);
  }

  function _updateSubname(bytes32 node, address owner, uint32 fuses, uint64 expiry) private returns (bytes32) {
    Held memory token = _current(node);
    _setFuses(node, token, token.fuses | fuses, expiry);
    if (owner == address(0)) _unwrap(node, address(0));
    else _transfer(token.owner, owner, node, 1, "");
    return node;
  }

  function _setFuses(bytes32 node, Held memory token, uint32 fuses, uint64 expiry) private {
    _checkBurnable(node, fuses);
    _store(node, token.owner, fuses, expiry);
    emit FusesSet(node, fuses);
    if (expiry > token.expiry) emit ExpiryExtended(node, expiry);
  }

  /// An expired name that is gone from the wrapper or the registry is created again; any other must not be emancipated.
  function _checkParentMayReplace(bytes32 parentNode, bytes32 node) private view {
    Held memory token = _current(node);
    bool gone = token.owner == address(0) || ens.owner(node) == address(0);
    if (token.expiry < block.timestamp && gone) {
      if (_current(parentNode).fuses & CANNOT_CREATE_SUBDOMAIN != 0) revert OperationProhibited(node);
    } else if (token.fuses & PARENT_CANNOT_CONTROL != 0) {
      revert OperationProhibited(node);
    }
  }

  function _checkAgainstParent(bytes32 parentNode, bytes32 node, uint32 fuses, uint64 expiry)
    private
    view
    returns (uint64)
  {
    Held memory parent = _current(parentNode);
    bool burnsParentFuses = fuses & PARENT_CONTROLLED_FUSES != 0;
    if (burnsParentFuses && parent.fuses & CANNOT_UNWRAP == 0) revert OperationProhibited(node);
    return _clamped(expiry, _current(node).expiry, parent.expiry);
  }

  /// Fuses of the owner can burn only on a name that neither its parent controls nor its owner can unwrap.
  function _checkBurnable(bytes32 node, uint32 fuses) private pure {
    uint32 needed = PARENT_CANNOT_CONTROL | CANNOT_UNWRAP;
    if (fuses & ~PARENT_CONTROLLED_FUSES != 0 && fuses & needed != needed) revert OperationProhibited(node);
  }

  function _checkSettable(bytes32 node, uint32 fuses) private pure {
    if (fuses & NOT_USER_SETTABLE != 0) revert OperationProhibited(node);
  }

  function _clamped(uint64 expiry, uint64 oldExpiry, uint64 maxExpiry) private pure returns (uint64) {
    if (expiry > maxExpiry) expiry = maxExpiry;
    return expiry < oldExpiry ? oldExpiry : expiry;
  }

  function _isWrapped(bytes32 node) private view returns (bool) {
    return ownerOf(uint256(node)) != address(0) && ens.owner(node) == address(this);
  }

  function _isOwnerOrOperator(address owner, address addr) private view returns (bool) {
    return owner == addr || isApprovedForAll(owner, addr);
  }

  function _isEthNameInGrace(Held memory token) private view returns (bool) {
    return token.fuses & IS_DOT_ETH != 0 && token.expiry - GRACE_PERIOD < block.timestamp;
  }

  function _approveUpgrade(bool approved) private {
    registrar.setApprovalForAll(address(upgradeContract), approved);
    ens.setApprovalForAll(address(upgradeContract), approved);
  }

  function _dnsName(string memory label, bytes memory parentName) private pure returns (bytes memory) {
    uint256 length = bytes(label).length;
    if (length == 0) revert LabelTooShort();
    if (length > 255) revert LabelTooLong(label);
    return abi.encodePacked(uint8(length), label, parentName);
  }

  function _readLabel(bytes memory dnsName, uint256 at) private pure returns (bytes32 labelhash, uint256 next) {
    require(at < dnsName.length, "readLabel: Index out of bounds");
    uint256 length = uint8(dnsName[at]);
    next = at + 1 + length;
    if (length == 0) return (0, next);
    require(next <= dnsName.length);
    assembly ("memory-safe") {
      labelhash := keccak256(add(add(dnsName, 33), at), length)
    }
  }

  function _namehash(bytes memory dnsName, uint256 at) private pure returns (bytes32) {
    (bytes32 labelhash, uint256 next) = _readLabel(dnsName, at);
    if (labelhash != 0) return childOf(_namehash(dnsName, next), labelhash);
    require(at == dnsName.length - 1, "namehash: Junk at end of name");
    return 0;
  }
}
