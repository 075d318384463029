/** A label that others than the chain's logs gave, as `src/indexing/write/givenLabels.ts` reads it. */
export type GivenLabel = {
  /** Grows with each label that is stored. */
  position: number;
  labelhash: `0x${string}`;
  label: string;
  /** As `labels.source` of the index. */
  source: string;
};

/** How many labels are held in memory: a million take 250 MB. Mainnet has a million names whose logs gave only the hash. */
export const MAX_GIVEN_LABELS = 3_000_000;
/** Bytes of all their texts. */
export const MAX_GIVEN_BYTES = 128 * 1_024 * 1_024;

/** Labels in memory, by hash and in their order. Nothing is ever taken out. */
export function createLabelMemory({ max = MAX_GIVEN_LABELS, maxBytes = MAX_GIVEN_BYTES } = {}) {
  const inOrder: GivenLabel[] = [];
  const byHash = new Map<string, GivenLabel>();
  let bytes = 0;
  return {
    /** Adds a label behind all others. False if there is no room: it is left out then. */
    add: (given: GivenLabel): boolean => {
      const end = bytes + Buffer.byteLength(given.label);
      if (inOrder.length >= max || end > maxBytes) return false;
      bytes = end;
      inOrder.push(given);
      byHash.set(given.labelhash, given);
      return true;
    },
    /** Position of the newest one; 0 for none. */
    newest: (): number => inOrder.at(-1)?.position ?? 0,
    find: (labelhash: string): GivenLabel | null => byHash.get(labelhash) ?? null,
    /** The next ones behind a position, oldest first, `count` at most. An index that keeps up asks for the last ones. */
    after: (position: number, count: number): GivenLabel[] => {
      const first = inOrder.findLastIndex((given) => given.position <= position) + 1;
      return inOrder.slice(first, first + count);
    },
  };
}
