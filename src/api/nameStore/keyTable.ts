import { randomBytes } from "node:crypto";

/** Words of 32 bits of a key: no two names have the same 128 bits of their namehash by chance, nor by any work that pays. */
const WORDS = 4;

const EMPTY = -1;

/**
 * Finds the row of a name by its node. It numbers nodes in the order in which they are added.
 *
 * An open table of hashes in typed arrays: a `Map` of four million texts takes ten times the memory. Its order is secret, so that no
 * one can register names that all lie in one part of it.
 *
 * @param expected how many keys to make room for at first; it grows
 */
export function createKeyTable(expected: number) {
  const [first, second] = new Uint32Array(new Uint8Array(randomBytes(8)).buffer) as unknown as [
    number,
    number,
  ];
  let keys = new Uint32Array(Math.max(16, expected) * WORDS);
  let slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(16, expected) * 1.5))).fill(EMPTY);
  let size = 0;
  const given = new Uint32Array(WORDS);

  const slotOf = (words: Uint32Array, from: number): number => {
    const one = Math.imul((words[from] as number) ^ first, 0x9e3779b1) ^ (words[from + 1] as number);
    const two = Math.imul(one ^ (one >>> 15) ^ second, 0x85ebca77) ^ (words[from + 2] as number);
    return Math.imul(two ^ (two >>> 13), 0xc2b2ae3d) >>> 0;
  };

  /** The slot of the key in `given`, or the free one where it would be. */
  const find = (): number => {
    const mask = slots.length - 1;
    for (let slot = slotOf(given, 0) & mask; ; slot = (slot + 1) & mask) {
      const row = slots[slot] as number;
      if (row === EMPTY) return slot;
      const from = row * WORDS;
      if (
        keys[from] === given[0] &&
        keys[from + 1] === given[1] &&
        keys[from + 2] === given[2] &&
        keys[from + 3] === given[3]
      )
        return slot;
    }
  };

  const read = (node: string): void => {
    for (let i = 0; i < WORDS; i++) given[i] = Number.parseInt(node.slice(2 + 8 * i, 10 + 8 * i), 16);
  };

  const grow = (): void => {
    if ((size + 1) * WORDS > keys.length) {
      const larger = new Uint32Array(Math.ceil(keys.length * 1.5));
      larger.set(keys);
      keys = larger;
    }
    if ((size + 1) * 1.4 <= slots.length) return;
    slots = new Int32Array(slots.length * 2).fill(EMPTY);
    const mask = slots.length - 1;
    for (let row = 0; row < size; row++) {
      let slot = slotOf(keys, row * WORDS) & mask;
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask;
      slots[slot] = row;
    }
  };

  return {
    /** The row of a node (`0x` and 64 digits); -1 if there is none. */
    rowOf: (node: string): number => {
      read(node);
      return slots[find()] as number;
    },
    /** The row of a node, which is a new one where there is none. */
    add: (node: string): number => {
      grow();
      read(node);
      const slot = find();
      if (slots[slot] === EMPTY) {
        slots[slot] = size;
        keys.set(given, size * WORDS);
        size++;
      }
      return slots[slot] as number;
    },
    bytes: (): number => keys.byteLength + slots.byteLength,
  };
}
