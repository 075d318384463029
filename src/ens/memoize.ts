/** How many answers are remembered: those of the last few hundred registrations, or of the last few batches. */
const REMEMBERED = 4_096;

/**
 * A function that remembers what it answered last: the logs of one registration follow each other and ask for the same
 * hashes each time, records name the same address several times, and a hash takes far longer than a look.
 */
export function memoize<Words extends string[], Answer>(
  answer: (...words: Words) => Answer,
): (...words: Words) => Answer {
  const known = new Map<string, Answer>();
  return (...words) => {
    const key = words.join("/");
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= REMEMBERED) known.clear();
    const fresh = answer(...words);
    known.set(key, fresh);
    return fresh;
  };
}
