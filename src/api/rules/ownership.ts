import type { Address } from "viem";
import { effectiveOwner, type OwnershipReason } from "../../ens/owner.ts";
import { fusesAt, isExpired, isLapsed } from "../../ens/wrapper.ts";

/** What the contracts store about a name's owners, whether it came from the index or from the chain. */
export type StoredOwners = {
  /** Wrapped by what is stored, though the token may have lapsed since. */
  isWrapped: boolean;
  registryOwner: Address | null;
  registrarOwner: Address | null;
  wrapperOwner: Address | null;
  wrapperFuses: number | null;
  wrapperExpiryTimestamp: bigint | null;
};

/** Who owns a name at a moment, and what its wrapper token then is; `wrapper` is null for names that are not wrapped. */
export type OwnersNow = {
  isWrapped: boolean;
  owner: { address: Address; reason: OwnershipReason } | null;
  wrapper: { fuses: number; expiry: bigint; isExpired: boolean } | null;
};

/**
 * Owners as the contracts answer at `now`. No event tells that a wrapped name expired: an emancipated one then has no
 * owner in the wrapper, so the registrar's counts (the NameWrapper itself: nobody can use the name). The token stays
 * in the answer, with no fuses. SQL twin: `query/ownership.ts`.
 */
export function ownersAt(stored: StoredOwners, now: number): OwnersNow {
  const time = BigInt(now);
  const token = {
    wrapperFuses: stored.wrapperFuses ?? 0,
    wrapperExpiryTimestamp: stored.wrapperExpiryTimestamp ?? 0n,
  };
  const isWrapped = stored.isWrapped && !isLapsed(token, time);
  // An expiry of 0 is none: subnames wrapped without fuses have it.
  const hasExpired = token.wrapperExpiryTimestamp > 0n && isExpired(token, time);
  return {
    isWrapped,
    owner: effectiveOwner({ ...stored, isWrapped }),
    wrapper: stored.isWrapped
      ? { fuses: fusesAt(token, time), expiry: token.wrapperExpiryTimestamp, isExpired: hasExpired }
      : null,
  };
}
