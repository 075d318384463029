import type { Address } from "viem";
import { keccak256 } from "./keccak.ts";
import { memoize } from "./memoize.ts";

const EIGHT = "8".charCodeAt(0);
const NINE = "9".charCodeAt(0);
/** From a letter to its upper case. */
const UPPER = "A".charCodeAt(0) - "a".charCodeAt(0);

/**
 * An address with its checksum. A letter is upper case where the hash of the digits has 8 or more at the same place.
 * Source: EIP-55.
 */
export const checksummed = memoize((address: Address): Address => {
  const digits = address.slice(2).toLowerCase();
  const hash = keccak256(digits).slice(2);
  let text = "0x";
  for (let i = 0; i < digits.length; i++) {
    const code = digits.charCodeAt(i);
    // By codes: `toUpperCase` of each letter takes six times as long as the hash.
    text += code > NINE && hash.charCodeAt(i) >= EIGHT ? String.fromCharCode(code + UPPER) : digits[i];
  }
  return text as Address;
});
