import { all, type Condition, isPresent, not } from "../../ens/condition.ts";
import { type DomainColumn, toRowText, write } from "../rules/conditionText.ts";
import { type TimeComparison, timesIn } from "../rules/conditionTimes.ts";
import {
  counted,
  DAY,
  expiringWithin,
  isEnsv2,
  type LifeRules,
  name,
  phases,
  phasesOf,
  registrarName,
} from "../rules/lifetime.ts";
import { lapsed, wrapped } from "../rules/ownership.ts";
import { ownerText } from "../rules/ownershipText.ts";

/*
 * Names are counted by class with every write, so that a total needs no scan of a million rows. The counts hold for one
 * moment, `figures_state.taken_at`. What time alone changes since then, a reader corrects from the few names that it
 * concerns; now and then the moment is moved.
 */

/** The class of a name: the key of `figures_names`. `is_eth`: a second-level name of a registrar, of any chain. */
const columnsOfEnsv1 = [
  "chain_id",
  "is_eth",
  "is_counted",
  "has_parent",
  "is_owned",
  "is_label_known",
  "label_length",
  "phase",
  "expires_within",
  "is_wrapped",
] as const;

/** With the protocol, where there is ENSv2. */
export const classColumns = ({ terms }: LifeRules): readonly string[] =>
  terms === undefined ? columnsOfEnsv1 : [...columnsOfEnsv1, "is_ensv2"];

/** The class of a name that counts and has a resolver, for the resolver: the key of `figures_resolvers`. */
export const resolverColumns = [
  "chain_id",
  "resolver",
  "is_eth",
  "phase",
  "expires_within",
  "is_wrapped",
] as const;

/** The class of a name that counts and has an expiry, for the day (UTC) of its expiry: the key of `figures_expiries`. */
export const expiryColumns = ({ terms }: LifeRules): readonly string[] => [
  ...["chain_id", "expiry_day", "is_eth", "is_wrapped"],
  ...(terms === undefined ? [] : ["is_ensv2"]),
];

/** Expiries on chain have no limit, but times that callers ask for have one: all later days are counted as this day. */
const LAST_DAY = 20_000_000_000;

/** The day of an expiry, counted from 1 January 1970; null without an expiry, which `least` would ignore. */
const expiryDay = ({ other }: LifeRules): string =>
  `case when d.expiry_timestamp is not null${other === null ? "" : ` and ${toRowText(not(other.retired), "null")}`}
    then least(div(d.expiry_timestamp, ${DAY}), ${LAST_DAY})::bigint end`;

/** Ranges of days in which a name can expire, the shortest first; `expires_within` is the first that holds, or 0. */
const ranges = [30, 90] as const;

/** The rules that depend on the time: when one of them changes, the class of a name changes. */
const rulesByTime = ({ inPhase }: LifeRules): Condition[] => [
  ...phases.map((phase) => inPhase(phase)),
  ...ranges.map(expiringWithin),
  lapsed,
];

/** Rows `d` of `domains` that are counted at all. */
export const isName = toRowText(name, "null");

/**
 * The class of a row `d` of `domains` at a time. `owner`, `parent_node`, `resolver` and `expiry_day` are for the counts
 * by these; `is_held` says that an address owns the name then.
 */
export function classOf(at: string, life: LifeRules): string {
  const { inPhase, owned, active } = life;
  return `
  d.chain_id, ${toRowText(registrarName, at)} as is_eth, ${toRowText(counted, at)} as is_counted,
  ${toRowText(isPresent("parentNode"), at)} as has_parent, ${toRowText(owned, at)} as is_owned, d.is_label_known,
  coalesce(d.label_length, ${UNKNOWN_LENGTH}) as label_length,
  case ${phases.map((phase) => `when ${toRowText(inPhase(phase), at)} then '${phase}'`).join(" ")} end as phase,
  case ${ranges.map((days) => `when ${toRowText(expiringWithin(days), at)} then ${days}`).join(" ")} else 0 end
    as expires_within,
  ${toRowText(wrapped, at)} as is_wrapped, d.parent_node, d.resolver, ${expiryDay(life)} as expiry_day,
  ${ownerText(at)} as owner,
  ${toRowText(all<DomainColumn>(counted, owned, active), at)} as is_held${
    life.terms === undefined
      ? ""
      : `,
  ${toRowText(isEnsv2, at)} as is_ensv2`
  }`;
}

/** The length as which unknown labels are counted. */
export const UNKNOWN_LENGTH = -1;

/** The column of a class that is this rule. */
function columnOfRule(rule: Condition, { owned, terms }: LifeRules): string | undefined {
  if (rule === registrarName) return "is_eth";
  if (rule === owned) return "is_owned";
  return rule === isEnsv2 && terms !== undefined ? "is_ensv2" : undefined;
}

const columnNames: Partial<Record<string, string>> = { labelLength: "label_length" };

/** A rule as a condition on the columns of a class: its time is in the phase. */
export function classCondition(rule: Condition, life: LifeRules): string {
  const words = {
    column: (column: string) => columnNames[column] ?? unknown(column),
    time: () => unknown("the time"),
    value: String,
    known: (condition: Condition) => {
      const wanted = phasesOf(condition)?.map((phase) => `'${phase}'`);
      return wanted ? `phase in (${wanted.join(", ")})` : columnOfRule(condition, life);
    },
  };
  return write(rule, words).join("");
}

const unknown = (what: string): never => {
  throw new Error(`A class of names has no column for ${what}`);
};

/** Names of a class that expire within some days. */
export const classExpiresWithin = (days: (typeof ranges)[number]): string =>
  `expires_within in (${ranges.filter((range) => range <= days).join(", ")})`;

/** A rule as a condition on the class of an expiry, at the time `asked.now`. Retired names have none. */
export const expiryCondition = (rule: Condition, { other }: LifeRules): string =>
  write(rule, {
    column: (column) => (column === "expiryTimestamp" ? "expiry" : unknown(column)),
    time: (seconds) => `asked.now + ${seconds}`,
    value: String,
    known: (condition) => {
      if (condition === registrarName) return "is_eth";
      if (condition === other?.ofEnsv2) return "(is_eth and is_ensv2)";
      return condition === other?.retired ? "false" : undefined;
    },
  }).join("");

/**
 * True for the rows `d` whose class may differ between two times, whichever is earlier; true for some other rows too,
 * for which the comparison then finds no difference.
 */
export function mayDiffer(one: string, other: string, life: LifeRules): string {
  const isAround = ({ column, seconds }: TimeComparison) => {
    const text = column === "expiryTimestamp" ? "d.expiry_timestamp" : "d.wrapper_expiry_timestamp";
    const range = `${text} between least(${one}, ${other}) + ${seconds - 1n} and greatest(${one}, ${other}) + ${seconds + 1n}`;
    // The index on this column has wrapped names only.
    return column === "expiryTimestamp" ? range : `d.is_wrapped and ${range}`;
  };
  const ranges = new Set(rulesByTime(life).flatMap(timesIn).map(isAround));
  return [...ranges].map((range) => `(${range})`).join(" or ");
}
