import type { ensv2Role, operator, recordDelegate, tokenApproval } from "ponder:schema";
import { type AnyColumn, getTableColumns, type SQL } from "drizzle-orm";
import { and, sql } from "ponder";
import type { Db } from "../../server/postgres/db.ts";
import { type KeyKind, type OrderKey, orderBy, type Position, positionOf, rowsAfter } from "./keyset.ts";
import { cutPage, limitOf, offsetOf, type Page, type Part } from "./page.ts";

/**
 * A list of several parts, each in the order of an index. A page reads the rows of each part that it may contain, so its cost
 * does not depend on its position or on the length of earlier parts.
 */

/** Rows of a part: after a row, or after skipping a number of rows. */
type Slice = { after: Position | undefined; offset: number; limit: number };

/** A part of a list. Its rank never changes, so a cursor finds it again. */
export type ListPart<Row> = {
  rank: number;
  /** The types of the keys that identify a row within its part: at most four. */
  kinds: readonly KeyKind[];
  read: (slice: Slice) => Promise<{ row: Row; position: Position }[]>;
  count: () => PromiseLike<number>;
};

/** Number of keys of a row within its part. The rank comes before them. */
const KEYS = 4;

/** The keys of a position in such a list. */
export const positionKinds: readonly { kind: KeyKind }[] = [
  { kind: "integer" },
  ...Array.from({ length: KEYS }, () => ({ kind: "text" }) as const),
];

const longest: Partial<Record<KeyKind, number>> = { integer: 9, decimal: 78 };

/** The position within a part. A caller may have forged the cursor, so 0 replaces anything that is not a number. */
const positionIn = ({ kinds }: ListPart<unknown>, texts: Position): Position =>
  kinds.map((kind, i) => {
    const text = texts[i] ?? "";
    const most = longest[kind];
    return most === undefined || (/^[0-9]+$/.test(text) && text.length <= most) ? text : "0";
  });

/** A page of a list of several parts. */
export async function readParts<Row>(parts: readonly ListPart<Row>[], part: Part): Promise<Page<Row>> {
  const limit = limitOf(part);
  let skipped = offsetOf(part);
  const [rank, ...texts] = part.after ?? ["-1"];
  const inOrder = [...parts].sort((a, b) => a.rank - b.rank);
  // Few names have a part longer than a page, so most requests count nothing.
  const counts = skipped > 0 ? await Promise.all(inOrder.map((one) => one.count())) : null;
  const found = await Promise.all(
    inOrder.map(async (one, i) => {
      const offset = Math.min(skipped, counts?.[i] ?? 0);
      skipped -= offset;
      if (one.rank < Number(rank)) return { read: [], isWhole: false };
      const after = one.rank === Number(rank) ? positionIn(one, texts) : undefined;
      const rows = await one.read({ after, offset, limit });
      const read = rows.map(({ row, position }) => ({
        row,
        position: [String(one.rank), ...Array.from({ length: KEYS }, (_, key) => position[key] ?? "")],
      }));
      return { read, isWhole: after === undefined && offset === 0 && read.length < limit };
    }),
  );
  const { rows, next } = cutPage(found.flatMap(({ read }) => read).slice(0, limit), part);
  const lengths = inOrder.map(async (one, i) => {
    const { read = [], isWhole } = found[i] ?? {};
    return counts?.[i] ?? (isWhole ? read.length : one.count());
  });
  const total = part.isCounted ? (await Promise.all(lengths)).reduce((sum, length) => sum + length, 0) : null;
  return { total, rows: rows.map(({ row }) => row), next };
}

/** A part whose rows are already known. */
export const partOfRows = <Row>(rank: number, rows: readonly Row[]): ListPart<Row> => ({
  rank,
  kinds: ["integer"],
  count: async () => rows.length,
  read: async ({ after, offset, limit }) => {
    const begin = after === undefined ? offset : Number(after[0]) + 1;
    return rows.slice(begin, begin + limit).map((row, i) => ({ row, position: [String(begin + i)] }));
  },
});

type Table = typeof operator | typeof tokenApproval | typeof recordDelegate | typeof ensv2Role;

/** The kinds of keys by the type of their columns' values; others are texts. */
const kinds: Partial<Record<string, KeyKind>> = { number: "integer", bigint: "decimal" };

const ascending = (column: AnyColumn): OrderKey => ({
  column: sql`${column}`,
  kind: kinds[column.dataType] ?? "text",
  direction: "asc",
});

/** A part read from one table, in the order of some columns. */
export const partOf = <Of extends Table>(
  db: Db,
  table: Of,
  { rank, where, columns }: { rank: number; where: SQL; columns: readonly AnyColumn[] },
): ListPart<Of["$inferSelect"]> => ({
  rank,
  kinds: columns.map((column) => ascending(column).kind),
  count: () => db.$count(table, where),
  read: async ({ after, offset, limit }) => {
    const keys = columns.map(ascending);
    const rows = await db
      .select({ row: getTableColumns(table as Table), position: positionOf(keys) })
      .from(table as Table)
      .where(and(where, after && rowsAfter(keys, after)))
      .orderBy(...orderBy(keys))
      .limit(limit)
      .offset(offset);
    return rows as { row: Of["$inferSelect"]; position: Position }[];
  },
});

/** The same part, with its rows mapped to another type. */
export const mapPart = <From, To>(
  { read, ...part }: ListPart<From>,
  toRow: (rows: readonly From[]) => To[] | Promise<To[]>,
): ListPart<To> => ({
  ...part,
  read: async (slice) => {
    const found = await read(slice);
    const rows = await toRow(found.map(({ row }) => row));
    return found.map(({ position }, i) => ({ row: rows[i] as To, position }));
  },
});

/** The same part, with each row mapped on its own. */
export const mapRows = <From, To>(part: ListPart<From>, toRow: (row: From) => To): ListPart<To> =>
  mapPart(part, (rows) => rows.map(toRow));
