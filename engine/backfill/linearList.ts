// Part of the patch linearQueue.

/** The part of an array that Ponder's queue uses. Items are taken from its start in constant time. */
export class LinearList<Item> {
  #items: (Item | undefined)[] = [];
  #taken = 0;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#taken];
    this.#items[this.#taken++] = undefined;
    if (this.length === 0) {
      this.#items = [];
      this.#taken = 0;
    }
    return item;
  }

  *[Symbol.iterator](): Generator<Item> {
    for (let i = this.#taken; i < this.#items.length; i++) yield this.#items[i] as Item;
  }
}
