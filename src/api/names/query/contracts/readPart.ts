import type { Position } from "../keyset.ts";
import { cutPage, type Page, type Part, totalOfLast } from "../page.ts";

/** Reads a page, and counts the list where the rows do not tell its length. */
export async function readPart<Row extends { position: Position }>(
  part: Part,
  { read, count }: { read: () => Promise<Row[]>; count: () => Promise<number> },
): Promise<Page<Row>> {
  const found = await read();
  const { rows, next } = cutPage(found, part);
  return { total: part.isCounted ? (totalOfLast(found, part) ?? (await count())) : null, rows, next };
}
