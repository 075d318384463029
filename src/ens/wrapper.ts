import { all, hasBit, holds, time } from "./condition.ts";

/** Fuse by which a parent gave up control of a name. Source: ens-contracts, contracts/wrapper/INameWrapper.sol. */
export const PARENT_CANNOT_CONTROL = 65536;

/** Fuse that freezes the approved account of a token. Source: as above. */
export const CANNOT_APPROVE = 64;

/** Fuses that only a parent may burn: the high 16 bits. */
const PARENT_CONTROLLED = 0xffff0000;

/** Seconds by which the wrapper's expiry of a .eth second-level name exceeds the registrar's. */
export const GRACE_PERIOD = 90n * 86_400n;

/** A token as the NameWrapper stores it, also after expiry and unwrapping. Times are unix seconds. */
export type WrapperToken = { wrapperFuses: number; wrapperExpiryTimestamp: bigint };

/** Seconds from a token's expiry to its end: it is past once block.timestamp > expiry. */
export const TOKEN_END = 1n;

/** Rule: the token's expiry is past. Source: NameWrapper.getData, `_clearOwnerAndFuses`. */
const expiredToken = time("wrapperExpiryTimestamp", "<=", -TOKEN_END);

/** Rule: the parent gave up control of the token. */
export const isEmancipated = hasBit("wrapperFuses", PARENT_CANNOT_CONTROL);

/**
 * Rule: `getData` returns no owner although one is stored, because the token expired after its parent had given up control.
 * No event marks that moment. Source: NameWrapper.getData, `_clearOwnerAndFuses`.
 */
export const lapsedToken = all(expiredToken, isEmancipated);

/** True once the token's expiry is past. @param now unix seconds */
export const isExpired = (token: WrapperToken, now: bigint): boolean => holds(expiredToken, token, now);

/** True once the token has lapsed: see {@link lapsedToken}. */
export const isLapsed = (token: WrapperToken, now: bigint): boolean => holds(lapsedToken, token, now);

/** Fuses as `getData` returns them: 0 once the token has expired. */
export const fusesAt = (token: WrapperToken, now: bigint): number =>
  isExpired(token, now) ? 0 : token.wrapperFuses;

/**
 * What the wrapper stores when it mints, given what it still stores from an earlier wrapping. NameWrapped logs only the
 * requested values: the later expiry wins, and parent-controlled fuses that have not expired stay burnt.
 * Source: ens-contracts, contracts/wrapper/ERC1155Fuse.sol, `_mint`.
 */
export function mintedToken(old: WrapperToken | null, asked: WrapperToken, now: bigint): WrapperToken {
  if (old === null) return asked;
  const kept = isExpired(old, now) ? 0 : (old.wrapperFuses & PARENT_CONTROLLED) >>> 0;
  return {
    wrapperFuses: (asked.wrapperFuses | kept) >>> 0,
    wrapperExpiryTimestamp: later(old.wrapperExpiryTimestamp, asked.wrapperExpiryTimestamp),
  };
}

const later = (a: bigint, b: bigint) => (a < b ? b : a);
