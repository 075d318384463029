// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Registry, WrapperOfNames} from "./EnsInterfaces.sol";
import {RegistryV2, ownerAt} from "./EnsV2Interfaces.sol";
import {PublicResolver2025Double} from "./PublicResolver2025Double.sol";

interface NamesOfNodes {
  function names(bytes32 node) external view returns (bytes memory);
}

/// Double of PublicResolverV2: records by node as in ENSv1, written by the holder of the name in ENSv2. Only the wrapper
/// knows the name of a node, so that only names that were ever wrapped can be written.
contract PublicResolverV2Double is PublicResolver2025Double {
  RegistryV2 public immutable ROOT_REGISTRY;
  mapping(bytes32 => mapping(uint64 => mapping(string => bytes))) private datas;

  event DataChanged(bytes32 indexed node, string indexed indexedKey, string key, bytes indexed indexedData);

  constructor(Registry ens_, WrapperOfNames nameWrapper_, RegistryV2 rootRegistry)
    PublicResolver2025Double(ens_, nameWrapper_, address(0), address(0))
  {
    ROOT_REGISTRY = rootRegistry;
  }

  function setData(bytes32 node, string calldata key, bytes calldata value) external authorised(node) {
    datas[node][recordVersions[node]][key] = value;
    emit DataChanged(node, key, key, value);
  }

  function data(bytes32 node, string calldata key) external view returns (bytes memory) {
    return datas[node][recordVersions[node]][key];
  }

  function _isAuthorised(bytes32 node) internal view override returns (bool) {
    bytes memory name = NamesOfNodes(address(nameWrapper)).names(node);
    address owner = name.length == 0 ? address(0) : ownerAt(ROOT_REGISTRY, name, 0);
    if (owner == address(0)) return false;
    return owner == msg.sender || isApprovedForAll(owner, msg.sender) || isApprovedFor(owner, node, msg.sender);
  }
}
