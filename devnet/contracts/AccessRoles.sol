// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Who may do what, in 64 nibbles per resource and account: the low half are roles, the high half the right to give each
/// away. What is held for the root resource (0) holds for every resource. At most 15 accounts hold the same role.
abstract contract AccessRoles {
  uint256 public constant ROOT_RESOURCE = 0;
  uint256 private constant EVERY_ROLE = 0x1111111111111111111111111111111111111111111111111111111111111111;
  uint256 private constant ADMINS = EVERY_ROLE << 128;

  mapping(uint256 => mapping(address => uint256)) private held;
  /// One nibble per role: how many accounts hold it.
  mapping(uint256 => uint256) private counts;

  event EACRolesChanged(
    uint256 indexed resource, address indexed account, uint256 oldRoleBitmap, uint256 newRoleBitmap
  );

  error EACUnauthorizedAccountRoles(uint256 resource, uint256 roleBitmap, address account);
  error EACCannotGrantRoles(uint256 resource, uint256 roleBitmap, address account);
  error EACCannotRevokeRoles(uint256 resource, uint256 roleBitmap, address account);
  error EACRootResourceNotAllowed();
  error EACMaxAssignees(uint256 resource, uint256 role);
  error EACInvalidRoleBitmap(uint256 roleBitmap);
  error EACInvalidAccount();

  function roles(uint256 anyId, address account) public view returns (uint256) {
    return held[_resourceOf(anyId)][account];
  }

  function roleCount(uint256 anyId) public view returns (uint256) {
    return counts[_resourceOf(anyId)];
  }

  function hasRoles(uint256 anyId, uint256 roleBitmap, address account) public view returns (bool) {
    return _holds(_resourceOf(anyId), roleBitmap, account);
  }

  function hasRootRoles(uint256 roleBitmap, address account) public view returns (bool) {
    return _holds(ROOT_RESOURCE, roleBitmap, account);
  }

  function grantRoles(uint256 anyId, uint256 roleBitmap, address account) external returns (bool) {
    uint256 resource = _tokenResourceOf(anyId);
    if (roleBitmap & ~_settable(resource, msg.sender) != 0) {
      revert EACCannotGrantRoles(resource, roleBitmap, msg.sender);
    }
    bool changes = _grant(resource, roleBitmap, account);
    if (changes) _afterChange(resource);
    return changes;
  }

  function revokeRoles(uint256 anyId, uint256 roleBitmap, address account) external returns (bool) {
    uint256 resource = _tokenResourceOf(anyId);
    if (roleBitmap & ~_revokable(resource, msg.sender) != 0) {
      revert EACCannotRevokeRoles(resource, roleBitmap, msg.sender);
    }
    bool changes = _revoke(resource, roleBitmap, account);
    if (changes) _afterChange(resource);
    return changes;
  }

  function grantRootRoles(uint256 roleBitmap, address account) external returns (bool) {
    if (roleBitmap & ~_administered(ROOT_RESOURCE, msg.sender) != 0) {
      revert EACCannotGrantRoles(ROOT_RESOURCE, roleBitmap, msg.sender);
    }
    return _grant(ROOT_RESOURCE, roleBitmap, account);
  }

  function revokeRootRoles(uint256 roleBitmap, address account) external returns (bool) {
    if (roleBitmap & ~_administered(ROOT_RESOURCE, msg.sender) != 0) {
      revert EACCannotRevokeRoles(ROOT_RESOURCE, roleBitmap, msg.sender);
    }
    return _revoke(ROOT_RESOURCE, roleBitmap, account);
  }

  function _tokenResourceOf(uint256 anyId) private view returns (uint256 resource) {
    resource = _resourceOf(anyId);
    if (resource == ROOT_RESOURCE) revert EACRootResourceNotAllowed();
  }

  /// The resource that a number given by a caller stands for.
  function _resourceOf(uint256 anyId) internal view virtual returns (uint256) {
    return anyId;
  }

  /// What an account may give to others.
  function _settable(uint256 resource, address account) internal view virtual returns (uint256) {
    return _administered(resource, account);
  }

  /// What an account may take from others.
  function _revokable(uint256 resource, address account) internal view virtual returns (uint256) {
    return _administered(resource, account);
  }

  /// After a grant or a revocation that changed something outside the root resource.
  function _afterChange(uint256 resource) internal virtual {}

  /// What an account can use: what it holds for the resource and for the root.
  function _effective(uint256 resource, address account) internal view virtual returns (uint256) {
    return held[ROOT_RESOURCE][account] | held[resource][account];
  }

  function _administered(uint256 resource, address account) internal view returns (uint256) {
    uint256 admins = _effective(resource, account) & ADMINS;
    return admins | (admins >> 128);
  }

  function _holds(uint256 resource, uint256 roleBitmap, address account) internal view returns (bool) {
    return _effective(resource, account) & roleBitmap == roleBitmap;
  }

  function _check(uint256 resource, uint256 roleBitmap, address account) internal view {
    if (!_holds(resource, roleBitmap, account)) revert EACUnauthorizedAccountRoles(resource, roleBitmap, account);
  }

  function _heldOf(uint256 resource, address account) internal view returns (uint256) {
    return held[resource][account];
  }

  function _countsOf(uint256 resource) internal view returns (uint256) {
    return counts[resource];
  }

  function _grant(uint256 resource, uint256 roleBitmap, address account) internal returns (bool) {
    return _set(resource, account, held[resource][account] | _checked(roleBitmap));
  }

  function _revoke(uint256 resource, uint256 roleBitmap, address account) internal returns (bool) {
    return _set(resource, account, held[resource][account] & ~_checked(roleBitmap));
  }

  function _handOver(uint256 resource, address from, address to) internal {
    uint256 all = held[resource][from];
    _set(resource, from, 0);
    _set(resource, to, held[resource][to] | all);
  }

  function _checked(uint256 roleBitmap) private pure returns (uint256) {
    if (roleBitmap & ~EVERY_ROLE != 0) revert EACInvalidRoleBitmap(roleBitmap);
    return roleBitmap;
  }

  function _set(uint256 resource, address account, uint256 next) private returns (bool) {
    uint256 before = held[resource][account];
    if (before == next) return false;
    if (account == address(0)) revert EACInvalidAccount();
    held[resource][account] = next;
    uint256 added = next & ~before;
    uint256 full = counts[resource];
    full = full & (full >> 1) & (full >> 2) & (full >> 3) & added;
    if (full != 0) revert EACMaxAssignees(resource, full);
    counts[resource] = counts[resource] + added - (before & ~next);
    emit EACRolesChanged(resource, account, before, next);
    return true;
  }
}
