import { type ColumnValue, type Condition, holds } from "../../../ens/condition.ts";
import { isEmancipated, TOKEN_END } from "../../../ens/wrapper.ts";
import { asText, write } from "./conditionText.ts";
import type { LifeRules } from "./life.ts";
import { isOfRegistrar, isToken } from "./nameRules.ts";
import { type Life, livesIn } from "./stages.ts";

/*
 * Ends that come with time alone. No log records them, so they have a time and no block.
 */

/** Columns that decide when something ends in ENSv1; `expiryTimestamp` is the registrar's. */
export type EndColumn =
  | "wrapperFuses"
  | "wrapperExpiryTimestamp"
  | "chainId"
  | "parentNode"
  | "expiryTimestamp";

/** An end: some seconds after an expiry, if a condition holds. */
type TimedEnd = {
  expiry: "wrapperExpiryTimestamp" | "expiryTimestamp";
  after: bigint;
  onlyIf: Condition<EndColumn>;
};

/** How long an owner keeps a name after its expiry: until the end of the last stage that belongs to the owner. */
const ownedUntil = ({ stages }: Life): bigint => stages.findLast(({ isOwners }) => isOwners)?.until ?? 0n;

/**
 * - `wrapper_expiry`: the NameWrapper answers no owner of the token any more. The name falls to its next layer, whose
 *   owner is the NameWrapper.
 * - `grace_end`: the last holder of a registrar's name can no longer renew it, and anyone can register it. The registrar keeps
 *   the token until someone does. All registrars of ENSv1 have the same grace.
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
 * - `expiry`: the registry of a subname of ENSv2 answers no owner from its expiry on, nor does 3DNS a second after that of
 *   a token. There is no grace.
 * - `no_registration`: the registrar never registered the name, so anyone can, regardless of grants by earlier registrars.
 */
export const allEndings = [...endingsOfEnsv1, "expiry", "no_registration"] as const;

export type Ending = (typeof allEndings)[number];

/** The first second at which the contract of 3DNS answers no owner of a token; null for other names. */
export const endOfDnsToken = (row: Readonly<Record<EndColumn, ColumnValue>>): bigint | null =>
  holds(isToken, row, 0n) && row.expiryTimestamp !== null
    ? BigInt(row.expiryTimestamp as bigint) + TOKEN_END
    : null;

/** The first second at which it has ended, in unix seconds; null if time alone does not end it. */
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

/** When the owner of a token of ENSv2 has the name no more, in seconds after its expiry, and what that end is. */
export type TokenEnd = { after: number; ending: Ending };

/** The end of a token of ENSv2: of a name of the registrar with its grace, of any other at its expiry. */
export function tokenEndOf({ lives }: LifeRules, { isSecondLevel }: { isSecondLevel: boolean }): TokenEnd {
  const after = Number(ownedUntil(isSecondLevel ? lives.ethOfEnsv2 : lives.subnameOfEnsv2));
  return { after, ending: after > 0 ? "grace_end" : "expiry" };
}
