// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {AccessRoles} from "./AccessRoles.sol";
import {nodeOf, ROLE_CAN_NAME, ROLE_UPGRADE} from "./EnsV2Interfaces.sol";
import {withoutSelector} from "./OffchainLookup.sol";
import {Upgradeable} from "./Upgradeable.sol";

struct Grant {
  address account;
  uint256 roleBitmap;
}

/// Double of the resolver of ENSv2 that its owner deploys for himself. Records stand under a number; names are linked to
/// numbers, several to the same one if so wished. A name without a link has what the root's node is linked to.
/// One role (bit 0) lets write everything here. Left out: roles for single names, texts and coins (ResourceArgument).
contract PermissionedResolverDouble is AccessRoles, Upgradeable {
  uint256 public constant ROLE_WRITE = 1;
  uint256 private constant COIN_TYPE_ETH = 60;
  uint256 private constant COIN_TYPE_DEFAULT = 1 << 31;

  struct Record {
    mapping(uint256 => bytes) addresses;
    mapping(string => string) texts;
    mapping(string => bytes) datas;
    mapping(uint256 => bytes) abis;
    mapping(bytes4 => address) implementers;
    bytes contenthash;
    string name;
  }

  mapping(bytes32 => uint256) private links;
  mapping(uint256 => Record) private records;
  uint256 private recordCount;

  event ResolverCreated();
  event Linked(uint256 indexed recordId, bytes32 indexed node, bytes name);
  event AddressUpdated(uint256 indexed recordId, uint256 coinType, bytes addressBytes);
  event TextUpdated(uint256 indexed recordId, string indexed keyHash, string key, string value);
  event DataUpdated(uint256 indexed recordId, string indexed keyHash, string key, bytes value);
  event ContenthashUpdated(uint256 indexed recordId, bytes hash);
  event NameUpdated(uint256 indexed recordId, string primaryName);
  event ABIUpdated(uint256 indexed recordId, uint256 indexed contentType);
  event InterfaceUpdated(uint256 indexed recordId, bytes4 indexed interfaceId, address implementer);

  error InvalidRecord();
  error InvalidContentType(uint256 contentType);
  error InvalidEVMAddress(bytes addressBytes);
  error UnsupportedResolverProfile(bytes4 selector);

  constructor(address namer) {
    emit ResolverCreated();
    _grant(ROOT_RESOURCE, ROLE_CAN_NAME | (ROLE_CAN_NAME << 128), namer);
    _disableInitializers();
  }

  /// With the first records, which every deployer may write.
  function initialize(Grant[] calldata grants, bytes[] calldata calls) external initializer {
    emit ResolverCreated();
    for (uint256 i = 0; i < grants.length; i++) _grant(ROOT_RESOURCE, grants[i].roleBitmap, grants[i].account);
    for (uint256 i = 0; i < calls.length; i++) _write(calls[i]);
  }

  // Writing, by DNS-encoded name: the first record of a name gets the next number.

  function setAddress(bytes calldata, uint256, bytes calldata) external {
    _writeAsCaller();
  }

  function setText(bytes calldata, string calldata, string calldata) external {
    _writeAsCaller();
  }

  function setData(bytes calldata, string calldata, bytes calldata) external {
    _writeAsCaller();
  }

  function setContenthash(bytes calldata, bytes calldata) external {
    _writeAsCaller();
  }

  function setName(bytes calldata, string calldata) external {
    _writeAsCaller();
  }

  function setABI(bytes calldata, uint256, bytes calldata) external {
    _writeAsCaller();
  }

  function setInterface(bytes calldata, bytes4, address) external {
    _writeAsCaller();
  }

  /// To the records of another name.
  function linkToNode(bytes calldata, bytes32) external {
    _writeAsCaller();
  }

  /// To records by their number; 0 takes the link away.
  function linkToRecord(bytes calldata, uint256) external {
    _writeAsCaller();
  }

  function multicall(bytes[] calldata calls) external {
    _check(ROOT_RESOURCE, ROLE_WRITE, msg.sender);
    for (uint256 i = 0; i < calls.length; i++) _write(calls[i]);
  }

  // Reading.

  function getRecordId(bytes32 node) external view returns (uint256) {
    return links[node];
  }

  function getRecordCount() external view returns (uint256) {
    return recordCount;
  }

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x01ffc9a7 || id == 0x9061b923;
  }

  /// The node in `data` counts for nothing: the name says which records are meant.
  function resolve(bytes calldata name, bytes calldata data) external view returns (bytes memory) {
    uint256 recordId = links[nodeOf(name, 0)];
    if (recordId == 0) recordId = links[0];
    return _read(records[recordId], data);
  }

  function _read(Record storage record, bytes calldata data) private view returns (bytes memory) {
    bytes4 selector = bytes4(data);
    bytes calldata args = data[4:];
    if (selector == 0x3b3b57de) return abi.encode(address(bytes20(_addressOf(record, COIN_TYPE_ETH))));
    if (selector == 0xbc1c58d1) return abi.encode(record.contenthash);
    if (selector == 0x691f3431) return abi.encode(record.name);
    if (selector == 0xac9650d8) return _readAll(record, abi.decode(args, (bytes[])));
    if (selector == 0xf1cb7e06) {
      (, uint256 coinType) = abi.decode(args, (bytes32, uint256));
      return abi.encode(_addressOf(record, coinType));
    }
    if (selector == 0x59d1d43c) {
      (, string memory key) = abi.decode(args, (bytes32, string));
      return abi.encode(record.texts[key]);
    }
    if (selector == bytes4(keccak256("data(bytes32,string)"))) {
      (, string memory key) = abi.decode(args, (bytes32, string));
      return abi.encode(record.datas[key]);
    }
    if (selector == 0x2203ab56) return _abiOf(record, args);
    if (selector == 0x124a319c) {
      (, bytes4 interfaceId) = abi.decode(args, (bytes32, bytes4));
      return abi.encode(record.implementers[interfaceId]);
    }
    revert UnsupportedResolverProfile(selector);
  }

  function _readAll(Record storage record, bytes[] memory calls) private view returns (bytes memory) {
    bytes[] memory answers = new bytes[](calls.length);
    for (uint256 i = 0; i < calls.length; i++) answers[i] = this.readRecord(_numberOf(record), calls[i]);
    return abi.encode(answers);
  }

  /// For `multicall` alone, whose calls lie in memory.
  function readRecord(uint256 slot, bytes calldata data) external view returns (bytes memory) {
    Record storage record;
    assembly {
      record.slot := slot
    }
    return _read(record, data);
  }

  function _numberOf(Record storage record) private pure returns (uint256 slot) {
    assembly {
      slot := record.slot
    }
  }

  function _abiOf(Record storage record, bytes calldata args) private view returns (bytes memory) {
    (, uint256 contentTypes) = abi.decode(args, (bytes32, uint256));
    for (uint256 contentType = 1; contentType != 0 && contentType <= contentTypes; contentType <<= 1) {
      bool wanted = contentType & contentTypes != 0;
      if (wanted && record.abis[contentType].length > 0) return abi.encode(contentType, record.abis[contentType]);
    }
    return abi.encode(0, "");
  }

  /// The address of the default coin type stands in for that of any EVM chain.
  function _addressOf(Record storage record, uint256 coinType) private view returns (bytes memory found) {
    found = record.addresses[coinType];
    if (found.length == 0 && _isOfChain(coinType)) found = record.addresses[COIN_TYPE_DEFAULT];
  }

  function _writeAsCaller() private {
    _check(ROOT_RESOURCE, ROLE_WRITE, msg.sender);
    _write(msg.data);
  }

  function _write(bytes calldata call) private {
    bytes4 selector = bytes4(call);
    bytes memory args = withoutSelector(call);
    if (selector == this.linkToNode.selector) {
      (bytes memory name, bytes32 node) = abi.decode(args, (bytes, bytes32));
      _linkTo(name, links[node]);
    } else if (selector == this.linkToRecord.selector) {
      (bytes memory name, uint256 recordId) = abi.decode(args, (bytes, uint256));
      _linkTo(name, recordId);
    } else if (selector == this.setAddress.selector) {
      _writeAddress(args);
    } else if (selector == this.setText.selector) {
      (bytes memory name, string memory key, string memory value) = abi.decode(args, (bytes, string, string));
      uint256 recordId = _recordOf(name);
      records[recordId].texts[key] = value;
      emit TextUpdated(recordId, key, key, value);
    } else if (selector == this.setData.selector) {
      (bytes memory name, string memory key, bytes memory value) = abi.decode(args, (bytes, string, bytes));
      uint256 recordId = _recordOf(name);
      records[recordId].datas[key] = value;
      emit DataUpdated(recordId, key, key, value);
    } else if (selector == this.setContenthash.selector) {
      (bytes memory name, bytes memory hash) = abi.decode(args, (bytes, bytes));
      uint256 recordId = _recordOf(name);
      records[recordId].contenthash = hash;
      emit ContenthashUpdated(recordId, hash);
    } else if (selector == this.setName.selector) {
      (bytes memory name, string memory primaryName) = abi.decode(args, (bytes, string));
      uint256 recordId = _recordOf(name);
      records[recordId].name = primaryName;
      emit NameUpdated(recordId, primaryName);
    } else if (selector == this.setABI.selector) {
      (bytes memory name, uint256 contentType, bytes memory data) = abi.decode(args, (bytes, uint256, bytes));
      if (contentType == 0 || contentType & (contentType - 1) != 0) revert InvalidContentType(contentType);
      uint256 recordId = _recordOf(name);
      records[recordId].abis[contentType] = data;
      emit ABIUpdated(recordId, contentType);
    } else if (selector == this.setInterface.selector) {
      (bytes memory name, bytes4 interfaceId, address implementer) = abi.decode(args, (bytes, bytes4, address));
      uint256 recordId = _recordOf(name);
      records[recordId].implementers[interfaceId] = implementer;
      emit InterfaceUpdated(recordId, interfaceId, implementer);
    } else {
      revert UnsupportedResolverProfile(selector);
    }
  }

  function _writeAddress(bytes memory args) private {
    (bytes memory name, uint256 coinType, bytes memory value) = abi.decode(args, (bytes, uint256, bytes));
    bool evm = coinType == COIN_TYPE_DEFAULT || _isOfChain(coinType);
    if (evm && value.length != 0 && value.length != 20) revert InvalidEVMAddress(value);
    uint256 recordId = _recordOf(name);
    records[recordId].addresses[coinType] = value;
    emit AddressUpdated(recordId, coinType, value);
  }

  function _recordOf(bytes memory name) private returns (uint256 recordId) {
    recordId = links[nodeOf(name, 0)];
    if (recordId != 0) return recordId;
    recordId = ++recordCount;
    _linkTo(name, recordId);
  }

  function _linkTo(bytes memory name, uint256 recordId) private {
    if (recordId > recordCount) revert InvalidRecord();
    bytes32 node = nodeOf(name, 0);
    links[node] = recordId;
    emit Linked(recordId, node, name);
  }

  function _checkMayUpgrade() internal view override {
    _check(ROOT_RESOURCE, ROLE_UPGRADE, msg.sender);
  }

  function _isOfChain(uint256 coinType) private pure returns (bool) {
    return coinType == COIN_TYPE_ETH || (coinType > COIN_TYPE_DEFAULT && coinType < 2 * COIN_TYPE_DEFAULT);
  }
}
