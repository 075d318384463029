/** How many results are kept: those of the last few hundred registrations, or of the last few batches. */
const REMEMBERED = 4_096;

/**
 * A function that keeps its last results. The logs of one registration follow each other and need the same hashes, and
 * records name the same address several times. Computing a hash takes far longer than finding it in a map.
 */
export function memoize<Words extends string[], Result>(
  compute: (...words: Words) => Result,
): (...words: Words) => Result {
  const known = new Map<string, Result>();
  return (...words) => {
    const key = words.join("/");
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= REMEMBERED) known.clear();
    const fresh = compute(...words);
    known.set(key, fresh);
    return fresh;
  };
}
