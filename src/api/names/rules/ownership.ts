import type { Address } from "viem";
import { all, atLeast, holds, isTrue, not } from "../../../ens/condition.ts";
import { effectiveOwner, type OwnershipReason } from "../../../ens/owner.ts";
import { fusesAt, isExpired, lapsedToken } from "../../../ens/wrapper.ts";

/** What the contracts store about a name's owners, whether it comes from the index or from the chain. */
export type StoredOwners = {
  /** Wrapped by what is stored, though the token may have lapsed since. */
  isWrapped: boolean;
  registryOwner: Address | null;
  registrarOwner: Address | null;
  wrapperOwner: Address | null;
  wrapperFuses: number | null;
  wrapperExpiryTimestamp: bigint | null;
  /** Renewals that may have moved the wrapper's expiry: with any, it is the earliest that can be. */
  unexplainedRenewals?: number | null;
  /** The registry of ENSv2 whose entry answers for the name; null where ENSv1 does. */
  registry?: Address | null;
  /** The owner as stored: of a name of ENSv2 the holder of its token. */
  effectiveOwnerAddress?: Address | null;
};

/** Rule: stored as wrapped, but the wrapper's token has lapsed since. No event records that. */
export const lapsed = all(isTrue("isWrapped"), lapsedToken);

/** Rule: a renewal may have moved the wrapper's expiry, and no log that is read says so: a name that lapsed may not have. */
export const unexplained = atLeast("unexplainedRenewals", 1);

/** Whether only the chain can tell when the wrapper's token of a name ends. */
export const isTokenUnknown = ({ isWrapped, unexplainedRenewals = null }: StoredOwners): boolean =>
  isWrapped && holds(unexplained, { unexplainedRenewals }, 0n);

/** Rule: wrapped, and the wrapper's token has not lapsed. */
export const wrapped = all(isTrue("isWrapped"), not(lapsed));

/**
 * Who owns a name at a time, and its wrapper token then; `wrapper` is null for names that are not stored as wrapped.
 */
export type OwnersNow = {
  isWrapped: boolean;
  owner: { address: Address; reason: OwnershipReason | "token" } | null;
  wrapper: { fuses: number; expiry: bigint; isExpired: boolean } | null;
};

/**
 * Owners as the contracts answer at `now`. A lapsed name has no owner in the wrapper, so the owner in the registrar
 * counts (the NameWrapper itself: no account can use the name). The token stays in the answer, with no fuses. No owner is told
 * where it is not known whether the name lapsed. In SQL: `ownerAt`. A name of ENSv2 has one layer, its registry.
 */
export function ownersAt(stored: StoredOwners, now: number): OwnersNow {
  if (stored.registry) {
    const address = stored.effectiveOwnerAddress ?? null;
    return { isWrapped: false, owner: address && { address, reason: "token" }, wrapper: null };
  }
  const time = BigInt(now);
  const token = {
    wrapperFuses: stored.wrapperFuses ?? 0,
    wrapperExpiryTimestamp: stored.wrapperExpiryTimestamp ?? 0n,
  };
  const isWrapped = holds(wrapped, stored, time);
  // An expiry of 0 means none: subnames wrapped without fuses have it.
  const hasExpired = token.wrapperExpiryTimestamp > 0n && isExpired(token, time);
  return {
    isWrapped,
    owner: !isWrapped && isTokenUnknown(stored) ? null : effectiveOwner({ ...stored, isWrapped }),
    wrapper: stored.isWrapped
      ? { fuses: fusesAt(token, time), expiry: token.wrapperExpiryTimestamp, isExpired: hasExpired }
      : null,
  };
}
