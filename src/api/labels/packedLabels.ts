/** A label that others than the chain's logs gave, as `src/indexing/write/givenLabels.ts` reads it. */
export type GivenLabel = {
  /** Grows with each label that is stored. */
  position: number;
  labelhash: `0x${string}`;
  label: string;
  /** As `labels.source` of the index. */
  source: string;
};

export type PackedLabels = {
  /** Adds a label behind all others. False if there is no room: it is left out then. */
  add: (label: GivenLabel) => boolean;
  /** Position of the newest one; 0 if there is none. */
  newest: () => number;
  /** Bytes of memory. */
  bytes: () => number;
  find: (labelhash: string) => GivenLabel | null;
  /** The next ones behind a position, oldest first, `max` at most. */
  after: (position: number, max: number) => GivenLabel[];
};

/** How many labels are held in memory. Mainnet has a million names of which logs gave the hash alone. */
export const MAX_GIVEN_LABELS = 5_000_000;
/** Bytes of all their texts. */
export const MAX_GIVEN_BYTES = 128 * 1_024 * 1_024;

const HASH_BYTES = 32;
const FIRST_ROOM = 1_024;

/**
 * Labels in memory, by hash and in their order: 32 bytes and the text, and about 20 bytes more for each. A million takes
 * some 70 MB, outside of V8's heap. Nothing is ever taken out.
 */
export function packLabels({ max = MAX_GIVEN_LABELS, maxBytes = MAX_GIVEN_BYTES } = {}): PackedLabels {
  let count = 0;
  let room = FIRST_ROOM;
  let hashes = Buffer.alloc(room * HASH_BYTES);
  let positions = new Float64Array(room);
  let starts = new Uint32Array(room + 1);
  let sourceOf = new Uint16Array(room);
  let texts = Buffer.alloc(room * 16);
  /** Open addressing by the first bytes of the hash: the number of a label, from 1. */
  let slots = new Uint32Array(room * 2);
  const sources: string[] = [];
  const wanted = Buffer.alloc(HASH_BYTES);

  const slotOf = (hash: Buffer, at: number): number => {
    let slot = hash.readUInt32BE(at) % slots.length;
    while (slots[slot] !== 0) {
      const from = ((slots[slot] ?? 0) - 1) * HASH_BYTES;
      if (hash.compare(hashes, from, from + HASH_BYTES, at, at + HASH_BYTES) === 0) break;
      slot = (slot + 1) % slots.length;
    }
    return slot;
  };

  const grow = (): void => {
    room *= 2;
    hashes = Buffer.concat([hashes], room * HASH_BYTES);
    positions = grown(new Float64Array(room), positions);
    starts = grown(new Uint32Array(room + 1), starts);
    sourceOf = grown(new Uint16Array(room), sourceOf);
    slots = new Uint32Array(room * 2);
    for (let i = 0; i < count; i++) slots[slotOf(hashes, i * HASH_BYTES)] = i + 1;
  };

  const numberOf = (source: string): number => {
    const known = sources.indexOf(source);
    return known >= 0 ? known : sources.push(source) - 1;
  };

  const at = (i: number): GivenLabel => ({
    position: positions[i] ?? 0,
    labelhash: `0x${hashes.toString("hex", i * HASH_BYTES, (i + 1) * HASH_BYTES)}`,
    label: texts.toString("utf8", starts[i], starts[i + 1]),
    source: sources[sourceOf[i] ?? 0] ?? "",
  });

  return {
    add: ({ position, labelhash, label, source }) => {
      const from = starts[count] ?? 0;
      const end = from + Buffer.byteLength(label);
      if (count >= max || end > maxBytes || sources.length > 0xffff) return false;
      if (count === room) grow();
      if (end > texts.length) texts = Buffer.concat([texts], Math.max(end, texts.length * 2));
      hashes.write(labelhash.slice(2), count * HASH_BYTES, "hex");
      texts.write(label, from);
      positions[count] = position;
      starts[count + 1] = end;
      sourceOf[count] = numberOf(source);
      count++;
      slots[slotOf(hashes, (count - 1) * HASH_BYTES)] = count;
      return true;
    },
    newest: () => (count === 0 ? 0 : (positions[count - 1] ?? 0)),
    bytes: () =>
      [hashes, positions, starts, sourceOf, texts, slots].reduce(
        (sum, { byteLength }) => sum + byteLength,
        0,
      ),
    find: (labelhash) => {
      if (count === 0) return null;
      wanted.write(labelhash.slice(2), "hex");
      const number = slots[slotOf(wanted, 0)] ?? 0;
      return number === 0 ? null : at(number - 1);
    },
    after: (position, limit) => {
      const first = firstBehind(positions.subarray(0, count), position);
      return Array.from({ length: Math.min(limit, count - first) }, (_, i) => at(first + i));
    },
  };
}

function grown<Numbers extends Float64Array | Uint32Array | Uint16Array>(
  to: Numbers,
  from: Numbers,
): Numbers {
  to.set(from);
  return to;
}

/** Index of the first number that is greater; the numbers are in their order. */
function firstBehind(numbers: Float64Array, than: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) > than) high = middle;
    else low = middle + 1;
  }
  return low;
}
