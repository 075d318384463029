import { domain, ensv2Entry } from "ponder:schema";
import type { AnyColumn, SQL } from "drizzle-orm";
import { and, eq, gte, ilike, inArray, isNotNull, isNull, lte, or, sql } from "ponder";
import type { Address, Hex } from "viem";
import { not } from "../../../ens/condition.ts";
import { managedNames } from "../../../ens/managedNames.ts";
import { ETH_NODE } from "../../../ens/name.ts";
import type { Db } from "../../server/postgres/db.ts";
import { toSql } from "../rules/conditionSql.ts";
import type { KnownAvailability } from "../rules/life.ts";
import { isCounted } from "../rules/nameRules.ts";
import { wrapped } from "../rules/ownership.ts";
import type { TimeWindow } from "../schemas/windows.ts";
import { countIf } from "./countIf.ts";
import { listAndCount, type OnePass } from "./domainLists.ts";
import { type Scope, type ScopeSql, sqlOf } from "./scope.ts";

/** Filters of a search. A domain must match every filter. */
export type SearchFilters = {
  /** Part of the label, or of the full name; case-insensitive. */
  text?: string | undefined;
  isFullName?: boolean | undefined;
  /** States without duplicates. A name is in exactly one state. */
  availability?: readonly KnownAvailability[] | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  registrarOwner?: Address | undefined;
  wrapperOwner?: Address | undefined;
  registryOwner?: Address | undefined;
  resolver?: Address | undefined;
  expiryFrom?: number | undefined;
  expiryTo?: number | undefined;
  isWrapped?: boolean | undefined;
  protocol?: Protocol | undefined;
  /** Names directly under this node. */
  parent?: Hex | undefined;
  /** Windows of the expiry, in order. The expiry must be in one of them. */
  expiryWindows?: readonly TimeWindow[] | undefined;
  /** The expiry that `expiryFrom`, `expiryTo` and the windows refer to. Defaults to the lease. */
  expiryOf?: ExpiryOf | undefined;
};

/** Kinds of expiry: the name's own, that of a reservation in ENSv2, or the NameWrapper's. */
export const expiriesOf = ["lease", "reservation", "wrapper"] as const;

export type ExpiryOf = (typeof expiriesOf)[number];

/** Protocols that can control a name. */
export const protocols = ["ensv1", "ensv2"] as const;

export type Protocol = (typeof protocols)[number];

/** The condition of a search, for both its rows and its counts. */
export function searchCondition(filters: SearchFilters, at: { chains: Scope; now: number }): SQL | undefined {
  const { text, isFullName, availability, isWrapped, wrapperOwner, protocol } = filters;
  const of = sqlOf(at.chains);
  const windows = windowsOf(filters);
  return and(
    of.holds(domain.chainId),
    toSql(isCounted),
    when(text || undefined, isFullName ? hasInFullName : hasInLabel),
    when(availability, (states) =>
      or(...states.map((status) => and(isInState(status, at.now, of), isOfAnIndex(status)))),
    ),
    when(filters.minLength, (length) => gte(domain.labelLength, length)),
    when(filters.maxLength, (length) => lte(domain.labelLength, length)),
    when(filters.registrarOwner, (owner) => eq(domain.registrarOwner, owner)),
    when(wrapperOwner, (owner) => and(eq(domain.wrapperOwner, owner), toSql(wrapped, at.now))),
    when(filters.registryOwner, (owner) => eq(domain.registryOwner, owner)),
    when(filters.resolver, (resolver) => eq(domain.resolver, resolver)),
    when(filters.parent, (parent) => eq(domain.parentNode, parent)),
    windows && expiresIn[filters.expiryOf ?? "lease"](windows, at.chains),
    when(isWrapped, (expected) => toSql(expected ? wrapped : not(wrapped), at.now)),
    when(protocol, (one) => (one === "ensv2" ? isNotNull : isNull)(domain.registry)),
  );
}

/** Later than any expiry that a contract can store: some exceed 2^53, and 2^64 - 1 means never. */
const LATEST = 2 ** 256;

/** The time windows of a search; undefined if it does not filter by expiry. */
function windowsOf({ expiryFrom, expiryTo, expiryWindows }: SearchFilters): TimeWindow[] | undefined {
  if (expiryFrom === undefined && expiryTo === undefined) return expiryWindows && [...expiryWindows];
  const all = { from: expiryFrom ?? 0, to: expiryTo ?? LATEST };
  return (expiryWindows ?? [all]).flatMap(({ from, to }) => {
    const inside = { from: Math.max(from, all.from), to: Math.min(to, all.to) };
    return inside.from <= inside.to ? [inside] : [];
  });
}

/** Matches a time within one of the windows. The range from the first to the last second is repeated, so an index can read it. */
function isInWindows(time: AnyColumn, windows: readonly TimeWindow[]): SQL | undefined {
  const [first, last] = [windows[0], windows.at(-1)];
  if (first === undefined || last === undefined) return sql`false`;
  const isIn = ({ from, to }: TimeWindow) => and(gte(time, BigInt(from)), lte(time, BigInt(to)));
  const isBetween = isIn({ from: first.from, to: last.to });
  return windows.length === 1 ? isBetween : and(isBetween, or(...windows.map(isIn)));
}

type ExpiresIn = (windows: readonly TimeWindow[], chains: Scope) => SQL | undefined;

const expiresIn: Record<ExpiryOf, ExpiresIn> = {
  lease: (windows, chains) => and(isInWindows(domain.expiryTimestamp, windows), isNotRetired(chains)),
  // The stored expiry of a stored wrapping, which is indexed. The wrapping may have ended.
  wrapper: (windows) => and(domain.isWrapped, isInWindows(domain.wrapperExpiryTimestamp, windows)),
  reservation: (windows, { ensv2 }) => and(isNull(domain.registry), isReserved(windows, ensv2.ethRegistry)),
};

/** Names directly under .eth that ENSv2 only reserves. Their entry is in no other registry. */
const isReserved = (windows: readonly TimeWindow[], ethRegistry: Address): SQL | undefined =>
  and(
    eq(domain.parentNode, ETH_NODE),
    sql`(${domain.chainId}, ${domain.labelhash}) in (select ${ensv2Entry.chainId}, ${ensv2Entry.labelhash} from ${ensv2Entry}
      where ${and(
        eq(ensv2Entry.registry, ethRegistry),
        sql`not ${ensv2Entry.isRegistered}`,
        isInWindows(ensv2Entry.expiry, windows),
      )})`,
  );

/** A retired name has no expiry: the graveyard's expiry in ENSv1 does not count. */
const isNotRetired = (chains: Scope): SQL | undefined => {
  const { retired } = sqlOf(chains).life;
  return retired === null ? undefined : toSql(not(retired));
};

const isInState = (status: KnownAvailability, now: number, { rule, life }: ScopeSql) =>
  toSql(rule(life.availability[status]), now);

/** Only registrar names can be in grace, premium or available. This repeats that condition in a form that an index can use. */
const isOfAnIndex = (status: KnownAvailability) =>
  status === "registered"
    ? undefined
    : inArray(domain.parentNode, [ETH_NODE, ...managedNames.map(({ node }) => node)]);

const when = <T>(value: T | undefined, toCondition: (value: T) => SQL | undefined) =>
  value === undefined ? undefined : toCondition(value);

/** A hash as a caller writes or copies it: digits alone, after `0x`, or in the brackets of an unknown label. */
const HASH = /^(?:0x|\[)?([0-9a-f]{64})\]?$/i;

/** Matches the label whose hash is the search text. Unknown labels are found this way. */
function isOfHash(text: string): SQL | undefined {
  const digits = HASH.exec(text)?.[1];
  return digits === undefined ? undefined : eq(domain.labelhash, `0x${digits.toLowerCase()}`);
}

/**
 * Matches a text in any case. A database with the locale `C` ignores case for ASCII only. So the text is matched as given, because
 * labels can be registered with capitals, and in lower case where PostgreSQL may not fold it, as in normalised names.
 */
const inAnyCase =
  (has: (text: string) => SQL | undefined) =>
  (text: string): SQL | undefined => {
    const lower = inLowerCase(text);
    return lower === text.replaceAll(/[A-Z]/g, inLowerCase) ? has(text) : or(has(text), has(lower));
  };

/** Lowercases one character at a time: the text is a part of a name, so a final sigma need not end a word (ENSIP-15 uses σ). */
const inLowerCase = (text: string): string =>
  Array.from(text, (character) => character.toLowerCase()).join("");

/** Matches labels that contain a text. An unknown label has no text: the bracketed hash in its place does not count. */
export const hasInLabel = inAnyCase((text) =>
  or(isOfHash(text), and(domain.isLabelKnown, ilike(domain.label, containing(text)))),
);

/** A label known only by its hash, or a whole name written by its node, as shown in a name. */
const UNKNOWN_LABEL = /\[(?:namehash:)?[0-9a-f]{64}\]/i;

/** Matches names that contain a text in any label. A text copied from a displayed name is searched for as it is. */
const hasInFullName = inAnyCase((text) => {
  const pattern = containing(text);
  const isInName = ilike(domain.fullName, pattern);
  if (UNKNOWN_LABEL.test(text)) return or(isOfHash(text), isInName);
  const isInTexts = sql`regexp_replace(${domain.fullName}, ${UNKNOWN_LABEL.source}, '', 'g') ilike ${pattern}`;
  return or(isOfHash(text), and(isInName, or(domain.isNameKnown, isInTexts)));
});

/** A LIKE pattern for texts that contain this text literally. */
const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;

/** Counts of all names that a search finds, across all pages. */
export type SearchCounts = {
  total: number;
  expired: number;
  expiring30d: number;
  expiring90d: number;
  wrapped: number;
};

/** The counts of a search without matches. */
export const noneFound: SearchCounts = { total: 0, expired: 0, expiring30d: 0, expiring90d: 0, wrapped: 0 };

const sortsAt = (now: number, { rule, life }: ScopeSql) => ({
  expired: toSql(rule(life.expired), now),
  expiring30d: toSql(life.expiringWithin(30), now),
  expiring90d: toSql(life.expiringWithin(90), now),
  wrapped: toSql(wrapped, now),
});

/** Counts the names that a search finds. */
export async function countSearch(
  db: Db,
  where: SQL | undefined,
  { chains, now }: { chains: Scope; now: number },
): Promise<SearchCounts> {
  const counts = sortsAt(now, sqlOf(chains));
  const [row] = await db
    .select({
      total: sql<number>`count(*)::int`,
      expired: countIf(counts.expired),
      expiring30d: countIf(counts.expiring30d),
      expiring90d: countIf(counts.expiring90d),
      wrapped: countIf(counts.wrapped),
    })
    .from(domain)
    .where(where);
  return row ?? noneFound;
}

/** Filters that match few names, and use an index without an order. */
const selective: readonly (keyof SearchFilters)[] = [
  "text",
  "registrarOwner",
  "wrapperOwner",
  "registryOwner",
];

/** True if all names of a search are to be found first, then sorted and counted. */
export const isSelective = (filters: SearchFilters): boolean => selective.some((name) => filters[name]);

/** A page of a search, with its counts. */
export const searchInOnePass = (db: Db, pass: OnePass) =>
  listAndCount(db, pass, sortsAt(pass.now, sqlOf(pass.chains)));
