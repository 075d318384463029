import { createKeccak } from "hash-wasm";
import type { Hex } from "viem";

/*
 * keccak256 in WebAssembly takes a fifth of the time of JavaScript, and the indexer hashes every name it sees.
 */

const keccak = await createKeccak(256);

/** keccak256 of bytes, or of the UTF-8 bytes of a text. */
export const keccak256 = (data: Uint8Array | string): Hex => `0x${keccak.init().update(data).digest("hex")}`;

/** keccak256 of bytes given as hexadecimal digits. */
export const keccak256OfHex = (...parts: Hex[]): Hex =>
  keccak256(Buffer.from(parts.map((part) => part.slice(2)).join(""), "hex"));
