/*
 * A rule of ENS as data: a condition on a row's columns and on the time. TypeScript evaluates it (`holds`), and the API
 * translates it to SQL (`src/api/names/rules/conditionSql.ts`), so that each rule is defined once.
 */

/** A condition on columns of `domains`. A null column satisfies no comparison, so a condition is never null itself. */
export type Condition<Column extends string = string> =
  | { kind: "all" | "any"; of: readonly Condition<Column>[] }
  | { kind: "not"; of: Condition<Column> }
  | NamedCondition<Column>
  | Comparison<Column>;

/** A condition with a name and its values. A table without its columns may have a single column for the name. */
export type NamedCondition<Column extends string = string> = {
  kind: "named";
  name: string;
  values: readonly (string | number)[];
  of: Condition<Column>;
};

/** A condition on one column. */
export type Comparison<Column extends string = string> = { column: Column } & (
  | { kind: "isTrue" | "isPresent" }
  | { kind: "equals"; value: string | number }
  | { kind: "atLeast" | "hasBit"; value: number }
  | { kind: "time"; operator: TimeOperator; seconds: bigint }
);

/** How a time in a column compares with now plus some seconds. */
export type TimeOperator = "<=" | ">";

export type ColumnValue = string | number | bigint | boolean | null;

/** True if all conditions are; true without any. */
export const all = <Column extends string>(...of: Condition<Column>[]): Condition<Column> => ({
  kind: "all",
  of,
});

/** True if one of the conditions is; false without any. */
export const any = <Column extends string>(...of: Condition<Column>[]): Condition<Column> => ({
  kind: "any",
  of,
});

/** True if the condition is false, also because its column is null. */
export const not = <Column extends string>(of: Condition<Column>): Condition<Column> => ({
  kind: "not",
  of,
});

/** Gives a condition a name and values by which SQL can use an own column for it. */
export const named = <Column extends string>(
  name: string,
  of: Condition<Column>,
  values: readonly (string | number)[] = [],
): NamedCondition<Column> => ({ kind: "named", name, values, of });

/** True if a boolean column is true. */
export const isTrue = <Column extends string>(column: Column): Condition<Column> => ({
  kind: "isTrue",
  column,
});

/** True if a column is not null. */
export const isPresent = <Column extends string>(column: Column): Condition<Column> => ({
  kind: "isPresent",
  column,
});

/** True if a column has this value. */
export const equals = <Column extends string>(column: Column, value: string | number): Condition<Column> => ({
  kind: "equals",
  column,
  value,
});

/** True if a number in a column is this or more. */
export const atLeast = <Column extends string>(column: Column, value: number): Condition<Column> => ({
  kind: "atLeast",
  column,
  value,
});

/** True if a bit is set in a column, such as a fuse. */
export const hasBit = <Column extends string>(column: Column, value: number): Condition<Column> => ({
  kind: "hasBit",
  column,
  value,
});

/**
 * Compares the time in a column with now plus some seconds.
 *
 * @example time("expiryTimestamp", ">", -90n * 86_400n) // expired less than 90 days ago
 */
export const time = <Column extends string>(
  column: Column,
  operator: TimeOperator,
  seconds = 0n,
): Condition<Column> => ({ kind: "time", column, operator, seconds });

/**
 * Whether a row satisfies a condition.
 *
 * @param now unix seconds
 * @example holds(time("expiryTimestamp", "<=", 0n), { expiryTimestamp: 1_700_000_000n }, 1_800_000_000n) // true
 */
export function holds<Column extends string>(
  condition: Condition<Column>,
  row: Readonly<Record<Column, ColumnValue>>,
  now: bigint,
): boolean {
  switch (condition.kind) {
    case "all":
      return condition.of.every((one) => holds(one, row, now));
    case "any":
      return condition.of.some((one) => holds(one, row, now));
    case "not":
      return !holds(condition.of, row, now);
    case "named":
      return holds(condition.of, row, now);
    default: {
      const value = row[condition.column];
      return value !== null && compares(condition, value, now);
    }
  }
}

function compares(comparison: Comparison, value: NonNullable<ColumnValue>, now: bigint): boolean {
  switch (comparison.kind) {
    case "isTrue":
      return value === true;
    case "isPresent":
      return true;
    case "equals":
      return value === comparison.value;
    case "atLeast":
      return Number(value) >= comparison.value;
    case "hasBit":
      return (Number(value) & comparison.value) !== 0;
    case "time":
      return BigInt(value) > now + comparison.seconds === (comparison.operator === ">");
  }
}
