import { domain, ensv2Entry } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, not as isNot, or, sql } from "ponder";
import type { Address, Hex } from "viem";
import { toSql } from "../../rules/conditionSql.ts";
import { isOfProtocols, type ProtocolWord } from "../../rules/protocols.ts";
import { type Availability, availabilities } from "../../rules/stages.ts";
import { storageIdText } from "../../rules/unseenSql.ts";
import { isMigrated } from "../activity.ts";
import { type Scope, type ScopeSql, sqlOf } from "../scope.ts";
import { searchCondition } from "../search.ts";

/** Filters on the names of an address. A name must match every filter. */
export type NameFilters = {
  /** When left out: active names, or all. */
  states?: readonly Availability[] | undefined;
  choice: HeldChoice;
  protocols?: readonly ProtocolWord[] | undefined;
  /** The direct parent's node. */
  parent?: Hex | undefined;
  /** Part of the full name, case-insensitive. */
  text?: string | undefined;
  /** Whether the name was migrated from ENSv1, as its ENSv2 entry proves. */
  isFromEnsv1?: boolean | undefined;
  expiryFrom?: number | undefined;
  expiryTo?: number | undefined;
  resolver?: Address | undefined;
};

/** All names of an address, or only the active ones. */
export type HeldChoice = "all" | "active";

/** True if `choice` is the only filter. */
export const isUnfiltered = ({ choice: _, ...filters }: NameFilters): boolean =>
  Object.values(filters).every((one) => one === undefined);

/** The filters as a condition, for a statement that is built per request. */
export function filterCondition(filters: NameFilters, at: { chains: Scope; now: number }): SQL | undefined {
  const { states, choice, protocols, parent, isFromEnsv1, text, expiryFrom, expiryTo, resolver } = filters;
  const of = sqlOf(at.chains);
  return and(
    states && isInStates(states, at.now, of),
    states === undefined && choice === "active" ? toSql(of.rule(of.life.active), at.now) : undefined,
    protocols && toSql(isOfProtocols(protocols), at.now),
    parent && eq(domain.parentNode, parent),
    isFromEnsv1 === undefined ? undefined : isFromEnsv1 ? cameFromEnsv1(of) : isNot(cameFromEnsv1(of)),
    searchCondition({ text, isFullName: true, expiryFrom, expiryTo, resolver }, at),
  );
}

const isInStates = (states: readonly Availability[], now: number, of: ScopeSql): SQL | undefined =>
  or(...states.map((state) => isInState(state, now, of)));

function isInState(state: Availability, now: number, of: ScopeSql): SQL | undefined {
  if (state !== "unknown") return toSql(of.rule(of.life.availability[state]), now);
  const others = availabilities.filter((one) => one !== "unknown");
  return and(...others.map((one) => isNot(isInState(one, now, of) as SQL)));
}

/** Never null. */
const cameFromEnsv1 = ({ ensv2 }: ScopeSql): SQL =>
  sql`exists (select from ${ensv2Entry} where ${and(
    eq(ensv2Entry.chainId, domain.chainId),
    eq(ensv2Entry.registry, domain.registry),
    eq(ensv2Entry.storageId, storageIdText(domain.labelhash)),
    isMigrated(ensv2),
  )})`;
