import { getCoderByCoinType } from "@ensdomains/address-encoder";

/** Longest address that is written in its coin's form, in characters of hexadecimal digits. */
const MAX_LENGTH = 512;

/**
 * An address record in the form that the coin's wallets show; null where the bytes are no address of the coin, or the coin is
 * not known. Source: ENSIP-9.
 *
 * @param value bytes as hexadecimal digits, as answers have them
 * @example
 * coinAddress("0", "0x76a914…88ac"); // "1A1zP1…"
 */
export function coinAddress(coinType: string, value: string): string | null {
  if (value.length > MAX_LENGTH || !/^0x([0-9a-f]{2})+$/i.test(value)) return null;
  const bytes = Buffer.from(value.slice(2), "hex");
  try {
    const coder = getCoderByCoinType(Number(coinType) as Parameters<typeof getCoderByCoinType>[0]);
    const text = coder.encode(bytes);
    // What is read back is the same address, or the bytes are another thing.
    return Buffer.from(coder.decode(text)).equals(Buffer.from(bytes)) ? text : null;
  } catch {
    return null;
  }
}
