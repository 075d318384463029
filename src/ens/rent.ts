/*
 * What the controllers of 2023 and 2025 ask for a name. Their price oracle is immutable: a rent in attoUSD per second by the
 * label's length, turned into wei by the answer of a price feed, in USD with 8 decimals.
 * Source: ens-contracts, contracts/ethregistrar/StablePriceOracle.sol, `price`, `attoUSDToWei`; StringUtils.sol, `strlen`.
 */

const FEED_UNIT = 10n ** 8n;

/** The number of characters that the oracle counts: by leading bytes, whether they are UTF-8 or not. */
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

/** The label's length for the oracle, and the seconds that are bought. */
export type Time = { length: number; seconds: bigint };

/**
 * The price in wei, without premium, rounded down once.
 *
 * @param rents attoUSD per second for labels of 1, 2, 3, 4, and of 5 and more characters
 * @param answer the feed's newest answer, above 0
 */
export function rentInWei(rents: readonly bigint[], { length, seconds }: Time, answer: bigint): bigint {
  const rent = rents[Math.min(length, rents.length) - 1] ?? 0n;
  return (rent * seconds * FEED_UNIT) / answer;
}
