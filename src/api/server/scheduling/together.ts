/**
 * Turns a function that reads many at once into one that reads one. Calls in the same turn of the event loop are read
 * together, `most` at a time, in their order.
 */
export function together<Key, Value>(
  readMany: (keys: readonly Key[]) => Promise<readonly Value[]>,
  most: number,
): (key: Key) => Promise<Value> {
  let waiting: { key: Key; resolve: (value: Value) => void; reject: (error: unknown) => void }[] = [];
  const readAll = async () => {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += most) {
      const some = all.slice(from, from + most);
      const values = readMany(some.map(({ key }) => key));
      await values.then(
        (read) => some.forEach(({ resolve }, i) => void resolve(read[i] as Value)),
        (error) => some.forEach(({ reject }) => void reject(error)),
      );
    }
  };
  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ key, resolve, reject }) === 1) queueMicrotask(() => void readAll());
    });
}
