import type { Address } from "viem";
import {
  CANNOT_APPROVE,
  fusesAt,
  GRACE_PERIOD,
  isExpired,
  isLapsed,
  PARENT_CANNOT_CONTROL,
} from "../../../ens/wrapper.ts";
import { isTokenUnknown, type StoredOwners } from "./ownership.ts";

/**
 * What the ENSv1 contracts let accounts do with a name. Each action is a call that does not revert for the account now.
 * Source: ens-contracts, contracts/registry/ENSRegistry.sol (`authorised`), ethregistrar/BaseRegistrarImplementation.sol
 * (`reclaim`, `ownerOf`), wrapper/NameWrapper.sol, resolvers/PublicResolver.sol (`isAuthorised`).
 */

/** Actions, as named in answers. */
export const actions = [
  ...(["transfer_token", "set_registry_owner", "set_resolver", "create_subnames"] as const),
  ...(["unwrap", "burn_fuses", "approve", "extend_subnames", "extend_expiry"] as const),
  ...([
    "set_records",
    "replace",
    "set_subregistry",
    "renew",
    "unregister",
    "register",
    "grant_roles",
  ] as const),
] as const;

export type Action = (typeof actions)[number];

/** Reasons why a granted power cannot be used now. */
export const reasons = [
  ...(["expired", "not_wrapped", "transferred", "owner_changed", "other_resolver", "fuses_burnt"] as const),
  ...(["no_record_of_its_own", "renewal_unknown", "other_holder"] as const),
] as const;

export type Reason = (typeof reasons)[number];

/** The layer of a power. `token`: an ENSv2 registry. */
export const layers = ["registry", "registry_old", "registrar", "wrapper", "token", "resolver"] as const;

export type Layer = (typeof layers)[number];

/** The contracts' stored values that decide who may change an ENSv1 name. */
export type NameOwners = StoredOwners & {
  /** True if the node has a record of its own in the registry of 2020. */
  isMigrated: boolean;
  registrarExpiryTimestamp: bigint | null;
};

/** Powers over a name of a layer's owner and the owner's operators. `approved`: the powers of the token's approved account. */
export type Power = {
  layer: Layer;
  owner: Address;
  may: Action[];
  approved: Action[];
  /** Null if unknown. */
  inForce: boolean | null;
  reason?: Reason;
};

/* Fuses. Source: ens-contracts, contracts/wrapper/INameWrapper.sol. */
const CANNOT_UNWRAP = 1;
const CANNOT_BURN_FUSES = 2;
const CANNOT_TRANSFER = 4;
const CANNOT_SET_RESOLVER = 8;
const CANNOT_CREATE_SUBDOMAIN = 32;
const IS_DOT_ETH = 131_072;
const CAN_EXTEND_EXPIRY = 262_144;

/** A layer in which the owner can do nothing, and the reason. */
const idle = (layer: Layer, owner: Address, reason: Reason): Power => ({
  layer,
  owner,
  may: [],
  approved: [],
  inForce: false,
  reason,
});

/** The time, and whether the registry lets the NameWrapper act for the name: as its owner, or as the owner's operator. */
export type Occasion = { now: number; wrapperActs: boolean };

/** The powers of a name's owners over it, by layer. */
export const powersOf = (name: NameOwners, occasion: Occasion): Power[] => [
  ...registryPower(name),
  ...registrarPower(name, occasion.now),
  ...wrapperPower(name, occasion),
];

function registryPower({ registryOwner, isMigrated }: NameOwners): Power[] {
  if (registryOwner === null) return [];
  const layer = isMigrated ? "registry" : "registry_old";
  const may: Action[] = ["set_registry_owner", "set_resolver", "create_subnames"];
  return [{ layer, owner: registryOwner, may, approved: [], inForce: true }];
}

/** `ownerOf` requires an expiry in the future, and every call requires `ownerOf`. */
function registrarPower({ registrarOwner, registrarExpiryTimestamp }: NameOwners, now: number): Power[] {
  if (registrarOwner === null) return [];
  const isLive = registrarExpiryTimestamp !== null && registrarExpiryTimestamp > BigInt(now);
  if (!isLive) return [idle("registrar", registrarOwner, "expired")];
  const may: Action[] = ["transfer_token", "set_registry_owner"];
  return [{ layer: "registrar", owner: registrarOwner, may, approved: may, inForce: true }];
}

/** A NameWrapper token's current state, as `getData` returns it. */
type Token = { fuses: number; expiry: bigint; isExpired: boolean; hasOwner: boolean; isInGrace: boolean };

function tokenAt({ wrapperOwner, wrapperFuses, wrapperExpiryTimestamp }: NameOwners, now: number): Token {
  const token = {
    wrapperFuses: wrapperFuses ?? 0,
    wrapperExpiryTimestamp: wrapperExpiryTimestamp ?? 0n,
  };
  const fuses = fusesAt(token, BigInt(now));
  const expiry = token.wrapperExpiryTimestamp;
  return {
    fuses,
    expiry,
    isExpired: isExpired(token, BigInt(now)),
    hasOwner: wrapperOwner !== null && !isLapsed(token, BigInt(now)),
    isInGrace: has(fuses, IS_DOT_ETH) && expiry - GRACE_PERIOD < BigInt(now),
  };
}

const has = (fuses: number, fuse: number): boolean => (fuses & fuse) !== 0;

/** A renewal may have moved the token's expiry. The state is then known only until the earliest possible expiry. */
const isUnknown = (name: NameOwners, token: Token): boolean =>
  isTokenUnknown(name) && (token.isExpired || token.isInGrace);

/** Actions whose condition holds. */
const allowed = (conditions: Partial<Record<Action, boolean>>): Action[] =>
  actions.filter((action) => conditions[action] === true);

function wrapperPower(name: NameOwners, { now, wrapperActs }: Occasion): Power[] {
  const { wrapperOwner: owner, isWrapped } = name;
  if (owner === null) return [];
  const token = tokenAt(name, now);
  if (!isWrapped) return [leftOver(name, { token, owner, now, wrapperActs })];
  if (isUnknown(name, token)) return [{ ...idle("wrapper", owner, "renewal_unknown"), inForce: null }];
  if (!token.hasOwner) return [idle("wrapper", owner, "expired")];
  const may = allowed(ofToken(name, token, now));
  const approved = allowed({ extend_subnames: !token.isInGrace });
  return [{ layer: "wrapper", owner, may, approved, inForce: true }];
}

/**
 * Actions that a token still allows after the name left the NameWrapper without it: calls that the NameWrapper passes on to the
 * registry.
 */
const passedOn: readonly Action[] = ["set_resolver", "create_subnames", "unwrap"];

/**
 * A leftover token: a parent took the name back in the registry, or the name was registered again. While the owner in the
 * registry has the NameWrapper as an operator, which wrapping a name requires, the token's holder can act for that owner.
 */
function leftOver(
  name: NameOwners,
  { token, owner, now, wrapperActs }: Occasion & { token: Token; owner: Address },
): Power {
  if (!wrapperActs || !token.hasOwner) return idle("wrapper", owner, "not_wrapped");
  const isRegistrars = name.registrarOwner !== null;
  const may = allowed(ofToken(name, token, now)).filter(
    (action) => passedOn.includes(action) && !(action === "unwrap" && isRegistrars),
  );
  if (may.length === 0) return idle("wrapper", owner, "not_wrapped");
  return { layer: "wrapper", owner, may, approved: [], inForce: true };
}

/** `canModifyName` is false from the start of a .eth name's grace on. */
function ofToken(name: NameOwners, token: Token, now: number): Partial<Record<Action, boolean>> {
  const { fuses, isInGrace } = token;
  const canModify = !isInGrace;
  const isRegistrars = name.registrarOwner !== null;
  const isLive = !isRegistrars || (name.registrarExpiryTimestamp ?? 0n) > BigInt(now);
  const isTransferable = token.isExpired || !has(fuses, CANNOT_TRANSFER);
  return {
    transfer_token: !isInGrace && isTransferable,
    set_resolver: canModify && !has(fuses, CANNOT_SET_RESOLVER),
    create_subnames: canModify && !has(fuses, CANNOT_CREATE_SUBDOMAIN),
    unwrap: canModify && isLive && !has(fuses, CANNOT_UNWRAP),
    // `_canFusesBeBurned`: an owner's fuses burn only on a name that its parent cannot control.
    burn_fuses: canModify && has(fuses, PARENT_CANNOT_CONTROL) && !has(fuses, CANNOT_BURN_FUSES),
    approve: !has(fuses, CANNOT_APPROVE),
    extend_subnames: canModify,
    extend_expiry: canModify && isLive && has(fuses, CAN_EXTEND_EXPIRY),
  };
}

/**
 * What the parent's owners may do with a name. `replace` gives it to any account.
 * Source: NameWrapper.sol, `_checkCanCallSetSubnodeOwner`, `extendExpiry`, `setChildFuses`.
 */
export function powersOfParent(name: NameOwners, parent: NameOwners, occasion: Occasion): Power[] {
  return [...parentInRegistry(name, parent), ...parentInWrapper(name, parent, occasion)];
}

/** The registry of 2017 no longer applies to a node with a record in that of 2020. */
function parentInRegistry(name: NameOwners, { registryOwner, isMigrated }: NameOwners): Power[] {
  if (registryOwner === null) return [];
  const layer = isMigrated ? "registry" : "registry_old";
  if (!isMigrated && name.isMigrated) return [idle(layer, registryOwner, "no_record_of_its_own")];
  return [{ layer, owner: registryOwner, may: ["replace"], approved: [], inForce: true }];
}

/**
 * Includes a leftover token of the parent: wrapped subnames still obey it, others only if the registry lets the NameWrapper act.
 */
function parentInWrapper(name: NameOwners, parent: NameOwners, { now, wrapperActs }: Occasion): Power[] {
  const { wrapperOwner: owner } = parent;
  if (owner === null) return [];
  const token = tokenAt(parent, now);
  const own = tokenAt(name, now);
  if (isUnknown(parent, token) || (isTokenUnknown(name) && own.isExpired))
    return [{ ...idle("wrapper", owner, "renewal_unknown"), inForce: null }];
  if (!token.hasOwner || token.isInGrace) return [idle("wrapper", owner, "expired")];
  const isGone = own.isExpired && (!own.hasOwner || name.registryOwner === null);
  const isTokenThere = own.hasOwner && name.isWrapped;
  const isTaken = has(own.fuses, PARENT_CANNOT_CONTROL);
  const may = allowed({
    // `setSubnodeOwner` does not change a wrapped subname's record in the registry, so it does not need the registry's approval.
    replace:
      (wrapperActs || isTokenThere) && (isGone ? !has(token.fuses, CANNOT_CREATE_SUBDOMAIN) : !isTaken),
    extend_expiry: isTokenThere,
    burn_fuses: isTokenThere && !isTaken && has(token.fuses, CANNOT_UNWRAP),
  });
  if (may.length === 0) return parent.isWrapped ? [idle("wrapper", owner, "fuses_burnt")] : [];
  return [
    { layer: "wrapper", owner, may, approved: allowed({ extend_expiry: isTokenThere }), inForce: true },
  ];
}

/** The account that a resolver takes as a name's owner: by the registry, and by the NameWrapper if the resolver knows it. */
export function ownerAtResolver(
  name: NameOwners,
  { seesWrapper, wrapper, now }: { seesWrapper: boolean; wrapper: Address | undefined; now: number },
): { owner: Address | null; isKnown: boolean } {
  const { registryOwner } = name;
  if (!seesWrapper || registryOwner === null || registryOwner !== wrapper)
    return { owner: registryOwner, isKnown: true };
  const token = tokenAt(name, now);
  if (isUnknown(name, token) && token.isExpired) return { owner: null, isKnown: false };
  return { owner: token.hasOwner ? name.wrapperOwner : null, isKnown: true };
}
