import { linesOf } from "./lines.ts";
import type { Form } from "./record.ts";

export const CARRIAGE_RETURN = 13;

/**
 * The text of a line, also without a final carriage return, which usually belongs to the file and rarely to the label.
 */
export const withoutReturn = (bytes: Buffer): Buffer[] =>
  bytes.at(-1) === CARRIAGE_RETURN ? [bytes, bytes.subarray(0, -1)] : [bytes];

/** A list: each line is a label, as it is. No quotes, no spaces are taken away. */
export const list: Form = {
  name: "list",
  async *read(pieces, { byte }) {
    for await (const lines of linesOf(pieces, byte))
      yield lines.map(({ bytes, end }) => ({ texts: withoutReturn(bytes), stated: null, end }));
  },
};
