import { all, atLeast, type Condition, isPresent, type NamedCondition, not } from "../../../ens/condition.ts";
import { asCounted } from "../rules/assumeFalse.ts";
import { type DomainColumn, ownerText, snakeCase, toRowText, write } from "../rules/conditionText.ts";
import { type TimeComparison, timesIn } from "../rules/conditionTimes.ts";
import { type LifeRules, pathEndsWithin } from "../rules/life.ts";
import { isCounted, isEnsv2, isNotRoot, isOfRegistrar } from "../rules/nameRules.ts";
import { SHORTEST_LABEL } from "../rules/offers.ts";
import { lapsed, wrapped } from "../rules/ownership.ts";
import { DAY } from "../rules/seconds.ts";
import { phases } from "../rules/stages.ts";

/**
 * Each write counts names by class, so a total needs no scan of a million rows. The counts hold for one moment,
 * `figures_state.taken_at`. A reader corrects them for changes since then that come with time alone, from the few names
 * concerned. The moment is advanced regularly.
 */

/** The class of a name: the key of `figures_names`. `is_eth`: a second-level name of a registrar, on any chain. */
const columnsOfEnsv1 = [
  "chain_id",
  "is_eth",
  "is_counted",
  "has_parent",
  "is_owned",
  "is_label_known",
  "label_length",
  "is_long_enough",
  "phase",
  "expires_within",
  "is_wrapped",
] as const;

/** Adds the protocol where ENSv2 is deployed. */
export const classColumns = ({ terms }: LifeRules): readonly string[] =>
  terms === undefined ? columnsOfEnsv1 : [...columnsOfEnsv1, "is_ensv2"];

/** The class of a counted name with a resolver: the key of `figures_resolvers`. */
export const resolverColumns = [
  "chain_id",
  "resolver",
  "is_eth",
  "is_long_enough",
  "phase",
  "expires_within",
  "is_wrapped",
] as const;

/** The class of a counted name with an expiry, by the day (UTC) of the expiry: the key of `figures_expiries`. */
export const expiryColumns = ({ terms }: LifeRules): readonly string[] => [
  "chain_id",
  "expiry_day",
  "is_eth",
  "has_end",
  "is_wrapped",
  ...(terms === undefined ? [] : ["is_ensv2", "path_ends_within"]),
];

/** Expiries on chain have no limit, but the times that callers can request do. All later days are counted as this one. */
const LAST_DAY = 20_000_000_000;

/** The day of an expiry, counted from 1 January 1970; null without an expiry, which `least` would ignore. */
const expiryDay = ({ retired }: LifeRules): string =>
  `case when d.expiry_timestamp is not null${retired === null ? "" : ` and ${toRowText(not(retired), "null")}`}
    then least(div(d.expiry_timestamp, ${DAY}), ${LAST_DAY})::bigint end`;

/** Numbers of days until an expiry, ascending. `expires_within` is the first that includes the expiry, or 0. */
const ranges = [30, 90] as const;

/**
 * The same for the end of a name's path. `path_ends_within` is the first that includes it, or {@link NO_END}; 0 means it has
 * ended.
 */
export const pathRanges = [0, ...ranges] as const;

/** The path to the name does not end, or ends after the last of the ranges. */
export const NO_END = -1;

/** The rules that depend on time. When the result of one changes, so does the class of the name. */
const rulesByTime = ({ inPhase, expiringWithin, terms }: LifeRules): Condition[] => [
  ...phases.map((phase) => inPhase(phase)),
  ...ranges.map((days) => asCounted(expiringWithin(days))),
  ...(terms === undefined ? [] : pathRanges.map(pathEndsWithin)),
  lapsed,
];

/** Selects the rows `d` of `domains` that are counted at all. */
export const isName = toRowText(isNotRoot, "null");

/**
 * The class of a row `d` of `domains` at a time. `owner`, `parent_node`, `resolver` and `expiry_day` are the keys of the counts
 * by these; `is_held` is true if an address owns the name at that time.
 */
export function classOf(at: string, life: LifeRules): string {
  const { inPhase, owned, active, expiringWithin, hasEnd } = life;
  return `
  d.chain_id, ${toRowText(isOfRegistrar, at)} as is_eth, ${toRowText(isCounted, at)} as is_counted,
  ${toRowText(isPresent("parentNode"), at)} as has_parent, ${toRowText(asCounted(owned), at)} as is_owned, d.is_label_known,
  coalesce(d.label_length, ${UNKNOWN_LENGTH}) as label_length,
  case ${phases.map((phase) => `when ${toRowText(asCounted(inPhase(phase)), at)} then '${phase}'`).join(" ")} end as phase,
  case ${ranges.map((days) => `when ${toRowText(asCounted(expiringWithin(days)), at)} then ${days}`).join(" ")} else 0 end
    as expires_within,
  ${toRowText(asCounted(hasEnd), at)} as has_end, ${toRowText(atLeast("labelLength", SHORTEST_LABEL), at)} as is_long_enough,
  ${toRowText(wrapped, at)} as is_wrapped, d.parent_node, d.resolver, ${expiryDay(life)} as expiry_day,
  ${ownerText(at)} as owner,
  ${toRowText(all<DomainColumn>(isCounted, asCounted(owned), asCounted(active)), at)} as is_held${
    life.terms === undefined
      ? ""
      : `,
  ${toRowText(isEnsv2, at)} as is_ensv2, ${pathEndsText(at)} as path_ends_within`
  }`;
}

const pathEndsText = (at: string): string =>
  `case ${pathRanges.map((days) => `when ${toRowText(pathEndsWithin(days), at)} then ${days}`).join(" ")} else ${NO_END} end`;

/** The length under which unknown labels are counted. */
const UNKNOWN_LENGTH = -1;

/** A named rule in terms of a class's columns. */
function classText({ name, values }: NamedCondition): string | undefined {
  switch (name) {
    case "phase":
      return `phase in (${values.map((phase) => `'${phase}'`).join(", ")})`;
    case "isOfRegistrar":
      return "is_eth";
    case "isOwned":
      return "is_owned";
    case "isLongEnough":
      return "is_long_enough";
    case "isEnsv2":
      return "is_ensv2";
    default:
      return undefined;
  }
}

/** A rule as a condition on the columns of a class. Its time conditions are contained in the phase. */
export const classCondition = (rule: Condition): string =>
  write(rule, {
    column: unknown,
    time: () => unknown("the time"),
    value: String,
    named: classText,
  }).join("");

const unknown = (what: string): never => {
  throw new Error(`A class of names has no column for ${what}`);
};

/** Selects names of a class that expire within some days. */
export const classExpiresWithin = (days: (typeof ranges)[number]): string =>
  `expires_within in (${ranges.filter((range) => range <= days).join(", ")})`;

/** A named rule in terms of an expiry's class. Retired names have no such class, and names never sold have no expiry. */
function expiryText({ name, values }: NamedCondition): string | undefined {
  switch (name) {
    case "isOfRegistrar":
      return "is_eth";
    case "hasEnd":
      return "has_end";
    case "isEnsv2":
      return "is_ensv2";
    case "isRetired":
    case "isLongEnough":
      return "false";
    case "pathEndsWithin":
      return `path_ends_within between 0 and ${values[0]}`;
    default:
      return undefined;
  }
}

/** A rule as a condition on the class of an expiry, at `times.now`. */
export const expiryCondition = (rule: Condition): string =>
  write(rule, {
    column: (column) => (column === "expiryTimestamp" ? "expiry" : unknown(column)),
    time: (seconds) => `times.now + ${seconds}`,
    value: String,
    named: expiryText,
  }).join("");

/**
 * True for rows `d` whose class may differ between two times, given in any order. It is also true for some other rows, for which
 * the comparison then finds no difference.
 */
export function mayDiffer(one: string, other: string, life: LifeRules): string {
  const isAround = ({ column, seconds }: TimeComparison) => {
    const range = `d.${snakeCase(column)} between least(${one}, ${other}) + ${seconds - 1n} and greatest(${one}, ${other}) + ${seconds + 1n}`;
    // The index on this column contains only wrapped names.
    return column === "wrapperExpiryTimestamp" ? `d.is_wrapped and ${range}` : range;
  };
  const ranges = new Set(rulesByTime(life).flatMap(timesIn).map(isAround));
  return [...ranges].map((range) => `(${range})`).join(" or ");
}
