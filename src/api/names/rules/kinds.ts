import { all, any, type ColumnValue, type Condition, holds, not } from "../../../ens/condition.ts";
import type { Lifetime } from "./availability.ts";
import {
  isEnsv2,
  isLasting,
  isOfLayer2,
  isOfRegistrar,
  isRetired,
  isToken,
  isUnseen,
  isWithoutPremium,
} from "./nameRules.ts";
import type { Ensv2Terms, Kind } from "./stages.ts";

/** The columns that determine a name's life. `isUnseen` is not a column of `domains`. */
export type LifeColumn = Exclude<keyof Lifetime, "labelLength">;

/** A rule of a name's life. */
export type Rule = Condition<LifeColumn>;

/** The values that a rule of a name's life is evaluated on. */
export type LifeRow = Readonly<Record<LifeColumn, ColumnValue>>;

/** True if two conditions are written identically. */
const same = (one: Rule | boolean, other: Rule | boolean): boolean =>
  one === other || keyOf(one) === keyOf(other);

/** A condition as text, for comparison. */
export const keyOf = (of: Rule | boolean): string =>
  JSON.stringify(of, (_, value) => (typeof value === "bigint" ? `${value}` : value));

/**
 * The decision tree for the kind of a name: questions in order, each with a rule. TypeScript walks the tree. SQL gets one
 * condition for a set of kinds, with only the questions needed to tell these from the others.
 */

/** A kind, or a question with the decisions that follow. */
export type Decision = Kind | { is: Rule; yes: Decision; no: Decision };

const ofLayer2: Decision = { is: isWithoutPremium, yes: "ofLayer2WithoutPremium", no: "ofLayer2" };

const ofSubname: Decision = {
  is: isToken,
  yes: "token",
  no: { is: isLasting, yes: "lastingSubname", no: "subname" },
};

const ofEnsv1: Decision = {
  is: isOfRegistrar,
  yes: { is: isOfLayer2, yes: ofLayer2, no: "eth" },
  no: ofSubname,
};

/** A layer 2 has no ENSv2 names. */
const ofBoth = ({ nonOwners, ethRegistry }: Ensv2Terms): Decision => ({
  is: isOfRegistrar,
  yes: {
    is: isEnsv2,
    yes: "ethOfEnsv2",
    no: {
      is: isRetired(nonOwners),
      yes: "retiredEth",
      no: {
        is: isOfLayer2,
        yes: ofLayer2,
        no: { is: isUnseen(ethRegistry), yes: "unseenEth", no: "eth" },
      },
    },
  },
  no: { is: isEnsv2, yes: "subnameOfEnsv2", no: ofSubname },
});

/** The decision tree of a deployment. */
export const decisionIn = (terms: Ensv2Terms | undefined): Decision =>
  terms === undefined ? ofEnsv1 : ofBoth(terms);

/** All kinds in a decision tree. */
export const kindsOf = (decision: Decision): Kind[] =>
  typeof decision === "string" ? [decision] : [...kindsOf(decision.yes), ...kindsOf(decision.no)];

/** The kind of a name. */
export function kindOf(decision: Decision, row: LifeRow): Kind {
  if (typeof decision === "string") return decision;
  return kindOf(holds(decision.is, row, 0n) ? decision.yes : decision.no, row);
}

/** A condition, or the same answer for all names. */
export type Answer = Rule | boolean;

/**
 * The condition for some kinds.
 *
 * @param isWanted undefined for a kind for which either answer is right, since no such name can occur
 * @returns undefined if that is true for all kinds
 */
export function isOfKinds(
  decision: Decision,
  isWanted: (kind: Kind) => boolean | undefined,
): Answer | undefined {
  if (typeof decision === "string") return isWanted(decision);
  const yes = isOfKinds(decision.yes, isWanted);
  const no = isOfKinds(decision.no, isWanted);
  if (yes === undefined) return no;
  return no === undefined || same(yes, no) ? yes : answeredBy(decision.is, yes, no);
}

/** Combines two different answers to the sides of a question. */
function answeredBy(is: Rule, yes: Answer, no: Answer): Rule {
  const isNot = not(is);
  if (yes === true) return no === false ? is : any(is, toRule(no));
  if (no === true) return yes === false ? isNot : any(isNot, toRule(yes));
  if (yes === false) return all(isNot, toRule(no));
  return no === false ? all(is, toRule(yes)) : any(all(is, toRule(yes)), all(isNot, toRule(no)));
}

/** An answer as a rule: an empty `all` matches every name, an empty `any` none. */
export const toRule = (answer: Answer): Rule =>
  typeof answer === "boolean" ? (answer ? all() : any()) : answer;
