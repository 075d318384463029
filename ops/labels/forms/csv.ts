import { hashIn } from "./hashIn.ts";
import { type Line, linesOf } from "./lines.ts";
import { CARRIAGE_RETURN, withoutReturn } from "./list.ts";
import { DamagedRecord, type Form, type Part, untilDamaged } from "./record.ts";

const COMMA = 44;
const QUOTE = 34;

/**
 * Lines of `hash,label`. A label in quotes may be meant with them or without, and both texts are hashed. One label is one
 * line. The first line may name the columns.
 */
export const csv: Form = {
  name: "csv",
  async *read(pieces, { byte }) {
    for await (const lines of linesOf(pieces, byte)) yield* untilDamaged(partsOf(lines));
  },
};

function* partsOf(lines: readonly Line[]): Generator<Part> {
  for (const line of lines) yield* partOf(line);
}

function partOf({ bytes, start, end }: Line): Part[] {
  const comma = bytes.indexOf(COMMA);
  const stated = comma < 0 ? null : hashIn(bytes.subarray(0, comma));
  if (stated !== null) return [{ texts: textsOf(bytes.subarray(comma + 1)), stated, end }];
  if (start === 0 && comma >= 0) return []; // names of columns
  throw new DamagedRecord(
    start,
    "a line that does not begin with a hash of 64 hexadecimal digits and a comma",
  );
}

const textsOf = (bytes: Buffer): Buffer[] =>
  bytes[0] !== QUOTE && bytes.at(-1) !== CARRIAGE_RETURN
    ? [bytes]
    : withoutReturn(bytes).flatMap((text) => [text, ...unquoted(text)]);

function unquoted(text: Buffer): Buffer[] {
  if (text.length < 2 || text[0] !== QUOTE || text.at(-1) !== QUOTE) return [];
  return [Buffer.from(text.toString("latin1", 1, text.length - 1).replaceAll('""', '"'), "latin1")];
}
