export type PackedHashes = {
  /** Number of hashes. */
  count: () => number;
  /** Bytes of memory. */
  bytes: () => number;
  /** Adds 32 bytes behind all others; gives their number, from 0 on. */
  add: (hash: Buffer) => number;
  /** Index of the newest equal hash; -1 for none. */
  find: (hash: Buffer) => number;
  /** The hash with a number, in hex without prefix. */
  at: (number: number) => string;
};

const HASH_BYTES = 32;
const FIRST_ROOM = 1_024;

/**
 * Hashes in memory, in their order: 40 to 80 bytes each, outside of V8's heap. Nothing is ever taken out.
 *
 * @param max no more are ever added: there is room for as many
 */
export function packHashes(max: number): PackedHashes {
  let count = 0;
  let room = Math.min(FIRST_ROOM, max);
  let hashes = Buffer.alloc(room * HASH_BYTES);
  /** Open addressing by the first bytes of the hash: its number, from 1. */
  let slots = new Uint32Array(room * 2);

  const slotOf = (hash: Buffer, at = 0): number => {
    let slot = hash.readUInt32BE(at) % slots.length;
    while (slots[slot] !== 0) {
      const from = ((slots[slot] ?? 0) - 1) * HASH_BYTES;
      if (hash.compare(hashes, from, from + HASH_BYTES, at, at + HASH_BYTES) === 0) break;
      slot = (slot + 1) % slots.length;
    }
    return slot;
  };
  const grow = (): void => {
    room = Math.min(room * 2, max);
    hashes = Buffer.concat([hashes], room * HASH_BYTES);
    slots = new Uint32Array(room * 2);
    for (let i = 0; i < count; i++) slots[slotOf(hashes, i * HASH_BYTES)] = i + 1;
  };
  return {
    count: () => count,
    bytes: () => hashes.byteLength + slots.byteLength,
    add: (hash) => {
      if (count === room) grow();
      hash.copy(hashes, count * HASH_BYTES, 0, HASH_BYTES);
      slots[slotOf(hash)] = count + 1;
      return count++;
    },
    find: (hash) => (slots[slotOf(hash)] ?? 0) - 1,
    at: (number) => hashes.toString("hex", number * HASH_BYTES, (number + 1) * HASH_BYTES),
  };
}
