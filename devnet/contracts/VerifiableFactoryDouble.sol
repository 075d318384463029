// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {callAsOwn, readImplementation, storeImplementation} from "./Upgradeable.sol";

/// A proxy that tells its factory what stands behind it.
contract VerifiableProxy {
  address private immutable factory;

  event Upgraded(address indexed implementation);

  constructor(address implementation, bytes memory data) payable {
    factory = msg.sender;
    storeImplementation(implementation);
    emit Upgraded(implementation);
    if (data.length > 0) callAsOwn(implementation, data);
  }

  fallback() external payable {
    address implementation = readImplementation();
    bool asked = msg.sender == factory;
    assembly {
      if asked {
        mstore(0, implementation)
        return(0, 32)
      }
      calldatacopy(0, 0, calldatasize())
      let done := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      switch done
      case 0 { revert(0, returndatasize()) }
      default { return(0, returndatasize()) }
    }
  }
}

/// Double of VerifiableFactory: deploys proxies, and says of an address whether it is one of them. ProxyDeployed is the
/// last log: what the proxy says while it is prepared comes before it.
contract VerifiableFactoryDouble {
  mapping(address => bool) private deployed;

  event ProxyDeployed(
    address indexed sender, address indexed proxyAddress, uint256 salt, address implementation
  );

  error VerificationFailed();

  function deployProxy(address implementation, uint256 salt, bytes calldata data) external returns (address proxy) {
    bytes32 ownSalt = keccak256(abi.encode(msg.sender, salt));
    proxy = address(new VerifiableProxy{salt: ownSalt}(implementation, data));
    deployed[proxy] = true;
    emit ProxyDeployed(msg.sender, proxy, salt, implementation);
  }

  /// What stands behind the proxy now.
  function verifyContract(address proxy) external view returns (address implementation) {
    if (!deployed[proxy]) revert VerificationFailed();
    (, bytes memory answer) = proxy.staticcall("");
    return abi.decode(answer, (address));
  }
}
