import { domain } from "ponder:schema";
import { and, eq, sql } from "ponder";
import type { Address } from "viem";
import { all, type Condition, not } from "../../../ens/condition.ts";
import type { Db } from "../../server/postgres/db.ts";
import { caseInsensitiveCondition } from "../query/caseInsensitive.ts";
import { type DomainPage, domainsWhere, listDomainPage } from "../query/domainLists.ts";
import { countPending } from "../query/domains.ts";
import type { PageRequest } from "../query/page.ts";
import { type Scope, type ScopeSql, sqlOf } from "../query/scope.ts";
import {
  countSearch,
  noneFound,
  type Protocol,
  type SearchCounts,
  type SearchFilters,
} from "../query/search.ts";
import type { AsOf } from "../query/statistics.ts";
import { dependsOnUnseen } from "../rules/assumeFalse.ts";
import { toSql } from "../rules/conditionSql.ts";
import { timesIn } from "../rules/conditionTimes.ts";
import { type KnownAvailability, type LifeRules, pathEndsWithin } from "../rules/life.ts";
import { isCounted, isEnsv2, isOfRegistrar } from "../rules/nameRules.ts";
import { wrapped } from "../rules/ownership.ts";
import { DAY } from "../rules/seconds.ts";
import {
  classColumns,
  classCondition,
  classExpiresWithin,
  expiryCondition,
  NO_END,
  pathRanges,
  resolverColumns,
  UNKNOWN_LENGTH,
} from "./classes.ts";
import { type Count, countOf } from "./count.ts";
import {
  changesUntil,
  momentInChanges,
  momentOf,
  noMore,
  preparedCounts,
  sumIf,
  unseenChanges,
} from "./counters.ts";

/* Totals of lists. */

const { placeholder } = sql;

/** Names with a label known only by its hash. */
export const pending: Count<Scope, number> = countOf({
  fromCounters: async (db, chains) => (await pendingNames(db, chains, {}))?.count ?? null,
  fromRows: countPending,
});

const pendingNames = preparedCounts(
  "pending",
  ["count"],
  (of) => sql`select ${momentOf(of)} as moment, coalesce(sum(names), 0)::int as count
    from figures_names where ${of.holds(sql`chain_id`)} and not is_label_known`,
);

/** A search, and the time at which it is evaluated. */
export type SearchAt = AsOf & { filters: SearchFilters };

/** Counts of all names that a search finds. */
export const searchTotals: Count<SearchAt, SearchCounts> = countOf({
  fromCounters: searchFromCounters,
  fromRows: (db, { filters, ...at }) => countSearch(db, caseInsensitiveCondition(filters, at), at),
});

/** Null also for filters that the counters do not distinguish. */
async function searchFromCounters(db: Db, { filters, ...at }: SearchAt): Promise<SearchCounts | null> {
  const { text, isFullName: _ofText, ...others } = filters;
  if (text) return null;
  const given = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const counters = [byClass, byResolver, byExpiry].find(({ filters }) =>
    given.every((name) => filters.has(name)),
  );
  return counters ? counters.read(db, others, at) : null;
}

/** Counters that answer searches with no other filters than these. */
type SearchCounters = {
  filters: ReadonlySet<string>;
  read: (db: Db, filters: SearchFilters, at: AsOf) => Promise<SearchCounts | null>;
};

const countColumns = ["total", "expired", "expiring30d", "expiring90d", "wrapped"] as const;

/** The counts of a search, from the conditions on rows of `class`. */
const countsWhere = (is: Record<"expired" | "expiring30d" | "expiring90d", string>) => sql`
  select ${momentInChanges} as moment, coalesce(sum(names), 0)::int as total, ${sumIf(is.expired)} as expired,
    ${sumIf(is.expiring30d)} as "expiring30d", ${sumIf(is.expiring90d)} as "expiring90d",
    ${sumIf("is_wrapped")} as wrapped
  from class cross join times`;

const countsOfClasses = (life: LifeRules) =>
  countsWhere({
    expired: classCondition(life.expired),
    expiring30d: classExpiresWithin(30),
    expiring90d: classExpiresWithin(90),
  });

/** An absent filter is "both values" rather than null, so one plan serves all requests. */
const isWrappedAs = sql`is_wrapped = any (${placeholder("wrapped")}::boolean[])`;

const wrappedAs = (isWrapped: boolean | undefined) => (isWrapped === undefined ? [true, false] : [isWrapped]);

const ofClasses = (name: string, ruleIn: (life: LifeRules) => Condition) =>
  preparedCounts(`search_${name}`, countColumns, (of) => {
    const rule = ruleIn(of.life);
    const unseen = dependsOnUnseen(rule) ? unseenChanges(of) : noMore;
    const classes = sql.raw(classColumns(of.life).join(", "));
    return sql`with ${changesUntil(placeholder("now"), of)}${unseen.tables}, class as (
        select ${classes}, names from figures_names union all select ${classes}, sign from change${unseen.rows}
      ) ${countsOfClasses(of.life)}
      where ${of.holds(sql`chain_id`)} and is_counted and ${sql.raw(classCondition(rule))} and ${isWrappedAs}${of.life.terms === undefined ? sql`` : isOfProtocol}
        and label_length between ${placeholder("shortest")} and ${placeholder("longest")}`;
  });

/** An absent filter is "both values", as for wrapped names. */
const isOfProtocol = sql` and is_ensv2 = any (${placeholder("ensv2")}::boolean[])`;

const protocolAs = (protocol: Protocol | undefined) =>
  protocol === undefined ? [true, false] : [protocol === "ensv2"];

const ofState = (state: KnownAvailability) => ofClasses(state, ({ availability }) => availability[state]);

const byAvailability: Record<KnownAvailability | "any", ReturnType<typeof ofClasses>> = {
  registered: ofState("registered"),
  grace: ofState("grace"),
  premium: ofState("premium"),
  available: ofState("available"),
  any: ofClasses("any", () => all()),
};

/** Without ENSv2, names are not counted by protocol. */
const hasCountsOf = (protocol: Protocol | undefined, chains: Scope): boolean =>
  protocol === undefined || sqlOf(chains).life.terms !== undefined;

const byClass: SearchCounters = {
  filters: new Set<keyof SearchFilters>(["availability", "minLength", "maxLength", "isWrapped", "protocol"]),
  read: async (db, { availability = ["any"], minLength, maxLength, isWrapped, protocol }: ByClass, at) => {
    if (!hasCountsOf(protocol, at.chains)) return null;
    const given = {
      now: at.now,
      wrapped: wrappedAs(isWrapped),
      ensv2: protocolAs(protocol),
      shortest: minLength ?? (maxLength === undefined ? UNKNOWN_LENGTH : 0),
      longest: maxLength ?? LONGEST_LABEL,
    };
    return sumOf(await Promise.all(availability.map((state) => byAvailability[state](db, at.chains, given))));
  },
};

type ByClass = Omit<SearchFilters, "availability"> & {
  availability?: readonly (keyof typeof byAvailability)[] | undefined;
};

/** Adds up the counts of several states, since a name is in exactly one. Null if one of them is unknown. */
const sumOf = (counts: readonly (SearchCounts | null)[]): SearchCounts | null =>
  counts.reduce((sum, one) => {
    if (sum === null || one === null) return null;
    return {
      total: sum.total + one.total,
      expired: sum.expired + one.expired,
      expiring30d: sum.expiring30d + one.expiring30d,
      expiring90d: sum.expiring90d + one.expiring90d,
      wrapped: sum.wrapped + one.wrapped,
    };
  });

/** Longer than any label. */
const LONGEST_LABEL = 2 ** 31 - 1;

const resolverClasses = sql.raw(resolverColumns.join(", "));
const isOfResolver = ({ holds }: ScopeSql) =>
  sql`${holds(sql`chain_id`)} and resolver = ${placeholder("resolver")} and ${isWrappedAs}`;

const ofResolver = preparedCounts(
  "search_resolver",
  countColumns,
  (of) => sql`with ${changesUntil(placeholder("now"), of)}, class as (
      select ${resolverClasses}, names from figures_resolvers where ${isOfResolver(of)}
      union all select ${resolverClasses}, sign from change where ${isOfResolver(of)} and is_counted
    ) ${countsOfClasses(of.life)}`,
);

const byResolver: SearchCounters = {
  filters: new Set<keyof SearchFilters>(["resolver", "isWrapped"]),
  read: (db, { resolver, isWrapped }, at) =>
    ofResolver(db, at.chains, { now: at.now, resolver, wrapped: wrappedAs(isWrapped) }),
};

const secondsOfDay = sql.raw(String(DAY));
const isOfChain = ({ holds }: ScopeSql) => sql`${holds(sql`chain_id`)} and ${isWrappedAs}`;
const isOfWholeDays = (
  of: ScopeSql,
) => sql`${isOfChain(of)} and expiry_day between ${placeholder("firstDay")} and ${placeholder("lastDay")}
  and expiry_day <> all (${placeholder("splitDays")}::bigint[])`;

/** The rules by which names with an expiry are counted. */
const expiryRules = ({ expired, expiringWithin }: LifeRules) => ({
  expired,
  expiring30d: expiringWithin(30),
  expiring90d: expiringWithin(90),
});

const pathEnds = sql`case ${sql.join(
  pathRanges.map(
    (days) => sql`when ${toSql(pathEndsWithin(days), placeholder("now"))} then ${sql.raw(String(days))}`,
  ),
  sql` `,
)} else ${sql.raw(String(NO_END))} end`;

/**
 * Names are counted by the day of their expiry. A day counts as a whole unless a relevant bound falls within it. On those few
 * days, the names themselves are read.
 */
const ofExpiry = preparedCounts("search_expiry", countColumns, (of) => {
  const { life } = of;
  const rules = expiryRules(life);
  const [ofEnsv2, isEnsv2Row, isNotRetired] =
    life.retired === null
      ? [sql``, sql``, sql``]
      : [
          sql`, is_ensv2, path_ends_within`,
          sql`, ${toSql(isEnsv2)} as is_ensv2, ${pathEnds} as path_ends_within`,
          sql` and ${toSql(not(life.retired))}`,
        ];
  return sql`with ${changesUntil(placeholder("now"), of)}, split as materialized (
      select name.* from unnest(${placeholder("splitDays")}::bigint[]) as split_day (day) cross join lateral (
        select ${domain.chainId} as chain_id, ${domain.expiryTimestamp} as expiry, ${toSql(of.rule(isOfRegistrar))} as is_eth,
          ${toSql(of.rule(life.hasEnd))} as has_end, ${toSql(wrapped, placeholder("now"))} as is_wrapped${isEnsv2Row}
        from ${domain} where ${toSql(isCounted)} and ${domain.expiryTimestamp} >= day * ${secondsOfDay}
          and ${domain.expiryTimestamp} < (day + 1) * ${secondsOfDay}${isNotRetired}
        offset 0
      ) as name
    ), class as (
      select expiry_day * ${secondsOfDay} as expiry, is_eth, has_end, is_wrapped, names${ofEnsv2} from figures_expiries
      where ${isOfWholeDays(of)}
      union all
      select expiry_day * ${secondsOfDay}, is_eth, has_end, is_wrapped, sign${ofEnsv2} from change where ${isOfWholeDays(of)} and is_counted
      union all
      select expiry, is_eth, has_end, is_wrapped, 1${ofEnsv2} from split
      where ${isOfChain(of)} and expiry between ${placeholder("from")} and ${placeholder("to")}
    ) ${countsWhere({
      expired: expiryCondition(rules.expired),
      expiring30d: expiryCondition(rules.expiring30d),
      expiring90d: expiryCondition(rules.expiring90d),
    })}`;
});

const byExpiry: SearchCounters = {
  filters: new Set<keyof SearchFilters>(["expiryFrom", "expiryTo", "isWrapped"]),
  read: async (db, { expiryFrom: from = 0, expiryTo: to = LATEST, isWrapped }, at) => {
    if (from > to) return Promise.resolve(noneFound);
    const days = { firstDay: dayOf(from), lastDay: dayOf(to), splitDays: splitDays(from, to, at) };
    return ofExpiry(db, at.chains, { now: at.now, ...days, from, to, wrapped: wrappedAs(isWrapped) });
  },
};

/** Later than any counted day. */
const LATEST = Number.MAX_SAFE_INTEGER - 1;

const dayOf = (time: number): number => Math.floor(time / DAY);

/** The days of a range within which a bound falls: an end of the range, or a time that a rule compares. */
function splitDays(from: number, to: number, { chains, now }: AsOf): number[] {
  const ofRules = Object.values(expiryRules(sqlOf(chains).life))
    .flatMap(timesIn)
    .filter(({ column }) => column === "expiryTimestamp")
    .map(({ operator, seconds }) => now + Number(seconds) + (operator === "<=" || operator === ">" ? 1 : 0));
  const inside = [from, to + 1, ...ofRules].filter(
    (bound) => bound % DAY !== 0 && bound >= from && bound <= to + 1,
  );
  return [...new Set(inside.map(dayOf))];
}

/** A page of the names with this resolver, including expired ones. */
export function listNamesOfResolver(
  db: Db,
  page: PageRequest,
  { chains, resolver, now }: { chains: Scope; resolver: Address; now: number },
): Promise<DomainPage> {
  const where = and(sqlOf(chains).holds(domain.chainId), eq(domain.resolver, resolver), toSql(isCounted));
  const count = async () => (await searchTotals.read(db, { chains, now, filters: { resolver } })).total;
  return listDomainPage(db, { chains, now, page, parts: [domainsWhere(where)], count });
}
