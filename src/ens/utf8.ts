import type { Hex } from "viem";

/** Keeps a byte order mark at the start, which viem's decoder drops: to a contract it is part of the text. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of bytes. What is not UTF-8 becomes U+FFFD. */
export const decodeUtf8 = (bytes: Uint8Array): string => utf8.decode(bytes);

/** The text of bytes in hexadecimal digits, as ABIs encode a `string`: like `bytes`. */
export const textOfBytes = (bytes: Hex): string => decodeUtf8(Buffer.from(bytes.slice(2), "hex"));
