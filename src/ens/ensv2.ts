import { type Hex, zeroAddress } from "viem";
import { hashOfTokenId } from "./name.ts";

/*
 * Rules of the registries of ENSv2. Source: ensdomains/contracts-v2, contracts/src/registry/PermissionedRegistry.sol.
 */

/** `domains.registry` of a name whose ENSv2 entry answered before and is no longer at the name. */
export const NO_REGISTRY = zeroAddress;

/** The role to register names, among the roles for a whole registry. Source: RegistryRolesLib.sol. */
const ROLE_REGISTRAR = 1n;

/** Whether roles for a whole registry (a bitmap) include registering names. */
export const hasRegistrarRole = (roles: bigint): boolean => (roles & ROLE_REGISTRAR) !== 0n;

/** Hexadecimal digits of the counter in the last 32 bits, which grows with each new token or set of roles. */
const COUNTER_DIGITS = 8;

/**
 * Key of an entry in its registry: its labelhash, token or resource with the last 32 bits zero. Source: LibLabel
 * `withVersion`, PermissionedRegistry `_entry`.
 *
 * @example storageIdOf(labelhash("alice")) // "0x9c0257114eb9399a2985f8e75dad7600c5d89fe3824ffa99ec1c3eb800000000"
 */
export const storageIdOf = (hash: Hex): Hex =>
  `0x${hash.slice(2, -COUNTER_DIGITS)}${"0".repeat(COUNTER_DIGITS)}`;

/** {@link storageIdOf} for a token's id or a resource. */
export const storageIdOfNumber = (number: bigint): Hex => storageIdOf(hashOfTokenId(number));

/** An entry as its registry stores it, according to the logs. Times are unix seconds. */
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
 * An entry after LabelRegistered or, without an owner, LabelReserved. `register` writes subregistry and resolver first and
 * logs only those that are not zero, so both are null until such a log. A reservation can have a past expiry, and can
 * replace an expired registration. Roles start anew with each registration: TokenResource has their key. Source:
 * PermissionedRegistry `_register`.
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
 * Whether a registration is in progress: after LabelRegistered, before TokenResource. In between the holder receives the
 * token and may call any contract. Its changes to the entry stay stored, but `register` then logs its own subregistry and
 * resolver as if set last, so the logs no longer determine them. Source: PermissionedRegistry `_register`.
 */
export const isUnderWay = (entry: EntryState): boolean => entry.isRegistered && entry.resource === null;

/**
 * An entry after LabelUnregistered: expired this second, its token burnt. Subregistry and resolver stay stored, and
 * reappear if the entry is renewed. Source: PermissionedRegistry `unregister`.
 *
 * @param timestamp time of the block, unix seconds
 */
export const endedEntry = (timestamp: number) => ({ expiry: BigInt(timestamp), owner: null });

/**
 * The newer of two token ids or resources of an entry, whose counters only grow. The log of an older one can come later, if
 * the token's holder caused the newer one within the call that delivered the token.
 */
export const newerNumber = (known: bigint | null, logged: bigint): bigint =>
  known === null || logged > known ? logged : known;

/**
 * The holder after a transfer; undefined if the transfer does not determine it. A transfer of value 0 moves no token, which
 * may not even exist. A burn comes with another log that determines the holder: LabelUnregistered, the LabelRegistered or
 * LabelReserved that ends an expired token, or the mint of a token that gets a new number. Source: PermissionedRegistry
 * `_register`, `unregister`, `_regenerate`; ERC1155Singleton `_update`.
 */
export const receiverOf = ({ to, value }: { to: Hex; value: bigint }): Hex | undefined =>
  value === 0n || to === zeroAddress ? undefined : to;

/** The expiry of an entry that never ends, such as `eth` in the root registry. */
const ENDLESS = 2n ** 64n - 1n;

/**
 * When the path to names directly below an entry ends, in unix seconds: with the entry, or earlier with one above it. Null if
 * none of them ends. An expired entry returns no subregistry. Source: PermissionedRegistry `getSubregistry`.
 */
export function pathExpiryBelow(above: bigint | null, expiry: bigint): bigint | null {
  if (expiry === ENDLESS) return above;
  return above === null || expiry < above ? expiry : above;
}
