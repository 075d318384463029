import type { SQL } from "drizzle-orm";
import { or, sql } from "ponder";
import { unseen } from "./arrays.ts";
import type { SortDirection } from "./page.ts";

/*
 * Keyset paging: a page begins after the row at which the page before it ended, and that row is told by the values of the
 * columns that sort the list. An index of these columns leads there, so a late page costs what the first one does, and rows
 * that come or go elsewhere move nothing.
 */

/** What a key's values are. `bigint`: as int8 holds; `decimal`: whole, of any length that a chain can store. */
export type KeyKind = "text" | "integer" | "bigint" | "decimal" | "hash" | "address";

/** One column, or expression, of a list's order. */
export type OrderKey = {
  column: SQL;
  kind: KeyKind;
  direction: SortDirection;
  /**
   * The expression of an index that begins with this key, where it is not the column itself: names have no limit that an
   * index could hold, so indexes have their beginning.
   */
  inIndex?: (value: SQL) => SQL;
  /** The key is null for some rows; these come last in both directions. Only the first key may be so. */
  isNullable?: true;
  /** When the key is null, where another condition than its column says so. An index may be of the rows that do not meet it. */
  isNull?: SQL;
};

/** The order of a list. The keys together name one row: the last ones break ties. */
export type Keyset = readonly OrderKey[];

/** The keys of one row, as PostgreSQL writes them. */
export type Position = readonly (string | null)[];

const castTo: Record<KeyKind, SQL> = {
  text: sql`text`,
  hash: sql`text`,
  address: sql`text`,
  integer: sql`int`,
  bigint: sql`bigint`,
  decimal: sql`numeric`,
};

const directed = (column: SQL, direction: SortDirection): SQL => sql`${column} ${sql.raw(direction)}`;

/** What an index of the key is of. */
const termsOf = ({ column, inIndex }: OrderKey): SQL[] => (inIndex ? [inIndex(column), column] : [column]);

/** ORDER BY of a list. */
export const orderBy = (keys: Keyset): SQL[] =>
  keys.flatMap((key) =>
    termsOf(key).map((term) =>
      key.isNullable ? sql`${directed(term, key.direction)} nulls last` : directed(term, key.direction),
    ),
  );

/** The keys of a row, for the list of columns that a statement selects. */
export const positionOf = (keys: Keyset): SQL.Aliased<Position> =>
  sql<Position>`array[${sql.join(
    keys.map(({ column }) => sql`${column}::text`),
    sql`, `,
  )}]`.as("position");

/** Gives the value of a key: itself, or the placeholder of a prepared statement. */
export type ValueOf = (place: number) => unknown;

/** Name of the placeholder for a key's value in a prepared statement. */
const placeholderOf = (place: number): string => `after${place}`;

/** Values of the placeholders. */
export const afterValues = (position: Position = []): Record<string, string | null> =>
  Object.fromEntries(position.map((value, place) => [placeholderOf(place), value]));

/** Rows that stand next to each other in a list, and the order by which an index finds them. */
type Range = { where: SQL | undefined; order: SQL[] };

/**
 * The ranges of a list: all of it; rows whose first key is not null, or is null; and what of these comes after a position.
 */
export type RangeName = "all" | "values" | "values_after" | "nulls" | "nulls_after";

/**
 * The ranges to read one after the other, from the start of a list or from a position on. Where the first key can be null
 * there are two: no index has an order that ends with the nulls in both directions.
 */
export function rangesFrom(canBeNull: boolean, position: Position | undefined): RangeName[] {
  if (!canBeNull) return [position === undefined ? "all" : "values_after"];
  if (position === undefined) return ["values", "nulls"];
  return position[0] === null ? ["nulls_after"] : ["values_after", "nulls"];
}

/**
 * One range of a list. Where the first key is null it sorts nothing, but stands in the order: the planner does not see else that
 * an index that begins with it has the other keys in order. The values of a position are placeholders, unless they are given. */
export function rangeOf(keys: Keyset, name: RangeName, valueAt: ValueOf = asPlaceholder): Range {
  const [first, ...others] = keys;
  const column = first?.column;
  const order = orderBy(keys.map(({ isNullable: _, ...key }) => key));
  const isNull = first?.isNull ?? sql`${column} is null`;
  const isValue = first?.isNull ? sql`not ${isNull}` : sql`${column} is not null`;
  const past = () => isPast(keys, valueAt, 0);
  const orderOfNulls = first?.isNull ? orderBy(others) : order;
  const ranges: Record<RangeName, () => Range> = {
    all: () => ({ where: undefined, order: orderBy(keys) }),
    values: () => ({ where: isValue, order }),
    values_after: () => ({ where: first?.isNull ? sql`(${isValue} and ${past()})` : past(), order }),
    nulls: () => ({ where: isNull, order: orderOfNulls }),
    nulls_after: () => ({ where: sql`(${isNull} and ${isPast(others, valueAt, 1)})`, order: orderOfNulls }),
  };
  return ranges[name]();
}

/** Gives placeholders, which `afterValues` fills. */
export const asPlaceholder: ValueOf = (place) => sql.placeholder(placeholderOf(place));

/** Gives the values of a position to a statement that is made for one question. */
export const valuesAt =
  (position: Position | undefined): ValueOf =>
  (place) =>
    position?.[place];

/** The same values, which the planner does not see. */
export const unseenValues =
  (valueAt: ValueOf): ValueOf =>
  (place) =>
    unseen(sql`${valueAt(place)}::text`);

export const canBeNull = (keys: Keyset): boolean => keys[0]?.isNullable === true;

/** The condition for rows after a position, in a list that is found first and sorted then. */
export const rowsAfter = (keys: Keyset, position: Position): SQL | undefined =>
  or(...rangesFrom(canBeNull(keys), position).map((name) => rangeOf(keys, name, valuesAt(position)).where));

/**
 * Reads ranges one after the other, until there are enough rows.
 *
 * @param read rows of a range, at most `limit` of them
 */
export async function readRanges<Row>(
  names: readonly RangeName[],
  limit: number,
  read: (name: RangeName, limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of names) {
    if (rows.length < limit) rows.push(...(await read(name, limit - rows.length)));
  }
  return rows.slice(0, limit);
}

/** The condition for rows whose keys, from a place on, come after these values. None of the two is null. */
function isPast(keys: Keyset, valueAt: ValueOf, from: number): SQL {
  const compared = keys.flatMap((key, i) => {
    const value = sql`${valueAt(from + i)}::${castTo[key.kind]}`;
    const pair = { direction: key.direction, term: key.column, value };
    return key.inIndex
      ? [{ ...pair, term: key.inIndex(key.column), value: key.inIndex(value) }, pair]
      : [pair];
  });
  const isOneWay = compared.every(({ direction }) => direction === compared[0]?.direction);
  return isOneWay ? isPastAsRow(compared) : isPastInTurn(compared);
}

type Compared = { direction: SortDirection; term: SQL; value: SQL };

const signOf = ({ direction }: Compared): SQL => sql.raw(direction === "asc" ? ">" : "<");

/** A row comparison, which an index reads as a range. */
const isPastAsRow = (compared: readonly Compared[]): SQL => {
  const terms = sql.join(
    compared.map(({ term }) => term),
    sql`, `,
  );
  const values = sql.join(
    compared.map(({ value }) => value),
    sql`, `,
  );
  return sql`(${terms}) ${signOf(compared[0] as Compared)} (${values})`;
};

/** The same for keys of mixed directions, which a row comparison cannot express. */
const isPastInTurn = ([first, ...others]: readonly Compared[]): SQL => {
  if (first === undefined) return sql`false`;
  const { term, value } = first;
  const sign = signOf(first);
  if (others.length === 0) return sql`${term} ${sign} ${value}`;
  return sql`(${term} ${sign}= ${value} and (${term} ${sign} ${value} or ${isPastInTurn(others)}))`;
};
