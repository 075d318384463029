import { type ColumnValue, type Condition, holds } from "../../../ens/condition.ts";
import { isEmancipated, TOKEN_END } from "../../../ens/wrapper.ts";
import { asText, write } from "./conditionText.ts";
import type { LifeRules } from "./life.ts";
import { isOfRegistrar, isToken } from "./nameRules.ts";
import { type Life, livesIn } from "./stages.ts";

/** Ends that come with time alone. No log records them, so they have a time and no block. */

/** Columns that determine when something ends in ENSv1. `expiryTimestamp` is the registrar's. */
export type EndColumn =
  | "wrapperFuses"
  | "wrapperExpiryTimestamp"
  | "chainId"
  | "parentNode"
  | "expiryTimestamp";

/** An end: a number of seconds after an expiry, if a condition holds. */
type TimedEnd = {
  expiry: "wrapperExpiryTimestamp" | "expiryTimestamp";
  after: bigint;
  onlyIf: Condition<EndColumn>;
};

/** How long an owner keeps a name after its expiry: until the end of the last stage in which the owner holds it. */
const ownedUntil = ({ stages }: Life): bigint => stages.findLast(({ isOwners }) => isOwners)?.until ?? 0n;

/**
 * - `wrapper_expiry`: the NameWrapper returns no owner of the token any more. The name falls to its next layer, whose owner is
 *   the NameWrapper.
 * - `grace_end`: the last holder of a registrar's name can no longer renew it, and anyone can register it. The registrar keeps
 *   the token until someone does. All ENSv1 registrars have the same grace period.
 */
const endings = {
  wrapper_expiry: { expiry: "wrapperExpiryTimestamp", after: TOKEN_END, onlyIf: isEmancipated },
  grace_end: {
    expiry: "expiryTimestamp",
    after: ownedUntil(livesIn(undefined).eth),
    onlyIf: isOfRegistrar,
  },
} satisfies Record<string, TimedEnd>;

export const endingsOfEnsv1 = ["wrapper_expiry", "grace_end"] as const;

type EndingOfEnsv1 = (typeof endingsOfEnsv1)[number];

/**
 * - `expiry`: from its expiry on, the registry of an ENSv2 subname returns no owner. 3DNS returns none from one second after a
 *   token's expiry. There is no grace.
 * - `no_registration`: the registrar never registered the name, so anyone can, regardless of grants by earlier registrars.
 */
export const allEndings = [...endingsOfEnsv1, "expiry", "no_registration"] as const;

export type Ending = (typeof allEndings)[number];

/** The first second at which the 3DNS contract returns no owner of a token; null for other names. */
export const endOfDnsToken = (row: Readonly<Record<EndColumn, ColumnValue>>): bigint | null =>
  holds(isToken, row, 0n) && row.expiryTimestamp !== null
    ? BigInt(row.expiryTimestamp as bigint) + TOKEN_END
    : null;

/** The first second after the end, in Unix seconds; null if time alone does not end it. */
export function endOf(ending: EndingOfEnsv1, row: Readonly<Record<EndColumn, ColumnValue>>): bigint | null {
  const { expiry, after, onlyIf } = endings[ending];
  const stored = row[expiry];
  if (stored === null) return null;
  const end = BigInt(stored) + after;
  return holds<EndColumn>(onlyIf, row, end) ? end : null;
}

/**
 * The end of a token or grace in ENSv1, in SQL.
 *
 * @param column SQL for each column
 */
export function endText(ending: EndingOfEnsv1, column: (name: EndColumn) => string): string {
  const { expiry, after, onlyIf } = endings[ending];
  const rule = write(onlyIf, asText(column as (name: string) => string, "null")).join("");
  return `case when ${rule} then (${column(expiry)} + ${after}) end`;
}

/** When an ENSv2 token's owner loses the name, in seconds after its expiry, and the kind of that end. */
export type TokenEnd = { after: number; ending: Ending };

/** The end of an ENSv2 token: after grace for a name of the registrar, at the expiry for any other. */
export function tokenEndOf({ lives }: LifeRules, { isSecondLevel }: { isSecondLevel: boolean }): TokenEnd {
  const after = Number(ownedUntil(isSecondLevel ? lives.ethOfEnsv2 : lives.subnameOfEnsv2));
  return { after, ending: after > 0 ? "grace_end" : "expiry" };
}
