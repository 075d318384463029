import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import {
  afterValues,
  type Keyset,
  orderBy,
  type Position,
  positionOf,
  type RangeName,
  rangeOf,
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
 * Statements of lists whose rows have no one index: all rows are found, counted and sorted, and a page is cut from them. Such
 * a list is of one name, address or directory, and each of its pages costs the same.
 */

/** What tells the prepared statements of a list from each other. */
export type ListForm = {
  direction: SortDirection;
  limit: number;
  range: RangeName;
  counting: "with the page" | "apart";
};

/** PostgreSQL takes 63 characters for the name of a statement: each choice is one of them. */
export const shortOf = ({ direction, limit, range, counting }: ListForm): string =>
  `${direction[0]}${limit}${rangeLetters[range]}${counting === "apart" ? "" : "c"}`;

const rangeLetters: Record<RangeName, string> = {
  all: "",
  values: "v",
  values_after: "w",
  nulls: "n",
  nulls_after: "o",
};

/** Makes the statements of a list, each when it is first needed. */
export function inForms<Form extends ListForm, Made>(
  make: (form: Form, title: string) => Made,
  titleOf: (form: Form) => string = shortOf,
): (form: Form) => Made {
  const made = new Map<string, Made>();
  return (form) => {
    const title = titleOf(form);
    const one = made.get(title) ?? make(form, title);
    made.set(title, one);
    return one;
  };
}

/**
 * A page, as `page`, of the rows that a statement gives, with their number and the position of each.
 *
 * @param keys of the columns of `listed`, in the direction of the form
 */
export function pageOf(rows: SQL, keys: Keyset, { limit, range, counting }: ListForm): SQL {
  const { where, order } = rangeOf(keys, range);
  const total = counting === "apart" ? sql`null::int` : sql`(count(*) over ())::int`;
  return sql`(select listed.*, ${positionOf(keys).sql} as position from (
      select every_row.*, ${total} as total from (${rows}) as every_row
    ) as listed ${where ? sql`where ${where}` : sql``}
    order by ${sql.join(order, sql`, `)} limit ${sql.raw(String(limit))} offset ${sql.placeholder("offset")}) as page`;
}

/** The columns that `pageOf` adds. */
export const pageColumns = {
  total: sql<number | null>`page.total`,
  position: sql<Position>`page.position`,
};

/** Order of the rows of a page, which joins do not keep. */
export const orderOfPage = (keys: Keyset): SQL => sql.join(orderBy(keys), sql`, `);

/** A row as its list gives it. */
type ListedRow = { total: number | null; position: Position };

/** Reads a page by the statement of its form, with the values of its placeholders. */
export async function readPage<Row extends ListedRow>(
  part: Part,
  direction: SortDirection,
  read: (form: ListForm, values: Record<string, unknown>) => Promise<Row[]>,
): Promise<Page<Row>> {
  const ask = (asked: Part) => read(formOf(asked, direction), valuesOf(asked));
  const found = (await ask(part)).slice(0, limitOf(part));
  const { rows, next } = cutPage(found, part);
  if (!part.isCounted) return { total: null, rows, next };
  // After the last row none has the total.
  const total =
    totalOfLast(found, part) ?? (found[0] ?? (await ask({ ...part, after: undefined, page: 1 }))[0])?.total;
  return { total: total ?? 0, rows, next };
}

const formOf = (part: Part, direction: SortDirection): ListForm => ({
  direction,
  limit: preparedLimitOf(part),
  range: part.after === undefined ? "all" : "values_after",
  counting: part.isCounted ? "with the page" : "apart",
});

const valuesOf = (part: Part) => ({ offset: offsetOf(part), ...afterValues(part.after) });
