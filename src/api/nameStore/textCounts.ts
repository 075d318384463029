/** As many counters as there are kinds of three letters, nearly: what shares one only makes a bound larger. */
const COUNTERS = 2 ** 18;

/** How many letters are counted together. */
const LETTERS = 3;

/**
 * Counts three letters in a row over the texts of a table, so that it is known at once whether a text can be in many of them. The
 * places of three letters in a text are at least as many as the names that have it.
 *
 * @param memory that of other counts, which a thread shares
 */
export function createTextCounts(memory = new SharedArrayBuffer(COUNTERS * Int32Array.BYTES_PER_ELEMENT)) {
  const counts = new Int32Array(memory);

  const each = (text: string, visit: (counter: number) => void): void => {
    for (let i = 0; i + LETTERS <= text.length; i++) {
      const mixed = (text.charCodeAt(i) * 31 + text.charCodeAt(i + 1)) * 31 + text.charCodeAt(i + 2);
      visit(mixed % COUNTERS);
    }
  };

  return {
    memory,
    /** Counts a text in (1), or out (-1). */
    add: (text: string, by: 1 | -1): void =>
      each(text, (counter) => {
        counts[counter] = (counts[counter] as number) + by;
      }),
    /** More texts than this do not have a part in them. */
    mostWith: (part: string): number => {
      let most = Number.POSITIVE_INFINITY;
      each(part, (counter) => {
        most = Math.min(most, counts[counter] as number);
      });
      return most;
    },
    bytes: (): number => counts.byteLength,
  };
}
