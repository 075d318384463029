import type { Placeholder, SQL } from "drizzle-orm";
import { sql } from "ponder";
import type { Values } from "../../server/postgres/prepared.ts";
import {
  canBeNull,
  type Keyset,
  orderBy,
  type Position,
  positionOf,
  type RangeName,
  rangeOf,
  rangesFrom,
  readRanges,
} from "./keyset.ts";
import { cutPage, limitOf, offsetOf, type Page, type Part, type SortDirection, totalOfLast } from "./page.ts";

/**
 * Pages of every list. `readList` reads a page in the order of the list's keys. Where no index has that order, `pageOf` finds,
 * counts and sorts all rows; such a list belongs to one name, address or directory. `parts.ts` concatenates several lists.
 */

/** The rows that a page reads from one range of a list. */
export type Slice = { where: SQL | undefined; order: SQL[]; limit: number; offset: number };

/** The columns every list reads: the row's position and, if rows are counted with the page, the length of the whole list. */
export type Listed = { position: Position; total?: number | null };

type List<Row> = {
  keys: Keyset;
  read: (slice: Slice) => PromiseLike<Row[]>;
  /** Called only if the number of rows in the page does not determine the length of the list. */
  count: (found: readonly Row[]) => PromiseLike<number>;
};

/**
 * Reads a page of a list, with the length of the list if the caller wants it.
 *
 * @throws PageTooDeep
 * @example
 * const keys = linkKeys();
 * return readList(part, {
 *   keys,
 *   read: ({ where, order, limit, offset }) =>
 *     db.select({ node, position: positionOf(keys) }).from(ensv2Link).where(and(isLink, where))
 *       .orderBy(...order).limit(limit).offset(offset),
 *   count: () => db.$count(ensv2Link, isLink),
 * });
 */
export async function readList<Row extends Listed>(
  part: Part,
  { keys, read, count }: List<Row>,
): Promise<Page<Row>> {
  const offset = offsetOf(part);
  const ranges: RangeName[] = offset > 0 ? ["all"] : rangesFrom(canBeNull(keys), part.after);
  const found = await readRanges(ranges, limitOf(part), async (name, limit) =>
    read({ ...rangeOf(keys, name, part.after), limit, offset }),
  );
  return toPage(part, found, count);
}

async function toPage<Row extends Listed>(
  part: Part,
  found: Row[],
  count: List<Row>["count"],
): Promise<Page<Row>> {
  const { rows, next } = cutPage(found, part);
  return { total: part.isCounted ? (totalOfLast(found, part) ?? (await count(found))) : null, rows, next };
}

/**
 * The slice of a list whose rows are all found, counted and sorted, and the keys of its order. Its bounds are placeholders, so
 * that statements with one `title` have one text.
 */
export type FoundSlice = {
  keys: Keyset;
  where: SQL | undefined;
  limit: Placeholder;
  offset: Placeholder;
  title: string;
  /** The values of the placeholders. */
  values: Values;
};

/** A page, as `page`, of the rows that a statement finds. The keys are columns of the statement. */
export function pageOf(rows: SQL, { keys, where, limit, offset }: FoundSlice): SQL {
  const order = sql.join(orderBy(keys), sql`, `);
  return sql`(select listed.*, row_number() over (order by ${order}) as place from (
    select listed.*, ${positionOf(keys).sql} as position from (
      select every_row.*, (count(*) over ())::int as total from (${rows}) as every_row
    ) as listed ${where ? sql`where ${where}` : sql``}
    order by ${order} limit ${limit} offset ${offset}) as listed) as page`;
}

/** The columns that `pageOf` adds. */
export const pageColumns = {
  total: sql<number>`page.total`,
  position: sql<Position>`page.position`,
};

/** The order of the page's rows, which joins do not keep. */
export const orderOfPage = sql`page.place`;

/** Reads a page of such a list. */
export async function readFound<Row extends Listed>(
  part: Part,
  keys: Keyset,
  read: (slice: FoundSlice) => Promise<Row[]>,
): Promise<Page<Row>> {
  const readPart = (asked: Part) => {
    const { after } = asked;
    const placeholders = after?.map((_, i) => sql.placeholder(`after_${i}`));
    return read({
      keys,
      title: [after ? "after" : "first", ...keys.map(({ direction }) => direction)].join(" "),
      where: placeholders && rangeOf(keys, "values_after", placeholders).where,
      limit: sql.placeholder("limit"),
      offset: sql.placeholder("offset"),
      values: {
        limit: limitOf(asked),
        offset: offsetOf(asked),
        ...Object.fromEntries(after?.map((value, i) => [`after_${i}`, value]) ?? []),
      },
    });
  };
  const found = await readPart(part);
  // If the page begins after the last row, there is no row to contain the total.
  return toPage(
    part,
    found,
    async ([first]) => (first ?? (await readPart({ ...part, after: undefined, page: 1 }))[0])?.total ?? 0,
  );
}

/**
 * History entries in an answer without paging: the newest ones. Hardly any name has more, and 1,000 entries are about 0.5 MB of
 * JSON.
 */
export const MAX_ENTRIES = 1_000;

/** The requested entries of a history: a page, or the newest. */
export type Section = Part | { newest: true; isCounted: boolean };

/**
 * Reads a section of a history. The newest entries are read from its end, whatever the direction in which they are shown.
 *
 * @param read reads a page in a direction
 */
export async function readSection<Row>(
  section: Section,
  direction: SortDirection,
  read: (part: Part, direction: SortDirection) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  if (!("newest" in section)) return read(section, direction);
  const { isCounted } = section;
  const { rows, total } = await read({ page: 1, size: MAX_ENTRIES, isCounted }, "desc");
  // This answer is not a page. A caller pages through all entries by sending `page` or `page_size`.
  return { rows: direction === "asc" ? rows.toReversed() : rows, total, next: null };
}
