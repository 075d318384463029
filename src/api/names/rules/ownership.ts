import type { Address } from "viem";
import { all, atLeast, holds, isTrue, not } from "../../../ens/condition.ts";
import { effectiveOwner, type OwnershipReason } from "../../../ens/owner.ts";
import { fusesAt, isExpired, lapsedToken } from "../../../ens/wrapper.ts";

/** The contracts' stored values about a name's owners, read from the index or from the chain. */
export type StoredOwners = {
  /** The stored wrapped state; the token may have lapsed since. */
  isWrapped: boolean;
  registryOwner: Address | null;
  registrarOwner: Address | null;
  wrapperOwner: Address | null;
  wrapperFuses: number | null;
  wrapperExpiryTimestamp: bigint | null;
  /** Renewals that may have moved the wrapper's expiry. If above 0, the stored expiry is the earliest possible one. */
  unexplainedRenewals?: number | null;
  /** The ENSv2 registry whose entry controls the name; null if ENSv1 controls it. */
  registry?: Address | null;
  /** The stored owner; for an ENSv2 name, the holder of its token. */
  effectiveOwnerAddress?: Address | null;
};

/** Rule: stored as wrapped, but the wrapper's token has since lapsed. No event records that. */
export const lapsed = all(isTrue("isWrapped"), lapsedToken);

/**
 * Rule: a renewal may have moved the wrapper's expiry without an indexed log, so a name that seems to have lapsed may not have.
 */
export const unexplained = atLeast("unexplainedRenewals", 1);

/** True if only the chain knows when the wrapper's token of a name ends. */
export const isTokenUnknown = ({ isWrapped, unexplainedRenewals = null }: StoredOwners): boolean =>
  isWrapped && holds(unexplained, { unexplainedRenewals }, 0n);

/** Rule: wrapped, and the wrapper's token has not lapsed. */
export const wrapped = all(isTrue("isWrapped"), not(lapsed));

/** The owners of a name at a time, and its wrapper token at that time. `wrapper` is null for names not stored as wrapped. */
export type OwnersNow = {
  isWrapped: boolean;
  owner: { address: Address; reason: OwnershipReason | "token" } | null;
  wrapper: { fuses: number; expiry: bigint; isExpired: boolean } | null;
};

/**
 * Owners as the contracts return them at `now`. A lapsed name has no owner in the wrapper, so the owner in the registrar counts
 * (the NameWrapper itself: no account can use the name). The token remains in the answer, without fuses. There is no owner if it
 * is unknown whether the name lapsed. The SQL form is `ownerAt`. An ENSv2 name has one layer, its registry.
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
  // An expiry of 0 means none, as for subnames wrapped without fuses.
  const hasExpired = token.wrapperExpiryTimestamp > 0n && isExpired(token, time);
  return {
    isWrapped,
    owner: !isWrapped && isTokenUnknown(stored) ? null : effectiveOwner({ ...stored, isWrapped }),
    wrapper: stored.isWrapped
      ? { fuses: fusesAt(token, time), expiry: token.wrapperExpiryTimestamp, isExpired: hasExpired }
      : null,
  };
}
