import type { Condition } from "../../ens/condition.ts";

const folded = new WeakMap<Condition, Condition>();

/**
 * What is left of a rule for names of the main chain: its comparisons with the ids of layer 2s are all false there. So
 * where the main chain alone is asked, a statement says nothing of other chains.
 */
export function onMainChain<Column extends string>(rule: Condition<Column>): Condition<Column> {
  const known = folded.get(rule);
  if (known !== undefined) return known as Condition<Column>;
  const left = fold(rule);
  if (typeof left === "boolean") throw new Error("A rule must not depend on the chain alone");
  folded.set(rule, left);
  return left as Condition<Column>;
}

function fold(rule: Condition): Condition | boolean {
  switch (rule.kind) {
    case "all":
      return foldMany(rule, { neutral: true });
    case "any":
      return foldMany(rule, { neutral: false });
    case "not": {
      const of = fold(rule.of);
      if (typeof of === "boolean") return !of;
      return of === rule.of ? rule : { kind: "not", of };
    }
    default:
      return rule.column === "chainId" ? false : rule;
  }
}

/** `neutral` changes nothing in a list of this kind, its opposite decides it. */
function foldMany(
  rule: Extract<Condition, { kind: "all" | "any" }>,
  { neutral }: { neutral: boolean },
): Condition | boolean {
  const of = rule.of.map(fold);
  if (of.includes(!neutral)) return !neutral;
  const left = of.filter((one) => typeof one !== "boolean");
  const [only] = left;
  if (only === undefined) return rule.of.length === 0 ? rule : neutral;
  if (left.length === 1 && rule.of.length > 1) return only;
  return left.every((one, i) => one === rule.of[i]) && left.length === of.length
    ? rule
    : { kind: rule.kind, of: left };
}
