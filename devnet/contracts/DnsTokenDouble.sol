// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Double of the contract by which 3DNS keeps names of the DNS: registry, registrar and token in one. The operator, who
/// stands for the issuers, registers, renews and burns; payments, locks, operators and roles are left out.
contract DnsTokenDouble {
  struct Record {
    address owner;
    uint32 controlBitmap;
    uint64 expiry;
    uint256 children;
    bytes32 parent;
  }

  uint64 private constant LONGEST = 10 * 31557600;

  address private immutable operator;
  address private primaryResolver;
  mapping(bytes32 => Record) private records;
  mapping(bytes32 => bool) public isTopLevel;

  event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
  event NewOwner(bytes32 indexed node, bytes32 indexed label, address owner);
  event RegistrationBurned(bytes32 indexed node, address indexed burner);
  event RegistrationCreated(
    bytes32 indexed node, bytes32 indexed tld, bytes fqdn, address registrant, uint32 controlBitmap, uint64 expiry
  );
  event RegistrationExtended(bytes32 indexed node, uint64 indexed duration, uint64 indexed newExpiry);
  event RegistrationIAMCleared(bytes32 indexed node);
  event RegistrationTransferred(bytes32 indexed node, address indexed newOwner, address indexed operator);
  event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
  event Transfer(bytes32 indexed node, address owner);
  event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);

  error Refused();

  modifier only(bool allowed) {
    if (!allowed) revert Refused();
    _;
  }

  constructor(address operator_) {
    operator = operator_;
  }

  /// The one resolver of all names. Nothing is logged.
  function setPrimaryResolver(address resolver_) external only(msg.sender == operator) {
    primaryResolver = resolver_;
  }

  /// `label` is the bare label, as 3DNS takes it.
  function registerTLD(bytes calldata label) external only(msg.sender == operator) {
    bytes32 node = _child(0, keccak256(label));
    if (isTopLevel[node]) revert Refused();
    isTopLevel[node] = true;
    records[node] = Record(address(this), 0, type(uint64).max, 0, 0);
    emit Transfer(address(0), address(this), uint256(node));
    emit TransferSingle(msg.sender, address(0), address(this), uint256(node), 1);
    emit NewOwner(0, keccak256(label), address(this));
    emit Transfer(node, address(this));
  }

  /// `label` is a label of the DNS right below a top-level name that was registered here.
  function create(bytes calldata label, bytes calldata tldLabel, address registrant, uint64 duration)
    external
    only(msg.sender == operator)
  {
    bytes32 tld = _child(0, keccak256(tldLabel));
    bytes32 node = _child(tld, keccak256(label));
    if (!isTopLevel[tld] || !_isAvailable(node) || registrant == address(0)) revert Refused();
    if (duration == 0 || duration > LONGEST || !_isHostLabel(label)) revert Refused();
    uint64 expiry = uint64(block.timestamp) + duration;
    if (records[node].owner == address(0)) records[tld].children++;
    records[node] = Record(registrant, 0, expiry, records[node].children, tld);
    emit Approval(registrant, address(0), uint256(node));
    emit RegistrationIAMCleared(node);
    bytes memory fqdn = abi.encodePacked(uint8(label.length), label, uint8(tldLabel.length), tldLabel, uint8(0));
    emit RegistrationCreated(node, tld, fqdn, registrant, 0, expiry);
    emit Transfer(address(0), registrant, uint256(node));
    emit TransferSingle(msg.sender, address(0), registrant, uint256(node), 1);
    emit NewOwner(tld, keccak256(label), registrant);
    emit Transfer(node, registrant);
  }

  function extend(bytes32 node, uint64 duration) external only(msg.sender == operator) {
    if (_isAvailable(node)) revert Refused();
    uint64 expiry = records[node].expiry + duration;
    if (duration == 0 || duration > LONGEST || expiry > block.timestamp + LONGEST) revert Refused();
    records[node].expiry = expiry;
    emit RegistrationExtended(node, duration, expiry);
  }

  /// By the owner, in the registry's words.
  function setOwner(bytes32 node, address newOwner) external only(owner(node) == msg.sender) {
    if (newOwner == address(0)) revert Refused();
    address from = records[node].owner;
    records[node].owner = newOwner;
    emit Approval(newOwner, address(0), uint256(node));
    emit RegistrationIAMCleared(node);
    emit RegistrationTransferred(node, newOwner, msg.sender);
    emit Transfer(from, newOwner, uint256(node));
    emit TransferSingle(msg.sender, from, newOwner, uint256(node), 1);
    emit Transfer(node, newOwner);
  }

  function burn(bytes32 node) external only(msg.sender == operator) {
    if (_isAvailable(node) || records[node].children > 0) revert Refused();
    address from = records[node].owner;
    records[records[node].parent].children--;
    delete records[node];
    emit RegistrationIAMCleared(node);
    emit RegistrationBurned(node, msg.sender);
    emit Transfer(from, address(0), uint256(node));
    emit TransferSingle(msg.sender, from, address(0), uint256(node), 1);
    emit Transfer(node, address(0));
  }

  /// At its expiry, to the second, a name still has its owner.
  function owner(bytes32 node) public view returns (address) {
    return records[node].expiry < block.timestamp ? address(0) : records[node].owner;
  }

  function ownerOf(uint256 id) external view returns (address) {
    return owner(bytes32(id));
  }

  function resolver(bytes32) external view returns (address) {
    return primaryResolver;
  }

  function recordExists(bytes32 node) external view returns (bool) {
    return !_isAvailable(node);
  }

  function tokenData(uint256 id) external view returns (address registrant, uint32 controlBitmap, uint64 expiration) {
    Record storage record = records[bytes32(id)];
    return (owner(bytes32(id)), record.controlBitmap, record.expiry);
  }

  function _isAvailable(bytes32 node) private view returns (bool) {
    return owner(node) == address(0);
  }

  function _isHostLabel(bytes calldata label) private pure returns (bool) {
    if (label.length == 0 || label.length > 63 || label[0] == "-" || label[label.length - 1] == "-") return false;
    for (uint256 i = 0; i < label.length; i++) {
      bytes1 one = label[i];
      if (one != "-" && (one < "0" || one > "9") && (one < "a" || one > "z")) return false;
    }
    return true;
  }

  function _child(bytes32 parent, bytes32 labelhash) private pure returns (bytes32) {
    return keccak256(abi.encodePacked(parent, labelhash));
  }
}
