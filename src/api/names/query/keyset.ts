import type { SQL } from "drizzle-orm";
import { or, sql } from "ponder";
import type { SortDirection } from "./page.ts";

/**
 * Keyset paging: a page begins after the last row of the previous page, which is identified by the values of the columns that
 * sort the list. An index on these columns leads there, so a late page costs as much as the first one, and rows added or removed
 * elsewhere do not shift it.
 */

/** The type of a key's values. `bigint` fits int8; `decimal` is a whole number of any length that a chain can store. */
export type KeyKind = "text" | "integer" | "bigint" | "decimal" | "hash" | "address";

/** One column or expression of a list's order. */
export type OrderKey = {
  column: SQL;
  kind: KeyKind;
  direction: SortDirection;
  /**
   * The first expression of the index for this key, if it is not the column itself. Names are longer than an index entry can be,
   * so indexes contain their beginning.
   */
  inIndex?: (value: SQL) => SQL;
  /** The key is null for some rows, which come last in both directions. Only the first key may be nullable. */
  isNullable?: true;
  /**
   * When the key counts as null, if another condition than its column decides. A partial index may contain the rows that do not
   * match it.
   */
  isNull?: SQL;
};

/** The order of a list. The keys together identify a row: the last ones break ties. */
export type Keyset = readonly OrderKey[];

/** The keys of one row, in PostgreSQL's text form. */
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

/** The index expressions of a key. */
const termsOf = ({ column, inIndex }: OrderKey): SQL[] => (inIndex ? [inIndex(column), column] : [column]);

/** ORDER BY of a list. */
export const orderBy = (keys: Keyset): SQL[] =>
  keys.flatMap((key) =>
    termsOf(key).map((term) =>
      key.isNullable ? sql`${directed(term, key.direction)} nulls last` : directed(term, key.direction),
    ),
  );

/** The keys of a row, as a column to select. */
export const positionOf = (keys: Keyset): SQL.Aliased<Position> =>
  sql<Position>`array[${sql.join(
    keys.map(({ column }) => sql`${column}::text`),
    sql`, `,
  )}]`.as("position");

/** Consecutive rows of a list, and the order in which an index returns them. */
type Range = { where: SQL | undefined; order: SQL[] };

/**
 * The ranges of a list: all rows; rows whose first key is not null, or is null; and the rows of each that come after a position.
 */
export type RangeName = "all" | "values" | "values_after" | "nulls" | "nulls_after";

/**
 * The ranges to read in turn, from the start of a list or from a position. If the first key is nullable there are two, because no
 * index sorts nulls last in both directions.
 */
export function rangesFrom(canBeNull: boolean, position: Position | undefined): RangeName[] {
  if (!canBeNull) return [position === undefined ? "all" : "values_after"];
  if (position === undefined) return ["values", "nulls"];
  return position[0] === null ? ["nulls_after"] : ["values_after", "nulls"];
}

/**
 * One range of a list, after the values of a position. A null first key sorts nothing but stays in the order: otherwise the planner does not see that an index
 * that begins with it sorts by the other keys.
 */
export function rangeOf(keys: Keyset, name: RangeName, after: readonly unknown[] = []): Range {
  const [first, ...others] = keys;
  const column = first?.column;
  const order = orderBy(keys.map(({ isNullable: _, ...key }) => key));
  const isNull = first?.isNull ?? sql`${column} is null`;
  const isValue = first?.isNull ? sql`not ${isNull}` : sql`${column} is not null`;
  const past = () => isPast(keys, after);
  const orderOfNulls = first?.isNull ? orderBy(others) : order;
  const ranges: Record<RangeName, () => Range> = {
    all: () => ({ where: undefined, order: orderBy(keys) }),
    values: () => ({ where: isValue, order }),
    values_after: () => ({ where: first?.isNull ? sql`(${isValue} and ${past()})` : past(), order }),
    nulls: () => ({ where: isNull, order: orderOfNulls }),
    nulls_after: () => ({
      where: sql`(${isNull} and ${isPast(others, after.slice(1))})`,
      order: orderOfNulls,
    }),
  };
  return ranges[name]();
}

export const canBeNull = (keys: Keyset): boolean => keys[0]?.isNullable === true;

/** The condition for rows after a position, for a list that is found first and sorted afterwards. */
export const rowsAfter = (keys: Keyset, position: Position): SQL | undefined =>
  or(...rangesFrom(canBeNull(keys), position).map((name) => rangeOf(keys, name, position).where));

/**
 * Reads ranges in turn until there are enough rows.
 *
 * @param read returns at most `limit` rows of a range
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

/** The condition for rows whose keys come after these values. Neither side is null. */
function isPast(keys: Keyset, values: readonly unknown[]): SQL {
  const compared = keys.flatMap((key, i) => {
    const value = sql`${values[i]}::${castTo[key.kind]}`;
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
