import type { Hex } from "viem";

/**
 * Strangers' contracts write these bytes. The ABI allows many offsets to point at one element, and nested elements to do so
 * again: a few kilobytes can stand for billions of values, and a decoder that follows every offset builds them all. This one
 * stops as soon as it has read more bytes than exist, which no honest encoding requires. It cuts values out of the text, where
 * viem's copies each byte several times: 150 ms for 1 MiB, in one turn.
 */

/** The type of a value: one word, bytes or a string of any length, a list of at most `most` values, or a struct. */
export type Shape = "word" | "bytes" | { list: Shape; most: number } | { struct: readonly Shape[] };

/** A decoded value: a word or bytes as hexadecimal digits; `unknown` if the shape is. */
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

/** ABI data that cannot be decoded. */
export class AbiError extends Error {
  override readonly name = "AbiError";
}

/** Hexadecimal digits of a word. All positions here are counted in digits. */
const WORD = 64;

/** The data without `0x`, and the number of digits that may still be read. */
type Reader = { digits: string; left: number };

/**
 * Decodes ABI data by the shapes of its values. `skip` bytes before them, such as a selector, are skipped.
 *
 * @throws AbiError if the data does not match the shapes, a list is too long, or values overlap
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

/** Consecutive values. Offsets are relative to the first one. */
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

/** A length or an offset. Any larger than 32 bits is beyond the data. */
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

/** True if an offset stands in place of the value. */
const isDynamic = (shape: Shape): boolean =>
  shape === "bytes" ||
  (typeof shape === "object" && ("list" in shape || shape.struct.some((part) => isDynamic(part))));

/** Digits of a value without offsets. */
const sizeOf = (shape: Shape): number =>
  typeof shape === "object" && "struct" in shape
    ? shape.struct.reduce((sum, part) => sum + sizeOf(part), 0)
    : WORD;

/** Number of bytes that hexadecimal digits represent. */
export const byteLength = (data: Hex): number => (data.length - 2) / 2;
