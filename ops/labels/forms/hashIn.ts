const QUOTE = 34;
const ZERO = 48;
const X = 120;
const HASH_BYTES = 32;

/** The 32 bytes of a hash that is written in hexadecimal digits, in quotes or not, with 0x or without; null for anything else. */
export function hashIn(written: Buffer): Buffer | null {
  const quotes = written[0] === QUOTE && written.at(-1) === QUOTE ? 1 : 0;
  const hasPrefix = written[quotes] === ZERO && written[quotes + 1] === X;
  const from = quotes + (hasPrefix ? 2 : 0);
  const end = written.length - quotes;
  if (end - from !== 2 * HASH_BYTES) return null;
  // Node stops at the first character that is not a digit.
  const hash = Buffer.from(written.toString("latin1", from, end), "hex");
  return hash.length === HASH_BYTES ? hash : null;
}
