/** Of a rest that is not told apart: names cannot be searched as a whole then. */
export const OTHER_REST = 0xffffffff;

/** Of a name without texts. */
export const NO_REST = 0;

/** Rests are texts of the thread's heap: more than these bytes of them are not stored. */
export const MOST_REST_BYTES = 2 ** 26;

/** What a text takes beside its characters, of two bytes each. */
const BYTES_EACH = 100;

/** What stands in a name after its label, with the dot before it; most names have one of a few. `isJoined`: the label stands before it. */
export type Rest = { text: string; isJoined: boolean };

/** Numbers the rests of names in the order in which they are added. */
export function createRestTable() {
  const rests: Rest[] = [];
  const numbers = { joined: new Map<string, number>(), alone: new Map<string, number>() };
  const size = { bytes: 0, isFull: false };

  const add = (text: string, isJoined: boolean): number => {
    const known = (isJoined ? numbers.joined : numbers.alone).get(text);
    if (known !== undefined) return known;
    const bytes = text.length * 2 + BYTES_EACH;
    if (size.bytes + bytes > MOST_REST_BYTES) {
      size.isFull = true;
      return OTHER_REST;
    }
    size.bytes += bytes;
    (isJoined ? numbers.joined : numbers.alone).set(text, rests.length);
    return rests.push({ text, isJoined }) - 1;
  };
  add("", false);

  return {
    rests: rests as readonly Rest[],
    /** The number of a rest, which is a new one where there is none. */
    add,
    /** Whether a rest was not stored. */
    isFull: (): boolean => size.isFull,
    /** Bytes of memory. */
    bytes: (): number => size.bytes,
  };
}
