import type { Action } from "./powers.ts";

/*
 * What roles in a registry of ENSv2 let an account do with an entry. 4 bits each; the role that may grant it is 128 bits
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

/** What roles for one entry let do while it has not expired. */
export const mayWithRoles = (roles: bigint, { isExpired }: EntryAt): Action[] =>
  isExpired
    ? []
    : [
        ...(hasRole(roles, SET_RESOLVER) ? (["set_resolver"] as const) : []),
        ...(hasRole(roles, ROLE_SET_SUBREGISTRY) ? (["set_subregistry"] as const) : []),
        ...(hasRole(roles, RENEW) ? (["renew"] as const) : []),
        ...(hasRole(roles, UNREGISTER) ? (["unregister"] as const) : []),
      ];

/** The same with the right to let others do it, which operators of the holder do not have. */
export const mayWithOwnRoles = (roles: bigint, at: EntryAt): Action[] => [
  ...mayWithRoles(roles, at),
  ...(!at.isExpired && roles >> ADMINS !== 0n ? (["grant_roles"] as const) : []),
];

/**
 * What the holder of the token may do. A token can be moved after the expiry, too, with a role for the whole registry:
 * `_update` asks for the role and for the holder, and not for the expiry.
 *
 * @param roles those that count: for the entry, unless it has expired, and for the whole registry
 */
export const mayAsHolder = (roles: bigint, at: EntryAt): Action[] => [
  ...(hasRole(roles, CAN_TRANSFER_ADMIN) ? (["transfer_token"] as const) : []),
  ...mayWithOwnRoles(roles, at),
];

/** What roles for a whole registry let do: renewing and registering after the expiry, too. */
export const mayWithRootRoles = (roles: bigint, at: EntryAt): Action[] => [
  ...mayWithOwnRoles(roles, at),
  ...(at.isExpired && hasRole(roles, RENEW) ? (["renew"] as const) : []),
  ...(at.isExpired && hasRole(roles, REGISTRAR) ? (["register"] as const) : []),
];
