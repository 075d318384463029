import { DamagedRecord, MAX_RECORD_BYTES } from "./record.ts";

const LINE_FEED = 10;

/** A line without its line feed, and the first byte behind it. */
export type Line = { bytes: Buffer; start: number; end: number };

/**
 * The lines of a text, read in pieces. A last line without a line feed counts unless it is empty.
 *
 * @throws DamagedRecord at a line of more than 16 MiB
 */
export async function* linesOf(pieces: AsyncIterable<Buffer>, from: number): AsyncGenerator<Line[]> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let start = from;
  for await (const piece of pieces) {
    const lines: Line[] = [];
    let at = 0;
    for (let feed = piece.indexOf(LINE_FEED); feed >= 0; feed = piece.indexOf(LINE_FEED, at)) {
      const tail = piece.subarray(at, feed);
      const bytes = restBytes === 0 ? tail : Buffer.concat([...rest, tail]);
      const end = start + bytes.length + 1;
      lines.push({ bytes, start, end });
      [rest, restBytes, start, at] = [[], 0, end, feed + 1];
    }
    // A copy: the piece's memory is free then.
    if (at < piece.length) rest.push(Buffer.from(piece.subarray(at)));
    restBytes += piece.length - at;
    if (lines.length > 0) yield lines;
    if (restBytes > MAX_RECORD_BYTES) throw new DamagedRecord(start, "a line of more than 16 MiB");
  }
  if (restBytes > 0) yield [{ bytes: Buffer.concat(rest), start, end: start + restBytes }];
}
