/**
 * Makes a reading one that calls share. Calls of one turn of the event loop, and all that come while a reading is under way, share
 * the next one: it starts after each of them, and there is one at a time. So the busier a process is, the more calls one reading
 * serves.
 *
 * @example const report = shared(readReport)
 */
export function shared<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let next: Promise<Value> | null = null;
  let underWay: Promise<unknown> = Promise.resolve();
  return () => {
    next ??= Promise.all([turn(), underWay]).then(() => {
      next = null;
      const reading = read();
      underWay = reading.catch(() => {});
      return reading;
    });
    return next;
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
