import type { Placeholder, SQL } from "drizzle-orm";
import { sql } from "ponder";
import {
  afterValues,
  canBeNull,
  type Keyset,
  type Position,
  positionOf,
  type RangeName,
  rangeOf,
  rangesFrom,
  readRanges,
  valuesAt,
} from "./keyset.ts";
import {
  cutPage,
  limitOf,
  offsetOf,
  type Page,
  type Part,
  preparedLimitOf,
  type SortDirection,
  totalOfLast,
} from "./page.ts";

/*
 * Pages of every list. `readList` reads a page in the order of the list's keys. Where no index has that order, `pageOf` finds
 * all rows of the list, counts and sorts them; such a list is of one name, address or directory. `parts.ts` joins several lists.
 */

/** The rows that a page reads from one range of a list. */
export type Slice = { where: SQL | undefined; order: SQL[]; limit: number; offset: number };

/** What a list reads: the position of each row and, where rows are counted with the page, the length of the whole list. */
export type Listed = { position: Position; total?: number | null };

type List<Row> = {
  keys: Keyset;
  read: (slice: Slice) => PromiseLike<Row[]>;
  /** Called only where the number of the page's rows does not tell how long the list is. */
  count: (found: readonly Row[]) => PromiseLike<number>;
};

/**
 * Reads a page of a list, and its length if the caller wants it.
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
    read({ ...rangeOf(keys, name, valuesAt(part.after)), limit, offset }),
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

/** What differs between the prepared statements of a list whose rows are all found, counted and sorted. */
export type ListForm = { direction: SortDirection; limit: number; isAfter: boolean };

/** Makes the statements of such a list, each when it is first needed. The title distinguishes them. */
export function inForms<Made>(make: (form: ListForm, title: string) => Made): (form: ListForm) => Made {
  const made = new Map<string, Made>();
  return (form) => {
    const title = `${form.direction[0]}${form.limit}${form.isAfter ? "w" : ""}`;
    const one = made.get(title) ?? make(form, title);
    made.set(title, one);
    return one;
  };
}

/** What a prepared statement reads: placeholders stand for the position and the offset. */
export const sliceOf = (keys: Keyset, { limit, isAfter }: ListForm): PreparedSlice => ({
  ...rangeOf(keys, isAfter ? "values_after" : "all"),
  limit,
  offset: sql.placeholder("offset"),
});

type PreparedSlice = Omit<Slice, "offset"> & { offset: number | Placeholder };

/**
 * A page, as `page`, of the rows that a statement finds.
 *
 * @param keys of the statement's columns
 */
export function pageOf(rows: SQL, keys: Keyset, { where, limit, offset, ...slice }: PreparedSlice): SQL {
  const order = sql.join(slice.order, sql`, `);
  return sql`(select listed.*, row_number() over (order by ${order}) as place from (
    select listed.*, ${positionOf(keys).sql} as position from (
      select every_row.*, (count(*) over ())::int as total from (${rows}) as every_row
    ) as listed ${where ? sql`where ${where}` : sql``}
    order by ${order} limit ${sql.raw(String(limit))} offset ${offset}) as listed) as page`;
}

/** The columns that `pageOf` adds. */
export const pageColumns = {
  total: sql<number>`page.total`,
  position: sql<Position>`page.position`,
};

/** The order of the page's rows, which joins do not keep. */
export const orderOfPage = sql`page.place`;

type ReadForm<Row> = (form: ListForm, values: Record<string, unknown>) => Promise<Row[]>;

/** Reads a page by the statement of its form, with the values of its placeholders. */
export async function readFound<Row extends Listed>(
  part: Part,
  direction: SortDirection,
  statement: ReadForm<Row>,
): Promise<Page<Row>> {
  const values = (asked: Part) => ({ offset: offsetOf(asked), ...afterValues(asked.after) });
  const limit = preparedLimitOf(part);
  const read = (asked: Part) =>
    statement({ direction, limit, isAfter: asked.after !== undefined }, values(asked));
  const found = (await read(part)).slice(0, limitOf(part));
  // No row has the total where the page begins after the last one.
  return toPage(
    part,
    found,
    async ([first]) => (first ?? (await read({ ...part, after: undefined, page: 1 }))[0])?.total ?? 0,
  );
}

/**
 * Entries of a history in an answer to a caller who asks for no page: the newest ones. Hardly any name has more, and
 * 1,000 entries are about 0.5 MB of JSON.
 */
export const MAX_ENTRIES = 1_000;

/** Which entries of a history: a page, or the newest. */
export type Section = Part | { newest: true; isCounted: boolean };

/** A section of a history that is shown oldest first. Its newest entries are found from the end. */
export async function oldestFirst<Row extends Listed>(
  section: Section,
  read: ReadForm<Row>,
): Promise<Page<Row>> {
  if (!("newest" in section)) return readFound(section, "asc", read);
  const listed = await newestFirst(section, read);
  return { ...listed, rows: listed.rows.toReversed() };
}

/** A section of a history that is shown newest first. */
export async function newestFirst<Row extends Listed>(
  section: Section,
  read: ReadForm<Row>,
): Promise<Page<Row>> {
  if (!("newest" in section)) return readFound(section, "desc", read);
  const { isCounted } = section;
  const listed = await readFound({ page: 1, size: MAX_ENTRIES, isCounted }, "desc", read);
  // Such an answer is no page: `page` or `page_size` begin the way through all entries.
  return { ...listed, next: null };
}
