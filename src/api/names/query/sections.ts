import type { Position } from "./keyset.ts";
import { cutPage, limitOf, offsetOf, type Page, type Part } from "./page.ts";

/*
 * A list of several parts, each of which an index has in order: they are read one after the other, so that a page costs the
 * same wherever it is, and however long the parts before it are.
 */

/** The keys of a row in its part: at most four texts. */
export type Place = readonly string[];

/** Which rows of a part: after a row, or after a number of rows from its beginning. */
export type Slice = { after: Place | undefined; offset: number; limit: number };

/** A part of a list. Its rank never changes, so that a cursor finds it again. */
export type ListPart<Row> = {
  rank: number;
  read: (slice: Slice) => Promise<{ row: Row; place: Place }[]>;
  count: () => Promise<number>;
};

/** Keys of a place, and of the rank before them. */
const KEYS = 4;

/** What a position in such a list is made of. */
export const positionKinds = [
  { kind: "integer" } as const,
  ...Array.from({ length: KEYS }, () => ({ kind: "text" }) as const),
];

const positionIn = (rank: number, place: Place): Position => [
  String(rank),
  ...Array.from({ length: KEYS }, (_, i) => place[i] ?? ""),
];

/** A page of a list of several parts. */
export async function readParts<Row>(parts: readonly ListPart<Row>[], part: Part): Promise<Page<Row>> {
  const inOrder = [...parts].sort((a, b) => a.rank - b.rank);
  const { read, total } = await (part.after === undefined && offsetOf(part) === 0
    ? readFirst(inOrder, part)
    : readLater(inOrder, part));
  const { rows, next } = cutPage(read, part);
  return { total, rows: rows.map(({ row }) => row), next };
}

type Found<Row> = { read: Read<Row>[]; total: number | null };

/** The first page: all parts at once. Few names have a part that is longer than a page, and the others need no count. */
async function readFirst<Row>(parts: readonly ListPart<Row>[], part: Part): Promise<Found<Row>> {
  const limit = limitOf(part);
  const rows = await Promise.all(parts.map((one) => readOne(one, { after: undefined, offset: 0, limit })));
  const countOf = (i: number): number | Promise<number> => {
    const [one, found] = [parts[i], rows[i]];
    if (one === undefined || found === undefined) return 0;
    return found.length < limit ? found.length : one.count();
  };
  const counts = part.isCounted ? await Promise.all(parts.map((_, i) => countOf(i))) : null;
  return { read: rows.flat().slice(0, limit), total: counts && sum(counts) };
}

/** A page in the middle of the list, by its number or after a row. */
async function readLater<Row>(parts: readonly ListPart<Row>[], part: Part): Promise<Found<Row>> {
  const isCounting = part.isCounted || part.after === undefined;
  const counts = isCounting ? await Promise.all(parts.map((one) => one.count())) : [];
  const read = part.after
    ? await readAfter(parts, part.after, limitOf(part))
    : await readFrom(parts, { offset: offsetOf(part), counts, limit: limitOf(part) });
  return { read, total: part.isCounted ? sum(counts) : null };
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

type Read<Row> = { row: Row; position: Position };

async function readAfter<Row>(
  parts: readonly ListPart<Row>[],
  [rank, ...place]: Position,
  limit: number,
): Promise<Read<Row>[]> {
  const from = Number(rank);
  const after = place.map((key) => key ?? "");
  const rows: Read<Row>[] = [];
  for (const part of parts.filter((one) => one.rank >= from)) {
    const missing = limit - rows.length;
    if (missing === 0) break;
    const start = part.rank === from ? after : undefined;
    rows.push(...(await readOne(part, { after: start, offset: 0, limit: missing })));
  }
  return rows;
}

async function readFrom<Row>(
  parts: readonly ListPart<Row>[],
  { offset, counts, limit }: { offset: number; counts: readonly number[]; limit: number },
): Promise<Read<Row>[]> {
  const rows: Read<Row>[] = [];
  let before = offset;
  for (const [i, part] of parts.entries()) {
    const missing = limit - rows.length;
    if (missing === 0) break;
    const count = counts[i] ?? 0;
    if (before < count) {
      rows.push(...(await readOne(part, { after: undefined, offset: before, limit: missing })));
    }
    before = Math.max(0, before - count);
  }
  return rows;
}

async function readOne<Row>(part: ListPart<Row>, slice: Slice): Promise<Read<Row>[]> {
  const rows = await part.read(slice);
  return rows.map(({ row, place }) => ({ row, position: positionIn(part.rank, place) }));
}

/** A part whose rows are known already. */
export function partOfRows<Row>(rank: number, rows: readonly Row[]): ListPart<Row> {
  return {
    rank,
    count: async () => rows.length,
    read: async ({ after, offset, limit }) => {
      const begin = after === undefined ? offset : Math.max(0, Number(after[0]) + 1 || 0);
      return rows.slice(begin, begin + limit).map((row, i) => ({ row, place: [String(begin + i)] }));
    },
  };
}

/** The same part, with rows of another form. */
export const mapPart = <From, To>(
  { rank, count, read }: ListPart<From>,
  toRow: (rows: readonly From[]) => To[] | Promise<To[]>,
): ListPart<To> => ({
  rank,
  count,
  read: async (slice) => {
    const found = await read(slice);
    const rows = await toRow(found.map(({ row }) => row));
    return found.map(({ place }, i) => ({ row: rows[i] as To, place }));
  },
});
