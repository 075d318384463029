/** The longest time that a Date can hold, in seconds. Source: ECMA-262, 21.4.1.1. */
const LAST_SECOND = 8_640_000_000_000n;

/**
 * A time of an answer as a Date. Owners can choose expiries of a later age than Dates have: those become the last one.
 *
 * @example
 * if (alice.expiry_timestamp !== undefined) console.log(toDate(alice.expiry_timestamp).toISOString());
 */
export const toDate = (seconds: bigint): Date =>
  new Date(Number(seconds > LAST_SECOND ? LAST_SECOND : seconds) * 1_000);

/** A Date as answers and parameters have it: whole seconds since 1970. */
export const toSeconds = (date: Date): bigint => BigInt(Math.floor(date.getTime() / 1_000));
