/** Wei times the price feed's answer (USD for one ether, with 8 decimals) that make one dollar. */
const USD_UNIT = 10n ** 26n;

/** Converts wei times an answer, or a sum of such products, to dollars, rounded to cents. */
export function toDollars(amount: bigint): string {
  const cents = (amount * 100n + USD_UNIT / 2n) / USD_UNIT;
  return `${cents / 100n}.${(cents % 100n).toString().padStart(2, "0")}`;
}
