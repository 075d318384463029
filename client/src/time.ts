/** The longest time that a Date can hold, in seconds. Source: ECMA-262, 21.4.1.1. */
const LAST_SECOND = 8_640_000_000_000n;

/**
 * A time of an answer (unix seconds) as a Date. Owners can choose expiries beyond the range of Date: those become its last
 * second.
 *
 * @example
 * if (alice.expiry_timestamp !== undefined) console.log(toDate(alice.expiry_timestamp).toISOString());
 */
export const toDate = (seconds: bigint): Date =>
  new Date(Number(seconds > LAST_SECOND ? LAST_SECOND : seconds) * 1_000);

/**
 * A Date as in answers and parameters: whole unix seconds, rounded down.
 *
 * @example
 * const soon = toSeconds(new Date(Date.now() + 86_400_000));
 */
export const toSeconds = (date: Date): bigint => BigInt(Math.floor(date.getTime() / 1_000));
