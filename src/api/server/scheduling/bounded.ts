/** Runs a task as soon as there is room for it, in the order of the calls. */
export type InTurn = <Result>(signal: AbortSignal, task: () => Promise<Result>) => Promise<Result>;

/** Bounds concurrency to `most` tasks. A task whose signal is aborted while it waits fails and is not started. */
export function limiter(most: number): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  /** The next task takes the place of the one that ends. */
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
