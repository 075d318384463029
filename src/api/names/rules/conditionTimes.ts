import type { Comparison, Condition } from "../../../ens/condition.ts";

export type TimeComparison<Column extends string = string> = Extract<Comparison<Column>, { kind: "time" }>;

/** The time comparisons in a rule. */
export function timesIn<Column extends string>(rule: Condition<Column>): TimeComparison<Column>[] {
  switch (rule.kind) {
    case "all":
    case "any":
      return rule.of.flatMap((one) => timesIn(one));
    case "not":
    case "named":
      return timesIn(rule.of);
    case "time":
      return [rule];
    default:
      return [];
  }
}
