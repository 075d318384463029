// Part of the patch largeBlocks: what the logs of a block are compared with.

type Hex = `0x${string}`;

/** Hashes that are kept: those of a full block, with three topics to a log. */
export const KEPT_HASHES = 20_000;

/** The bytes of a hash that say which bits of a bloom are set. */
const BYTES_OF_BITS = 6;

/** Makes the functions that give the bytes of a bloom, and the hash of an address or topic, each computed once. */
export function bloomReader(hexToBytes: (hex: Hex) => Uint8Array, keccak256: (input: Hex) => Hex) {
  const hashes = new Map<Hex, Uint8Array>();
  const hashOf = (input: Hex): Uint8Array => {
    const known = hashes.get(input);
    if (known !== undefined) return known;
    if (hashes.size >= KEPT_HASHES) hashes.clear();
    const hash = hexToBytes(keccak256(input)).subarray(0, BYTES_OF_BITS);
    hashes.set(input, hash);
    return hash;
  };
  let last: { hex: Hex; bytes: Uint8Array } | undefined;
  const bytesOf = (hex: Hex): Uint8Array => {
    if (last?.hex !== hex) last = { hex, bytes: hexToBytes(hex) };
    return last.bytes;
  };
  return { hashOf, bytesOf };
}
