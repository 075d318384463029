import type { ColumnValue, Condition } from "../../../ens/condition.ts";
import type { Lifetime } from "./availability.ts";

/** The columns that determine a name's life. `isUnseen` is not a column of `domains`. */
export type LifeColumn = Exclude<keyof Lifetime, "labelLength">;

/** A rule of a name's life. */
export type Rule = Condition<LifeColumn>;

/** The values that a rule of a name's life is evaluated on. */
export type LifeRow = Readonly<Record<LifeColumn, ColumnValue>>;

/** True if two conditions are written identically. */
export const same = (one: Rule | boolean, other: Rule | boolean): boolean =>
  one === other || keyOf(one) === keyOf(other);

/** A condition as text, for comparison. */
export const keyOf = (of: Rule | boolean): string =>
  JSON.stringify(of, (_, value) => (typeof value === "bigint" ? `${value}` : value));
