// Part of the patch copyPieces.

/**
 * A piece of COPY's text ends with the row that reaches this length. More takes the process so long at a time that other
 * callers notice; less costs more than it saves.
 */
export const PIECE_LENGTH = 2 ** 20;

/** The text of rows for COPY, in pieces that are made when the connection takes them. */
export function* inPieces<Table, Row>(
  textOf: (table: Table, rows: Row[]) => string,
  table: Table,
  rows: readonly Row[],
): Generator<string> {
  let lines: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = textOf(table, [row]);
    lines.push(text, "\n");
    length += text.length + 1;
    if (length < PIECE_LENGTH) continue;
    yield lines.join("");
    lines = [];
    length = 0;
  }
  if (lines.length > 0) yield lines.join("");
}
