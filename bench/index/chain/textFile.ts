import { openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Column } from "./column.ts";

/** Bytes that are written at once, and the most that are read at once. */
const PIECE = 4 * 2 ** 20;

/** Texts that are not asked for are read along if they are shorter than this: one more read takes as long. */
const GAP = 4_096;

let files = 0;

/**
 * Texts of one byte a letter, in the order in which they were added, in a temporary file: the logs of a million names take
 * 9 GB. The file has no name, so it is gone when the process ends, however it ends.
 */
export class TextFile {
  readonly #file: number;
  /** Where each text starts, and at last where the next one will. */
  readonly #starts = new Column(Float64Array);
  #piece: Buffer;
  /** Bytes of the piece that are taken, and bytes that were written before it. */
  #filled = 0;
  #written = 0;

  constructor({ folder = tmpdir(), pieceBytes = PIECE } = {}) {
    const path = join(folder, `namedex-chain-${process.pid}-${files++}`);
    this.#file = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    this.#piece = Buffer.allocUnsafe(pieceBytes);
    this.#starts.add(0);
  }

  get length(): number {
    return this.#starts.length - 1;
  }

  add(text: string): void {
    for (let rest = text; rest !== ""; ) {
      const taken = this.#piece.write(rest, this.#filled, "latin1");
      this.#filled += taken;
      rest = rest.slice(taken);
      if (this.#filled === this.#piece.length) this.#flush();
    }
    this.#starts.add(this.#written + this.#filled);
  }

  #flush(): void {
    for (let done = 0; done < this.#filled; ) {
      done += writeSync(this.#file, this.#piece, done, this.#filled - done, this.#written + done);
    }
    this.#written += this.#filled;
    this.#filled = 0;
  }

  /** The texts at these places, which rise: those that follow each other are in one buffer. */
  read(places: readonly number[]): Buffer[] {
    this.#flush();
    const found: Buffer[] = [];
    for (let first = 0; first < places.length; ) {
      const next = this.#endOfSpan(places, first);
      found.push(...this.#readSpan(places.slice(first, next)));
      first = next;
    }
    return found;
  }

  #readSpan(places: readonly number[]): Buffer[] {
    const startOf = (i: number) => this.#starts.at(places[i] as number);
    const endOf = (i: number) => this.#starts.at((places[i] as number) + 1);
    const from = startOf(0);
    const bytes = this.#bytes(from, endOf(places.length - 1));
    const found: Buffer[] = [];
    for (let first = 0, i = 0; i < places.length; i++) {
      if (places[i + 1] === (places[i] as number) + 1) continue;
      found.push(bytes.subarray(startOf(first) - from, endOf(i) - from));
      first = i + 1;
    }
    return found;
  }

  /** The first of these places that is not read together with `first`. */
  #endOfSpan(places: readonly number[], first: number): number {
    const limit = this.#starts.at(places[first] as number) + this.#piece.length;
    let next = first + 1;
    for (; next < places.length; next++) {
      const [before, place] = [places[next - 1] as number, places[next] as number];
      if (this.#starts.at(place) - this.#starts.at(before + 1) > GAP) break;
      if (this.#starts.at(place + 1) > limit) break;
    }
    return next;
  }

  #bytes(from: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(end - from);
    for (let done = 0; done < bytes.length; ) {
      const read = readSync(this.#file, bytes, done, bytes.length - done, from + done);
      if (read === 0) throw new Error("the temporary file of the chain is shorter than what was written");
      done += read;
    }
    return bytes;
  }
}
