import type { Comparison, Condition } from "../../../ens/condition.ts";

/** Simplifies a rule, given that some of its comparisons are false. */
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

/** A part equal to `neutral` does not affect a list of this kind; its opposite decides the list. */
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

/** Returns a function that simplifies a rule for names for which these comparisons are false. Results are cached by rule. */
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
 * Simplifies a rule for names on the main chain, where every comparison with a layer 2 chain ID is false. So statements about the
 * main chain alone do not mention other chains.
 */
export const onMainChain = <Column extends string>(rule: Condition<Column>): Condition<Column> =>
  withoutLayer2(rule) as Condition<Column>;

const withoutUnseen = assuming(({ column }) => column === "isUnseen");

/**
 * The rule by which names are counted. A row does not show whether ENSv2 never saw its name: that depends on a registration in
 * ENSv2, and on the opening of its registrar. So all names count as seen, and readers of the counts correct them.
 */
export const asCounted = <Column extends string>(
  rule: Condition<Column>,
): Condition<Exclude<Column, "isUnseen">> => withoutUnseen(rule) as Condition<Exclude<Column, "isUnseen">>;

/** True if a rule differs for names that ENSv2 never saw. */
export const dependsOnUnseen = (rule: Condition): boolean => withoutUnseen(rule) !== rule;
