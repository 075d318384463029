/** How long is waited for a value, and what counts before the first one came. */
export type LastKnownPlan<Value> = { withinMs: number; first: Value };

/**
 * Reads a value, or returns the last one if reading fails or takes too long. While a read is overdue, calls return the
 * last value at once. There is one read at a time.
 *
 * @example const isActive = lastKnown(() => readActive(store), { withinMs: 1_000, first: false })
 */
export function lastKnown<Input, Value>(
  read: (input: Input) => Promise<Value>,
  { withinMs, first }: LastKnownPlan<Value>,
): (input: Input) => Promise<Value> {
  let known = first;
  let reading: Promise<void> | null = null;
  let isOverdue = false;
  const begin = (input: Input): Promise<void> => {
    const timer = setTimeout(() => {
      isOverdue = true;
    }, withinMs);
    return read(input)
      .then(
        (value) => {
          known = value;
        },
        () => {}, // What was known stays.
      )
      .finally(() => {
        clearTimeout(timer);
        reading = null;
        isOverdue = false;
      });
  };
  return async (input) => {
    if (isOverdue) return known;
    reading ??= begin(input);
    await soon(reading, withinMs);
    return known;
  };
}

/** Ends with the work, or after a time. */
export async function soon(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
