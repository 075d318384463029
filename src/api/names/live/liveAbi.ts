import type { Hex } from "viem";

/*
 * Contracts of strangers write these bytes. The ABI allows many offsets to point at one element, and elements inside
 * elements do so again: a few kilobytes can stand for billions of values, and a decoder that follows each offset builds
 * them all. This one stops as soon as it has read more bytes than there are, which no honest encoding needs. It cuts
 * values out of the text, where viem's copies each byte several times: 150 ms for 1 MiB, in one turn.
 */

/** What a value looks like: one word, bytes or a string of any length, a list of at most `most` values, or a struct. */
export type Shape = "word" | "bytes" | { list: Shape; most: number } | { struct: readonly Shape[] };

/** A value as it is read: a word or bytes as hexadecimal digits; unknown where the shape is. */
type Value<S> = Shape extends S
  ? unknown
  : S extends "word" | "bytes"
    ? Hex
    : S extends { list: infer Each }
      ? Value<Each>[]
      : S extends { struct: infer Parts extends readonly Shape[] }
        ? Values<Parts>
        : never;

type Values<Shapes extends readonly Shape[]> = { -readonly [At in keyof Shapes]: Value<Shapes[At]> };

/** ABI data that cannot be read. */
export class AbiError extends Error {
  override readonly name = "AbiError";
}

/** Digits of a word, in which everything is measured here. */
const WORD = 64;

/** The data without `0x`, and how many of its digits may still be read. */
type Reader = { digits: string; left: number };

/**
 * Reads ABI data by the shapes of its values. `skip` bytes before them, as a selector, are passed over.
 *
 * @throws AbiError if the data is no such values, a list is too long, or values overlap
 * @example
 * const [name, resolver] = readAbi(["bytes", "word"], data);
 */
export function readAbi<const Shapes extends readonly Shape[]>(
  shapes: Shapes,
  data: Hex,
  skip = 0,
): Values<Shapes> {
  const digits = data.slice(2 + 2 * skip);
  const reader = { digits, left: digits.length };
  return readParts(reader, shapes, 0) as Values<Shapes>;
}

type AnyValue = Hex | AnyValue[];

/** Values one after another; offsets count from where the first one is. */
function readParts(reader: Reader, shapes: readonly Shape[], start: number): AnyValue[] {
  let at = start;
  return shapes.map((shape) => {
    const place = isDynamic(shape) ? start + readNumber(reader, at) * 2 : at;
    at += isDynamic(shape) ? WORD : sizeOf(shape);
    return readValue(reader, shape, place);
  });
}

function readValue(reader: Reader, shape: Shape, at: number): AnyValue {
  if (shape === "word") return `0x${take(reader, at, WORD)}`;
  if (shape === "bytes") return `0x${take(reader, at + WORD, readNumber(reader, at) * 2)}`;
  if ("struct" in shape) return readParts(reader, shape.struct, at);
  const length = readNumber(reader, at);
  if (length > shape.most) throw new AbiError(`a list has more than ${shape.most} values`);
  return readParts(reader, Array<Shape>(length).fill(shape.list), at + WORD);
}

/** A length or an offset; larger ones than 32 bits are beyond any data. */
function readNumber(reader: Reader, at: number): number {
  const word = take(reader, at, WORD);
  if (!word.startsWith("0".repeat(WORD - 8))) throw new AbiError("an offset is beyond the end");
  return Number.parseInt(word.slice(-8), 16);
}

function take(reader: Reader, at: number, length: number): string {
  if (at + length > reader.digits.length) throw new AbiError("the data ends too early");
  reader.left -= length;
  if (reader.left < 0) throw new AbiError("values overlap");
  return reader.digits.slice(at, at + length);
}

/** True if the value is elsewhere, and an offset in its place. */
const isDynamic = (shape: Shape): boolean =>
  shape === "bytes" ||
  (typeof shape === "object" && ("list" in shape || shape.struct.some((part) => isDynamic(part))));

/** Digits of a value that has no offsets. */
const sizeOf = (shape: Shape): number =>
  typeof shape === "object" && "struct" in shape
    ? shape.struct.reduce((sum, part) => sum + sizeOf(part), 0)
    : WORD;

/** How many bytes hexadecimal digits stand for. */
export const byteLength = (data: Hex): number => (data.length - 2) / 2;
