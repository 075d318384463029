import type { Comparison, Condition } from "../../../ens/condition.ts";

/** What is left of a rule where some of its comparisons are false. */
function assumeFalse(rule: Condition, isFalse: (one: Comparison) => boolean): Condition | boolean {
  switch (rule.kind) {
    case "all":
      return assumeInList(rule, isFalse, { neutral: true });
    case "any":
      return assumeInList(rule, isFalse, { neutral: false });
    case "not":
    case "named": {
      const of = assumeFalse(rule.of, isFalse);
      if (typeof of === "boolean") return rule.kind === "not" ? !of : of;
      return of === rule.of ? rule : { ...rule, of };
    }
    default:
      return isFalse(rule) ? false : rule;
  }
}

/** `neutral` changes nothing in a list of this kind, its opposite decides it. */
function assumeInList(
  rule: Extract<Condition, { kind: "all" | "any" }>,
  isFalse: (one: Comparison) => boolean,
  { neutral }: { neutral: boolean },
): Condition | boolean {
  const of = rule.of.map((one) => assumeFalse(one, isFalse));
  if (of.includes(!neutral)) return !neutral;
  const left = of.filter((one) => typeof one !== "boolean");
  const [only] = left;
  if (only === undefined) return neutral;
  if (left.length === 1 && rule.of.length > 1) return only;
  return left.every((one, i) => one === rule.of[i]) && left.length === of.length
    ? rule
    : { kind: rule.kind, of: left };
}

/** The same rule for names for which these comparisons are false, made once for each rule. */
function assuming(isFalse: (one: Comparison) => boolean) {
  const made = new WeakMap<Condition, Condition>();
  return (rule: Condition): Condition => {
    const known = made.get(rule);
    if (known !== undefined) return known;
    const left = assumeFalse(rule, isFalse);
    const folded: Condition = typeof left === "boolean" ? { kind: left ? "all" : "any", of: [] } : left;
    made.set(rule, folded);
    return folded;
  };
}

const withoutLayer2 = assuming(({ column }) => column === "chainId");

/**
 * What is left of a rule for names of the main chain: its comparisons with the ids of layer 2s are all false there. So
 * where the main chain alone is asked, a statement says nothing of other chains.
 */
export const onMainChain = <Column extends string>(rule: Condition<Column>): Condition<Column> =>
  withoutLayer2(rule) as Condition<Column>;

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
