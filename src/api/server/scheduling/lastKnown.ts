/** How long to wait for a value, the value before the first read, and for how long a read value serves later calls. */
export type LastKnownPlan<Value> = { withinMs: number; first: Value; keptMs?: number };

/**
 * Reads a value, or returns the last one if reading fails or takes too long. While a read is overdue, calls return the
 * last value at once. There is one read at a time.
 *
 * @example const isActive = lastKnown(() => readActive(store), { withinMs: 1_000, first: false })
 */
export function lastKnown<Input, Value>(
  read: (input: Input) => Promise<Value>,
  { withinMs, first, keptMs = 0 }: LastKnownPlan<Value>,
): (input: Input) => Promise<Value> {
  let known = first;
  let reading: Promise<void> | null = null;
  let isOverdue = false;
  let keptUntil = 0;
  const begin = (input: Input): Promise<void> => {
    const timer = setTimeout(() => {
      isOverdue = true;
    }, withinMs);
    return read(input)
      .then(
        (value) => {
          known = value;
          keptUntil = performance.now() + keptMs;
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
    if (isOverdue || performance.now() < keptUntil) return known;
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
