import type { domain } from "ponder:schema";
import type { Comparison, Condition, NamedCondition } from "../../../ens/condition.ts";
import { lapsed, unexplained } from "./ownership.ts";

// Operator tools write conditions, too, so nothing here may load Ponder or its schema.

/** How to write the parts of a condition that differ between statements. */
export type Dialect<Part> = {
  column: (name: string) => Part;
  /** The time this many seconds after now. */
  time: (seconds: bigint) => Part;
  value: (value: string | number) => Part;
  /** Writes a named condition as a whole; undefined if its columns are to be written instead. */
  named?: (condition: NamedCondition) => Part | undefined;
};

/** Columns that conditions may name. */
export type DomainColumn = keyof typeof domain.$inferSelect;

/** Seconds and values are written as literals: none of them comes from a caller. */
export const asText = (column: (name: string) => string, now: string): Dialect<string> => ({
  column,
  time: (seconds) => (seconds === 0n ? now : `${now} ${seconds < 0n ? "-" : "+"} ${abs(seconds)}`),
  value: (value) => (typeof value === "number" ? String(value) : `'${value}'`),
});

const abs = (seconds: bigint) => (seconds < 0n ? -seconds : seconds);

/** A condition on a row `d` of `domains`, as text. `now` is SQL, too. */
export const toRowText = (condition: Condition<DomainColumn>, now: string): string =>
  write(
    condition,
    asText((name) => `d.${snakeCase(name)}`, now),
  ).join("");

/** The name of the column in PostgreSQL. */
export const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Writes a condition as SQL that is never null, so that `not` and `count(*) filter` work. */
export function write<Part>(condition: Condition, dialect: Dialect<Part>): (string | Part)[] {
  switch (condition.kind) {
    case "all":
      return condition.of.length === 0 ? ["true"] : joined(condition.of, " and ", dialect);
    case "any":
      return condition.of.length === 0 ? ["false"] : joined(condition.of, " or ", dialect);
    case "named": {
      const byName = dialect.named?.(condition);
      return byName === undefined ? write(condition.of, dialect) : [byName];
    }
    case "not":
      return ["(not ", ...write(condition.of, dialect), ")"];
    default:
      return comparison(condition, dialect);
  }
}

const joined = <Part>(of: readonly Condition[], word: string, dialect: Dialect<Part>): (string | Part)[] => [
  "(",
  ...of.flatMap((one, i) => [...(i > 0 ? [word] : []), ...write(one, dialect)]),
  ")",
];

/** Columns of `isTrue` are never null. For all others, null is checked on the bare column, so that indexes can be used. */
function comparison<Part>(test: Comparison, { column, time, value }: Dialect<Part>): (string | Part)[] {
  const at = column(test.column);
  switch (test.kind) {
    case "isTrue":
      return [at];
    case "isPresent":
      return ["(", at, " is not null)"];
    case "equals":
      return ["(", at, " is not distinct from ", value(test.value), ")"];
    case "atLeast":
      return ["(", at, " is not null and ", at, " >= ", value(test.value), ")"];
    case "hasBit":
      return ["(", at, " is not null and (", at, " & ", value(test.value), ") <> 0)"];
    case "time":
      return ["(", at, " is not null and ", at, ` ${test.operator} `, time(test.seconds), ")"];
  }
}

/**
 * Effective owner of a row `d` of `domains` at `now`, as text. A lapsed name falls to the registrar's owner, or to the
 * registry's. Null if it is unknown whether the name lapsed.
 */
export const ownerText = (now: string): string =>
  `case when not ${toRowText(lapsed, now)} then d.effective_owner_address
    when not ${toRowText(unexplained, now)} then coalesce(d.registrar_owner, d.registry_owner) end`;
