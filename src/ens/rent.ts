/*
 * What the controllers of 2023 and 2025 charge for a name. Their price oracle is immutable: a rent in attoUSD per second by
 * the label's length, converted to wei by the answer of a price feed, in USD with 8 decimals.
 * Source: ens-contracts, contracts/ethregistrar/StablePriceOracle.sol, `price`, `attoUSDToWei`; StringUtils.sol, `strlen`.
 */

const FEED_UNIT = 10n ** 8n;

/** The number of characters the oracle counts: by leading bytes, whether or not they are UTF-8. */
export function oracleLength(label: Uint8Array): number {
  let length = 0;
  for (let at = 0; at < label.length; length++) at += bytesAfter(label[at] ?? 0);
  return length;
}

function bytesAfter(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  if (lead < 0xf8) return 4;
  return lead < 0xfc ? 5 : 6;
}

/** The label's length ({@link oracleLength}), and the seconds purchased. */
export type Time = { length: number; seconds: bigint };

/**
 * The price in wei, without premium, rounded down once.
 *
 * @param rents attoUSD per second for labels of 1, 2, 3, 4, and of 5 and more characters
 * @param answer the feed's newest answer, above 0
 * @example rentInWei([0n, 0n, 20_294_266_869_609n, 5_073_566_717_402n, 158_548_959_919n], { length: 5, seconds: 31_536_000n }, 250_000_000_000n)
 */
export function rentInWei(rents: readonly bigint[], { length, seconds }: Time, answer: bigint): bigint {
  const rent = rents[Math.min(length, rents.length) - 1] ?? 0n;
  return (rent * seconds * FEED_UNIT) / answer;
}
