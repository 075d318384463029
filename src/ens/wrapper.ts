/** Fuse by which a parent gave up control of a name. Source: ens-contracts, contracts/wrapper/INameWrapper.sol. */
export const PARENT_CANNOT_CONTROL = 65536;

/** Fuses that only a parent may burn: the high 16 bits. */
const PARENT_CONTROLLED = 0xffff0000;

/** Seconds that the wrapper's expiry of a .eth second-level name lies after the registrar's. */
export const GRACE_PERIOD = 90n * 86_400n;

/** What the NameWrapper stores of a token, in seconds; it stays after expiry and unwrapping. */
export type WrapperToken = { fuses: number; expiry: bigint };

/** True once the token's expiry is past. Source: NameWrapper.getData, `_clearOwnerAndFuses`. */
export const isExpired = (token: WrapperToken, now: bigint): boolean => token.expiry < now;

/**
 * True if `getData` answers no owner although one is stored: the token expired and its parent had given up control.
 * No event is emitted at that moment. Source: NameWrapper.getData, `_clearOwnerAndFuses`.
 */
export const isLapsed = (token: WrapperToken, now: bigint): boolean =>
  isExpired(token, now) && (token.fuses & PARENT_CANNOT_CONTROL) !== 0;

/** Fuses as `getData` answers them: none once the token expired. */
export const fusesAt = (token: WrapperToken, now: bigint): number =>
  isExpired(token, now) ? 0 : token.fuses;

/**
 * What the wrapper stores when it mints, given what it still holds of an earlier wrapping. The event NameWrapped shows
 * the wish only: the later expiry wins, and parent-controlled fuses not yet expired stay burnt.
 * Source: ens-contracts, contracts/wrapper/ERC1155Fuse.sol, `_mint`.
 */
export function mintedToken(old: WrapperToken | null, wish: WrapperToken, now: bigint): WrapperToken {
  if (old === null) return wish;
  const kept = isExpired(old, now) ? 0 : (old.fuses & PARENT_CONTROLLED) >>> 0;
  return {
    fuses: (wish.fuses | kept) >>> 0,
    expiry: later(old.expiry, wish.expiry),
  };
}

const later = (a: bigint, b: bigint) => (a < b ? b : a);
