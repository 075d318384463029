// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Registry, WrapperOfNames} from "./EnsInterfaces.sol";

/// The records that the public resolvers from 2023 on share: texts announced with their value, versions, DNS zones.
/// Left out: the reverse claim of the constructor.
abstract contract ResolverRecords {
  uint256 internal constant COIN_TYPE_ETH = 60;

  struct Records {
    mapping(uint256 => bytes) addresses;
    mapping(string => string) texts;
    mapping(uint256 => bytes) abis;
    mapping(bytes4 => address) implementers;
    mapping(bytes32 => mapping(uint16 => bytes)) dnsRecords;
    mapping(bytes32 => uint16) dnsRecordCount;
    bytes contenthash;
    bytes zonehash;
    string name;
    bytes32 pubkeyX;
    bytes32 pubkeyY;
  }

  /// One run of DNS resource records of one name and type: the bytes [from, to) of the data.
  struct RecordSet {
    bytes name;
    uint16 resource;
    uint256 from;
    uint256 to;
    bool empty;
  }

  Registry internal immutable ens;
  WrapperOfNames internal immutable nameWrapper;
  address private immutable trustedController;
  address private immutable trustedReverseRegistrar;
  mapping(bytes32 => uint64) public recordVersions;
  mapping(bytes32 => mapping(uint64 => Records)) private versions;
  mapping(address => mapping(address => bool)) private operators;
  mapping(address => mapping(bytes32 => mapping(address => bool))) private delegates;

  event AddrChanged(bytes32 indexed node, address a);
  event AddressChanged(bytes32 indexed node, uint256 coinType, bytes newAddress);
  event TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value);
  event ContenthashChanged(bytes32 indexed node, bytes hash);
  event NameChanged(bytes32 indexed node, string name);
  event ABIChanged(bytes32 indexed node, uint256 indexed contentType);
  event PubkeyChanged(bytes32 indexed node, bytes32 x, bytes32 y);
  event InterfaceChanged(bytes32 indexed node, bytes4 indexed interfaceID, address implementer);
  event DNSRecordChanged(bytes32 indexed node, bytes name, uint16 resource, bytes record);
  event DNSRecordDeleted(bytes32 indexed node, bytes name, uint16 resource);
  event DNSZonehashChanged(bytes32 indexed node, bytes lastzonehash, bytes zonehash);
  event VersionChanged(bytes32 indexed node, uint64 newVersion);
  event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
  event Approved(address owner, bytes32 indexed node, address indexed delegate, bool indexed approved);

  modifier authorised(bytes32 node) {
    require(_isAuthorised(node));
    _;
  }

  constructor(Registry ens_, WrapperOfNames nameWrapper_, address controller, address reverseRegistrar) {
    ens = ens_;
    nameWrapper = nameWrapper_;
    trustedController = controller;
    trustedReverseRegistrar = reverseRegistrar;
  }

  // Who may write.

  function setApprovalForAll(address operator, bool approved) external {
    require(msg.sender != operator, "ERC1155: setting approval status for self");
    operators[msg.sender][operator] = approved;
    emit ApprovalForAll(msg.sender, operator, approved);
  }

  function isApprovedForAll(address account, address operator) public view returns (bool) {
    return operators[account][operator];
  }

  function approve(bytes32 node, address delegate, bool approved) external {
    require(msg.sender != delegate, "Setting delegate status for self");
    delegates[msg.sender][node][delegate] = approved;
    emit Approved(msg.sender, node, delegate, approved);
  }

  function isApprovedFor(address owner, bytes32 node, address delegate) public view returns (bool) {
    return delegates[owner][node][delegate];
  }

  // Several calls in one.

  function multicall(bytes[] calldata data) external returns (bytes[] memory) {
    return _callSelf(0, data);
  }

  function multicallWithNodeCheck(bytes32 nodehash, bytes[] calldata data) external returns (bytes[] memory) {
    return _callSelf(nodehash, data);
  }

  // Records.

  function clearRecords(bytes32 node) external authorised(node) {
    recordVersions[node]++;
    emit VersionChanged(node, recordVersions[node]);
  }

  function setAddr(bytes32 node, address a) external authorised(node) {
    _setAddr(node, COIN_TYPE_ETH, abi.encodePacked(a));
  }

  function setAddr(bytes32 node, uint256 coinType, bytes calldata a) external authorised(node) {
    _setAddr(node, coinType, a);
  }

  function addr(bytes32 node) external view returns (address payable) {
    return payable(address(bytes20(addr(node, COIN_TYPE_ETH))));
  }

  function addr(bytes32 node, uint256 coinType) public view virtual returns (bytes memory) {
    return _records(node).addresses[coinType];
  }

  function setText(bytes32 node, string calldata key, string calldata value) external authorised(node) {
    _records(node).texts[key] = value;
    emit TextChanged(node, key, key, value);
  }

  function text(bytes32 node, string calldata key) external view returns (string memory) {
    return _records(node).texts[key];
  }

  function setContenthash(bytes32 node, bytes calldata hash) external authorised(node) {
    _records(node).contenthash = hash;
    emit ContenthashChanged(node, hash);
  }

  function contenthash(bytes32 node) external view returns (bytes memory) {
    return _records(node).contenthash;
  }

  function setName(bytes32 node, string calldata newName) external authorised(node) {
    _records(node).name = newName;
    emit NameChanged(node, newName);
  }

  function name(bytes32 node) external view returns (string memory) {
    return _records(node).name;
  }

  function setABI(bytes32 node, uint256 contentType, bytes calldata data) external authorised(node) {
    require((contentType - 1) & contentType == 0);
    _records(node).abis[contentType] = data;
    emit ABIChanged(node, contentType);
  }

  function ABI(bytes32 node, uint256 contentTypes) external view returns (uint256, bytes memory) {
    Records storage records = _records(node);
    for (uint256 contentType = 1; contentType <= contentTypes; contentType <<= 1) {
      bool wanted = contentType & contentTypes != 0;
      if (wanted && records.abis[contentType].length > 0) return (contentType, records.abis[contentType]);
    }
    return (0, "");
  }

  function setPubkey(bytes32 node, bytes32 x, bytes32 y) external authorised(node) {
    (_records(node).pubkeyX, _records(node).pubkeyY) = (x, y);
    emit PubkeyChanged(node, x, y);
  }

  function pubkey(bytes32 node) external view returns (bytes32 x, bytes32 y) {
    return (_records(node).pubkeyX, _records(node).pubkeyY);
  }

  function setInterface(bytes32 node, bytes4 interfaceID, address implementer) external authorised(node) {
    _records(node).implementers[interfaceID] = implementer;
    emit InterfaceChanged(node, interfaceID, implementer);
  }

  /// The implementer on record, else the name's own address if the contract there says it supports the interface.
  function interfaceImplementer(bytes32 node, bytes4 interfaceID) external view returns (address) {
    address implementer = _records(node).implementers[interfaceID];
    if (implementer != address(0)) return implementer;
    address own = address(bytes20(addr(node, COIN_TYPE_ETH)));
    return _claimsSupport(own, 0x01ffc9a7) && _claimsSupport(own, interfaceID) ? own : address(0);
  }

  function setZonehash(bytes32 node, bytes calldata hash) external authorised(node) {
    bytes memory last = _records(node).zonehash;
    _records(node).zonehash = hash;
    emit DNSZonehashChanged(node, last, hash);
  }

  function zonehash(bytes32 node) external view returns (bytes memory) {
    return _records(node).zonehash;
  }

  /// Resource records in wire format; those of one name and type that follow each other become one set. A set whose
  /// first record has no data deletes.
  function setDNSRecords(bytes32 node, bytes calldata data) external authorised(node) {
    RecordSet memory set;
    for (uint256 at = 0; at < data.length;) {
      RecordSet memory record = _readRecord(data, at);
      bool sameSet = record.resource == set.resource && keccak256(record.name) == keccak256(set.name);
      if (!sameSet) {
        if (set.name.length > 0) _storeRecordSet(node, data, set);
        set = record;
      }
      set.to = record.to;
      at = record.to;
    }
    if (set.name.length > 0) _storeRecordSet(node, data, set);
  }

  function dnsRecord(bytes32 node, bytes32 nameHash, uint16 resource) external view returns (bytes memory) {
    return _records(node).dnsRecords[nameHash][resource];
  }

  function hasDNSRecords(bytes32 node, bytes32 nameHash) external view returns (bool) {
    return _records(node).dnsRecordCount[nameHash] != 0;
  }

  function supportsInterface(bytes4 id) public view virtual returns (bool) {
    return id == 0x01ffc9a7 || id == 0xac9650d8 || id == 0x2203ab56 || id == 0x3b3b57de || id == 0xf1cb7e06
      || id == 0xbc1c58d1 || id == 0xa8fa5682 || id == 0x5c98042b || id == 0x124a319c || id == 0x691f3431
      || id == 0xc8690233 || id == 0x59d1d43c || id == 0xd700ff33;
  }

  /// Reverts for an address that the coin type cannot have; the generations differ here.
  function _checkAddress(uint256 coinType, bytes memory a) internal pure virtual;

  function _setAddr(bytes32 node, uint256 coinType, bytes memory a) private {
    _checkAddress(coinType, a);
    emit AddressChanged(node, coinType, a);
    if (coinType == COIN_TYPE_ETH) emit AddrChanged(node, address(bytes20(a)));
    _records(node).addresses[coinType] = a;
  }

  function _records(bytes32 node) internal view returns (Records storage) {
    return versions[node][recordVersions[node]];
  }

  /// Who may write any node.
  function _isTrusted(address account) internal view virtual returns (bool) {
    return account == trustedController || account == trustedReverseRegistrar;
  }

  function _isAuthorised(bytes32 node) internal view virtual returns (bool) {
    if (_isTrusted(msg.sender)) return true;
    address owner = ens.owner(node);
    if (owner == address(nameWrapper)) owner = nameWrapper.ownerOf(uint256(node));
    return owner == msg.sender || isApprovedForAll(owner, msg.sender) || isApprovedFor(owner, node, msg.sender);
  }

  function _callSelf(bytes32 nodehash, bytes[] calldata data) private returns (bytes[] memory results) {
    results = new bytes[](data.length);
    for (uint256 i = 0; i < data.length; i++) {
      bool otherNode = nodehash != 0 && bytes32(data[i][4:36]) != nodehash;
      require(!otherNode, "multicall: All records must have a matching namehash");
      bool done;
      (done, results[i]) = address(this).delegatecall(data[i]);
      require(done);
    }
  }

  function _claimsSupport(address a, bytes4 interfaceID) private view returns (bool) {
    (bool done, bytes memory answer) = a.staticcall(abi.encodeWithSignature("supportsInterface(bytes4)", interfaceID));
    return done && answer.length >= 32 && answer[31] != 0;
  }

  function _storeRecordSet(bytes32 node, bytes calldata data, RecordSet memory set) private {
    Records storage records = _records(node);
    bytes32 nameHash = keccak256(set.name);
    bool had = records.dnsRecords[nameHash][set.resource].length > 0;
    if (set.empty) {
      if (had) records.dnsRecordCount[nameHash]--;
      delete records.dnsRecords[nameHash][set.resource];
      emit DNSRecordDeleted(node, set.name, set.resource);
      return;
    }
    if (!had) records.dnsRecordCount[nameHash]++;
    bytes memory record = data[set.from:set.to];
    records.dnsRecords[nameHash][set.resource] = record;
    emit DNSRecordChanged(node, set.name, set.resource, record);
  }

  /// Name, then type (2 bytes), class (2), time to live (4), data length (2), data.
  function _readRecord(bytes calldata data, uint256 from) private pure returns (RecordSet memory record) {
    uint256 at = from;
    while (uint8(data[at]) != 0) at += 1 + uint8(data[at]);
    at += 1;
    record.name = data[from:at];
    record.resource = uint16(bytes2(data[at:at + 2]));
    uint256 dataLength = uint16(bytes2(data[at + 8:at + 10]));
    record.empty = dataLength == 0;
    record.from = from;
    record.to = at + 10 + dataLength;
  }
}
