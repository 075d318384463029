type Cells = Uint32Array | Float64Array | BigUint64Array;

/**
 * Numbers that are only ever added, outside the heap: four or eight bytes each.
 *
 * @example
 * const column = new Column(Uint32Array);
 */
export class Column<Kind extends Cells> {
  readonly #make: new (
    length: number,
  ) => Kind;
  #cells: Kind;
  #length = 0;

  constructor(make: new (length: number) => Kind) {
    this.#make = make;
    this.#cells = new make(1_024);
  }

  get length(): number {
    return this.#length;
  }

  add(value: Kind[number]): void {
    if (this.#length === this.#cells.length) {
      const longer = new this.#make(this.#cells.length * 2);
      longer.set(this.#cells as Uint32Array & Float64Array & BigUint64Array);
      this.#cells = longer;
    }
    this.#cells[this.#length++] = value;
  }

  /** @throws RangeError where nothing was added yet */
  at(place: number): Kind[number] {
    const value = place < this.#length ? this.#cells[place] : undefined;
    if (value === undefined) throw new RangeError(`there is no ${place} among ${this.#length}`);
    return value;
  }
}

/** The first place whose number is not below `value`, in a column that rises. */
export function firstAtLeast(column: Column<Uint32Array>, value: number): number {
  let [low, high] = [0, column.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column.at(middle) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
