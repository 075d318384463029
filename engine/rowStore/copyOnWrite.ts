import { inspect } from "node:util";

// Part of the patch rowStore. Ponder gives handlers a row as a proxy that copies the row before the first write. Every
// row that is inserted, found or changed gets one, with a new function for each trap, and with a property on the row that
// serves only to print a proxy after a write. Here the traps are methods, and the property is set when the copy is made.

/** Ponder's own `copy` reads the row behind a proxy under this name. */
const COPY_ON_WRITE = Symbol.for("ponder:copyOnWrite");

type Row = Record<PropertyKey, unknown>;

/** Values that a handler gives: they are copied only if they are a row that the store gave out, or hold objects. */
export const copyIfShared =
  (copy: (values: Row, isFast: boolean) => Row) =>
  (values: Row, isFast: boolean): Row =>
    isFast && values[COPY_ON_WRITE] === undefined ? values : copy(values, isFast);

const copies = new WeakMap<object, Row>();

function inspectCopy(this: Row): unknown {
  return copies.get(this) ?? this[COPY_ON_WRITE] ?? this;
}

class CopyOnWrite implements ProxyHandler<Row> {
  proxy: Row | undefined;
  #copied: Row | undefined;

  #copy(target: Row): Row {
    if (this.#copied === undefined) {
      this.#copied = structuredClone(target);
      Object.defineProperty(target, inspect.custom, { value: inspectCopy, configurable: true });
      if (this.proxy !== undefined) copies.set(this.proxy, this.#copied);
    }
    return this.#copied;
  }

  get(target: Row, property: PropertyKey): unknown {
    if (property === COPY_ON_WRITE) return target;
    const value = (this.#copied ?? target)[property];
    const isShared = typeof value === "object" && value !== null && this.#copied === undefined;
    return isShared ? this.#copy(target)[property] : value;
  }

  set(target: Row, property: PropertyKey, value: unknown, receiver: unknown): boolean {
    return Reflect.set(this.#copy(target), property, value, receiver);
  }

  deleteProperty(target: Row, property: PropertyKey): boolean {
    return Reflect.deleteProperty(this.#copy(target), property);
  }

  defineProperty(target: Row, property: PropertyKey, descriptor: PropertyDescriptor): boolean {
    return Reflect.defineProperty(this.#copy(target), property, descriptor);
  }

  ownKeys(target: Row): (string | symbol)[] {
    return Reflect.ownKeys(this.#copied ?? target);
  }

  has(target: Row, property: PropertyKey): boolean {
    return Reflect.has(this.#copied ?? target, property);
  }

  getOwnPropertyDescriptor(target: Row, property: PropertyKey): PropertyDescriptor | undefined {
    return Reflect.getOwnPropertyDescriptor(this.#copied ?? target, property);
  }
}

/** A row that can be written to without changing the original. */
export function copyOnWrite<T extends object>(row: T): T {
  const handler = new CopyOnWrite();
  const proxy = new Proxy(row as Row, handler);
  handler.proxy = proxy;
  return proxy as T;
}
