import type { Condition } from "../../../ens/condition.ts";
import { assuming } from "./assumeFalse.ts";

const withoutUnseen = assuming(({ column }) => column === "isUnseen");

/**
 * A rule as names are counted by it. A row does not say whether ENSv2 never saw its name: a registration of ENSv2 decides it,
 * and the opening of its registrar. So all names count as seen, and readers of the counts correct them.
 */
export const asCounted = <Column extends string>(
  rule: Condition<Column>,
): Condition<Exclude<Column, "isUnseen">> => withoutUnseen(rule) as Condition<Exclude<Column, "isUnseen">>;

/** Whether a rule is another one for names that ENSv2 never saw. */
export const dependsOnUnseen = (rule: Condition): boolean => withoutUnseen(rule) !== rule;
