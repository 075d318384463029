import { type ColumnValue, type Condition, holds } from "../../ens/condition.ts";
import { lapsedToken } from "../../ens/wrapper.ts";
import { asText, write } from "./conditionText.ts";
import { timesIn } from "./conditionTimes.ts";
import { type EndingLife, type LifeRules, lifeOfEnsv1, pastGrace } from "./lifetime.ts";

/**
 * Rules: what time alone ends. No log tells it, so such an end has a second and no block.
 *
 * - `wrapper_expiry`: the NameWrapper answers no owner of the token any more. The name falls to its next layer, whose
 *   owner is the NameWrapper.
 * - `grace_end`: the last holder of a registrar's name can no longer renew it, and anyone can register it. The registrar keeps
 *   the token until someone does.
 */
const endings = { wrapper_expiry: lapsedToken, grace_end: pastGrace } satisfies Record<string, Condition>;

export const endingNames = ["wrapper_expiry", "grace_end"] as const;

type RuledEnding = (typeof endingNames)[number];

/** With the end of a subname of ENSv2, which has no grace: its registry answers no owner from its expiry on. */
export const allEndings = [...endingNames, "expiry"] as const;

export type Ending = (typeof allEndings)[number];

/** Columns that decide when something ends; `expiryTimestamp` is the registrar's. */
export type EndColumn =
  | "wrapperFuses"
  | "wrapperExpiryTimestamp"
  | "chainId"
  | "parentNode"
  | "expiryTimestamp";

/** The first second at which it has ended, in unix seconds; null if time alone does not end it. */
export function endOf(ending: RuledEnding, row: Readonly<Record<EndColumn, ColumnValue>>): bigint | null {
  const { column, after } = boundOf(endings[ending]);
  const expiry = row[column];
  if (expiry === null) return null;
  const end = BigInt(expiry) + after;
  return holds<EndColumn>(endings[ending], row, end) ? end : null;
}

/** The first second after the grace of a registrar's name, in unix seconds; null for other names. */
export const graceEndOf = (life: EndingLife, rules: LifeRules = lifeOfEnsv1): bigint | null =>
  rules.endsOfPhases(life).find(({ phase }) => phase === "grace")?.at ?? null;

/**
 * The end of a token or grace in ENSv1, in SQL.
 *
 * @param column SQL for each column
 */
export function endText(ending: RuledEnding, column: (name: EndColumn) => string): string {
  const bound = boundOf(endings[ending]);
  const end = `(${column(bound.column)} + ${bound.after})`;
  const rule = write(endings[ending], asText(column as (name: string) => string, end)).join("");
  return `case when ${rule} then ${end} end`;
}

/** The one time with which a rule compares, and how many seconds after it the rule begins to hold. */
function boundOf(rule: Condition<EndColumn>): { column: EndColumn; after: bigint } {
  const [bound, ...others] = timesIn(rule);
  if (bound?.operator !== "<" || others.length > 0) {
    throw new Error("A rule of an end must compare one time, and begin to hold after it");
  }
  return { column: bound.column, after: 1n - bound.seconds };
}
