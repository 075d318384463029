import type { ColumnValue, Condition } from "../../../ens/condition.ts";
import type { Lifetime } from "./availability.ts";

/** The columns that decide a name's life. `isUnseen` is not a column of `domains`. */
export type LifeColumn = Exclude<keyof Lifetime, "labelLength">;

/** A rule of a name's life. */
export type Rule = Condition<LifeColumn>;

/** What a rule of a name's life is judged by. */
export type LifeRow = Readonly<Record<LifeColumn, ColumnValue>>;

/** Whether two conditions are written the same. */
export const same = (one: Rule | boolean, other: Rule | boolean): boolean =>
  one === other || keyOf(one) === keyOf(other);

/** A condition as text, to compare it. */
export const keyOf = (of: Rule | boolean): string =>
  JSON.stringify(of, (_, value) => (typeof value === "bigint" ? `${value}` : value));
