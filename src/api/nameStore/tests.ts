import { type Condition, isPresent, isTrue, not } from "../../ens/condition.ts";
import { dependsOnUnseen } from "../rules/asCounted.ts";
import { type DomainColumn, toRowText } from "../rules/conditionText.ts";
import { timesIn } from "../rules/conditionTimes.ts";
import type { LifeRules } from "../rules/life.ts";
import { isCounted, isEnsv2 } from "../rules/nameRules.ts";
import { wrapped } from "../rules/ownership.ts";

/*
 * How the store decides the rules of a search. A rule is split where time comes in: what time does not change is decided by
 * PostgreSQL when a row is read, one bit for each part, and the rest are comparisons of a time in a column. So no rule is written
 * again: both halves come from it.
 */

/** Columns that hold times. */
export const timeColumns = ["expiryTimestamp", "wrapperExpiryTimestamp", "pathExpiryTimestamp"] as const;

export type TimeColumn = (typeof timeColumns)[number];

/** A rule as the store decides it at one time. `bit`: the number of a part. */
export type Test =
  | { kind: "bit"; bit: number }
  | { kind: "all" | "any"; of: readonly Test[] }
  | { kind: "not"; of: Test }
  | { kind: "time"; column: TimeColumn; operator: "<" | "<=" | ">" | ">="; at: number };

/** Later times are stored as this one, so that nothing is compared with it: it is in the year 2106. */
export const LAST_TIME = 2 ** 32 - 1;

/** Bits of a row: as many as a whole number of JavaScript holds. */
const MOST_BITS = 53;

type Rule = Condition<DomainColumn>;

/** The rules by which a search can filter and count. */
const rulesOf = (life: LifeRules): Rule[] =>
  [
    ...[isCounted, isEnsv2, wrapped, isTrue<DomainColumn>("isWrapped")],
    ...(life.retired === null ? [] : [not(life.retired)]),
    ...[...Object.values(life.availability), life.expired, life.expiringWithin(30), life.expiringWithin(90)],
  ] as Rule[];

const keyOf = (rule: Condition): string => JSON.stringify(rule, (_, value) => asJson(value));
const asJson = (value: unknown): unknown => (typeof value === "bigint" ? `${value}` : value);

const hasTime = (rule: Condition): boolean => timesIn(rule).length > 0;

/** The parts of a rule that time does not change, each as large as can be. */
function partsOf(rule: Condition): Condition[] {
  if (!hasTime(rule)) return [rule];
  switch (rule.kind) {
    case "all":
    case "any":
      return rule.of.flatMap(partsOf);
    case "not":
    case "named":
      return partsOf(rule.of);
    default:
      return [isPresent(rule.column)];
  }
}

/** SQL about a row `d` of `domains`: its bits, as one number, and whether any search can find it. */
export type RowSql = { bits: string; isCounted: string };

/** How the rules of a deployment are decided. */
export type Tests = ReturnType<typeof testsOf>;

/** @throws Error if the rules have more parts than a row has bits */
export function testsOf(life: LifeRules) {
  const presences = timeColumns.map((column) => isPresent<DomainColumn>(column) as Condition);
  const decidable = rulesOf(life).filter((rule) => !dependsOnUnseen(rule)) as Condition[];
  const parts = new Map([...presences, ...decidable.flatMap(partsOf)].map((part) => [keyOf(part), part]));
  if (parts.size > MOST_BITS) throw new Error(`The rules of searches have ${parts.size} parts.`);
  const bits = new Map([...parts.keys()].map((key, bit) => [key, bit]));

  const bitOf = (part: Condition): Test | null => {
    const bit = bits.get(keyOf(part));
    return bit === undefined ? null : { kind: "bit", bit };
  };

  /** A rule at a time, in unix seconds. Null for one that the store cannot decide. */
  const testOf = (rule: Condition, now: number): Test | null => {
    const bit = bitOf(rule);
    if (bit !== null) return bit;
    switch (rule.kind) {
      case "all":
      case "any": {
        const of = rule.of.map((one) => testOf(one, now));
        return of.every((one) => one !== null) ? { kind: rule.kind, of } : null;
      }
      case "not": {
        const of = testOf(rule.of, now);
        return of && { kind: "not", of };
      }
      case "named":
        return testOf(rule.of, now);
      case "time":
        return timeTest(rule, now);
      default:
        return null;
    }
  };

  const timeTest = (rule: Extract<Condition, { kind: "time" }>, now: number): Test | null => {
    const at = now + Number(rule.seconds);
    const column = timeColumns.find((one) => one === rule.column);
    const present = bitOf(isPresent(rule.column));
    if (column === undefined || present === null || at >= LAST_TIME) return null;
    return { kind: "all", of: [present, { kind: "time", column, operator: rule.operator, at }] };
  };

  return {
    life,
    /** A rule as data, at a time. Null for one that the store cannot decide. */
    testOf,
    sql: {
      bits: [...parts.values()]
        .map((part, bit) => `(${toRowText(part as Rule, "null")})::int::bigint << ${bit}`)
        .map((term) => `(${term})`)
        .join(" | "),
      isCounted: toRowText(isCounted, "null"),
    } satisfies RowSql,
  };
}
