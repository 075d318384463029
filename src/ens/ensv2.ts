import { type Hex, zeroAddress } from "viem";
import { hashOfTokenId } from "./name.ts";

/*
 * Rules of the registries of ENSv2. Source: ensdomains/contracts-v2, contracts/src/registry/PermissionedRegistry.sol.
 */

/** `domains.registry` of a name whose entry of ENSv2 answered once, and is no longer at the name. */
export const NO_REGISTRY = zeroAddress;

/** Role by which an account may register names, among the roles for a whole registry. Source: RegistryRolesLib.sol. */
const ROLE_REGISTRAR = 1n;

export const hasRegistrarRole = (roles: bigint): boolean => (roles & ROLE_REGISTRAR) !== 0n;

/** The last 32 bits of a number of an entry count: up with each new token, or with each new holder of roles. */
const COUNTER_DIGITS = 8;

/**
 * Key of an entry in its registry: its labelhash, token or resource with the last 32 bits zero. Source: LibLabel
 * `withVersion`, PermissionedRegistry `_entry`.
 */
export const storageIdOf = (hash: Hex): Hex =>
  `0x${hash.slice(2, -COUNTER_DIGITS)}${"0".repeat(COUNTER_DIGITS)}`;

/** The same of a token's id, or of a resource. */
export const storageIdOfNumber = (number: bigint): Hex => storageIdOf(hashOfTokenId(number));

/** What a registry stores of a label, as its logs tell it. */
export type EntryState = {
  tokenId: bigint;
  resource: bigint | null;
  owner: Hex | null;
  expiry: bigint;
  subregistry: Hex | null;
  resolver: Hex | null;
  isRegistered: boolean;
};

/**
 * An entry after LabelRegistered or, without an owner, LabelReserved. `register` first writes subregistry and resolver, and
 * then logs only those that are not zero: until such a log comes, there is none. A reservation can have an expiry that is
 * past, and can take the place of a registration that expired. The roles start again with each registration: TokenResource
 * tells their key. Source: PermissionedRegistry `_register`.
 */
export const startedEntry = (
  before: EntryState | null,
  { tokenId, owner, expiry }: { tokenId: bigint; owner: Hex | null; expiry: bigint },
): EntryState => ({
  tokenId,
  owner,
  expiry,
  subregistry: null,
  resolver: null,
  resource: owner === null ? (before?.resource ?? null) : null,
  isRegistered: owner !== null || (before?.isRegistered ?? false),
});

/**
 * Whether a registration of the entry is still under way: LabelRegistered came, TokenResource did not. In between the
 * holder is given the token and may call any contract. What it changes of the entry then is what the registry stores; but
 * `register` logs its own subregistry and resolver afterwards, as if it set them last. So logs no longer tell which.
 * Source: PermissionedRegistry `_register`.
 */
export const isUnderWay = (entry: EntryState): boolean => entry.isRegistered && entry.resource === null;

/**
 * An entry after LabelUnregistered: it expired this second, and its token is burnt. Subregistry and resolver stay stored,
 * and show again if the entry is renewed. Source: PermissionedRegistry `unregister`.
 */
export const endedEntry = (timestamp: number) => ({ expiry: BigInt(timestamp), owner: null });

/**
 * The newer one of two numbers of an entry, whose counters only go up: a log can be later than that of a newer number,
 * where the holder of a token made it within the call that gave it.
 */
export const newerNumber = (known: bigint | null, logged: bigint): bigint =>
  known === null || logged > known ? logged : known;

/**
 * What a transfer tells of the holder: the receiver; undefined if it tells nothing. A transfer of nothing moves no token,
 * and its token may never have existed. A burn comes with LabelUnregistered, with the LabelRegistered or LabelReserved that
 * ends an expired token, or with the mint of a token that only gets another number: these tell the holder. Source:
 * PermissionedRegistry `_register`, `unregister`, `_regenerate`; ERC1155Singleton `_update`.
 */
export const receiverOf = ({ to, value }: { to: Hex; value: bigint }): Hex | undefined =>
  value === 0n || to === zeroAddress ? undefined : to;

/** The expiry of an entry that never ends. Source: the deployment registers `eth` in the root registry with it. */
const ENDLESS = 2n ** 64n - 1n;

/**
 * When the way to the names right below an entry ends: with the entry, or before it, with one above. Null if none of them
 * ends. After its expiry an entry answers no subregistry. Source: PermissionedRegistry `getSubregistry`.
 */
export function pathExpiryBelow(above: bigint | null, expiry: bigint): bigint | null {
  if (expiry === ENDLESS) return above;
  return above === null || expiry < above ? expiry : above;
}
