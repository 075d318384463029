/** Runs tasks, at most so many at a time; those that wait are begun in the order in which they came. */
export type InTurn = <Result>(signal: AbortSignal, task: () => Promise<Result>) => Promise<Result>;

/** Makes a bound on concurrency. A task whose signal is aborted while it waits is not begun, but fails. */
export function limiter(most: number): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  /** The next one takes over the place of the one that leaves. */
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else running--;
  };
  return async (signal, task) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      signal.throwIfAborted();
      return await task();
    } finally {
      leave();
    }
  };
}
