import { packHashes } from "./packedHashes.ts";

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
  /** Position of the newest one; 0 for none. */
  newest: () => number;
  /** Bytes of memory. */
  bytes: () => number;
  find: (labelhash: string) => GivenLabel | null;
  /** The next ones behind a position, oldest first, `max` at most. */
  after: (position: number, max: number) => GivenLabel[];
};

/** How many labels are held in memory. Mainnet has a million names whose logs gave only the hash. */
export const MAX_GIVEN_LABELS = 5_000_000;
/** Bytes of all their texts. */
export const MAX_GIVEN_BYTES = 128 * 1_024 * 1_024;

const FIRST_ROOM = 1_024;

/**
 * Labels in memory, by hash and in their order: the hash and the text, and some 14 bytes more for each. A million takes some 70
 * MB, outside of V8's heap. Nothing is ever taken out.
 */
export function packLabels({ max = MAX_GIVEN_LABELS, maxBytes = MAX_GIVEN_BYTES } = {}): PackedLabels {
  const hashes = packHashes(max);
  let room = FIRST_ROOM;
  let positions = new Float64Array(room);
  let starts = new Uint32Array(room + 1);
  let sourceOf = new Uint16Array(room);
  let texts = Buffer.alloc(room * 16);
  const sources: string[] = [];

  const grow = (): void => {
    room *= 2;
    positions = grown(new Float64Array(room), positions);
    starts = grown(new Uint32Array(room + 1), starts);
    sourceOf = grown(new Uint16Array(room), sourceOf);
  };

  const numberOf = (source: string): number => {
    const known = sources.indexOf(source);
    return known >= 0 ? known : sources.push(source) - 1;
  };

  const at = (i: number): GivenLabel => ({
    position: positions[i] ?? 0,
    labelhash: `0x${hashes.at(i)}`,
    label: texts.toString("utf8", starts[i], starts[i + 1]),
    source: sources[sourceOf[i] ?? 0] ?? "",
  });

  return {
    add: ({ position, labelhash, label, source }) => {
      const count = hashes.count();
      const from = starts[count] ?? 0;
      const end = from + Buffer.byteLength(label);
      if (count >= max || end > maxBytes || sources.length > 0xffff) return false;
      if (count === room) grow();
      if (end > texts.length) texts = Buffer.concat([texts], Math.max(end, texts.length * 2));
      texts.write(label, from);
      positions[count] = position;
      starts[count + 1] = end;
      sourceOf[count] = numberOf(source);
      hashes.add(bytesOf(labelhash));
      return true;
    },
    newest: () => positions[hashes.count() - 1] ?? 0,
    bytes: () =>
      [positions, starts, sourceOf, texts].reduce((sum, { byteLength }) => sum + byteLength, hashes.bytes()),
    find: (labelhash) => {
      if (hashes.count() === 0) return null;
      const number = hashes.find(bytesOf(labelhash));
      return number < 0 ? null : at(number);
    },
    after: (position, limit) => {
      const count = hashes.count();
      const first = firstBehind(positions.subarray(0, count), position);
      return Array.from({ length: Math.min(limit, count - first) }, (_, i) => at(first + i));
    },
  };
}

const bytesOf = (hash: string): Buffer => Buffer.from(hash.slice(2), "hex");

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
