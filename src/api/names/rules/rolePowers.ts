import type { Action } from "./powers.ts";

/**
 * What roles in an ENSv2 registry let an account do with an entry. Each role has 4 bits; the role that may grant it is 128 bits
 * higher. Source: ensdomains/contracts-v2, src/registry/libraries/RegistryRolesLib.sol, src/registry/PermissionedRegistry.sol.
 */

export const ROLE_SET_SUBREGISTRY = 20n;

const REGISTRAR = 0n;
const UNREGISTER = 12n;
const RENEW = 16n;
const SET_RESOLVER = 24n;
const CAN_TRANSFER_ADMIN = 156n;
const ADMINS = 128n;

const hasRole = (roles: bigint, bit: bigint): boolean => ((roles >> bit) & 0xfn) !== 0n;

type EntryAt = { isExpired: boolean };

/** Actions that roles for one entry allow, until it expires. */
export const mayWithRoles = (roles: bigint, { isExpired }: EntryAt): Action[] =>
  isExpired
    ? []
    : [
        ...(hasRole(roles, SET_RESOLVER) ? (["set_resolver"] as const) : []),
        ...(hasRole(roles, ROLE_SET_SUBREGISTRY) ? (["set_subregistry"] as const) : []),
        ...(hasRole(roles, RENEW) ? (["renew"] as const) : []),
        ...(hasRole(roles, UNREGISTER) ? (["unregister"] as const) : []),
      ];

/** The same with the right to authorise others, which the holder's operators do not have. */
export const mayWithOwnRoles = (roles: bigint, at: EntryAt): Action[] => [
  ...mayWithRoles(roles, at),
  ...(!at.isExpired && roles >> ADMINS !== 0n ? (["grant_roles"] as const) : []),
];

/**
 * Actions of the token's holder. With a role for the whole registry, a token can be transferred after its expiry, too: `_update`
 * checks the role and the holder, but not the expiry.
 *
 * @param roles those that count: for the entry, unless it has expired, and for the whole registry
 */
export const mayAsHolder = (roles: bigint, at: EntryAt): Action[] => [
  ...(hasRole(roles, CAN_TRANSFER_ADMIN) ? (["transfer_token"] as const) : []),
  ...mayWithOwnRoles(roles, at),
];

/** Actions that roles for a whole registry allow. Renewing and registering remain possible after the expiry. */
export const mayWithRootRoles = (roles: bigint, at: EntryAt): Action[] => [
  ...mayWithOwnRoles(roles, at),
  ...(at.isExpired && hasRole(roles, RENEW) ? (["renew"] as const) : []),
  ...(at.isExpired && hasRole(roles, REGISTRAR) ? (["register"] as const) : []),
];
