import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import type { Address } from "viem";
import { all, any, not } from "../../../ens/condition.ts";
import type { Db } from "../../server/postgres/db.ts";
import { type DomainPage, domainsWhere, listDomainPage } from "../query/domainLists.ts";
import { countPending } from "../query/domains.ts";
import type { PageRequest } from "../query/page.ts";
import { type Scope, type ScopeSql, sqlOf } from "../query/scope.ts";
import {
  countSearch,
  noneFound,
  type SearchCounts,
  type SearchFilters,
  searchCondition,
} from "../query/search.ts";
import type { AsOf } from "../query/statistics.ts";
import { dependsOnUnseen } from "../rules/assumeFalse.ts";
import { toSql } from "../rules/conditionSql.ts";
import { timesIn } from "../rules/conditionTimes.ts";
import { type LifeRules, pathEndsWithin } from "../rules/life.ts";
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
} from "./classes.ts";
import { type Count, countOf } from "./count.ts";
import {
  changesUntil,
  momentInChanges,
  momentOf,
  noMore,
  readCounter,
  sumIf,
  unseenChanges,
} from "./counters.ts";

/* Totals of lists. */

/** Names with a label known only by its hash. */
export const pending: Count<Scope, number> = countOf({
  fromCounters: async (db, chains) => {
    const of = sqlOf(chains);
    const found = await readCounter<{ count: number }>(
      db,
      sql`select ${momentOf(of)} as moment, coalesce(sum(names), 0)::int as count
        from figures_names where ${of.holds(sql`chain_id`)} and not is_label_known`,
    );
    return found?.count ?? null;
  },
  fromRows: countPending,
});

/** A search, and the time at which it is evaluated. */
export type SearchAt = AsOf & { filters: SearchFilters };

/** Counts of all names that a search finds. */
export const searchTotals: Count<SearchAt, SearchCounts> = countOf({
  fromCounters: searchFromCounters,
  fromRows: (db, { filters, ...at }) => countSearch(db, searchCondition(filters, at), at),
});

/** Null also for filters that the counters do not distinguish. */
async function searchFromCounters(db: Db, { filters, ...at }: SearchAt): Promise<SearchCounts | null> {
  const { text, isFullName: _ofText, ...others } = filters;
  if (text) return null;
  if ((filters.expiryFrom ?? 0) > (filters.expiryTo ?? LATEST)) return noneFound;
  const given = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const counters = [byClass, byResolver, byExpiry].find(({ filters }) =>
    given.every((name) => filters.has(name)),
  );
  const statement = counters?.count(others, at);
  return statement ? readCounter(db, statement) : null;
}

/** Counters that answer searches with no other filters than these. */
type SearchCounters = {
  filters: ReadonlySet<string>;
  /** Null if the counters do not distinguish a filter on these chains. */
  count: (filters: SearchFilters, at: AsOf) => SQL | null;
};

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

/** The condition that a row of counters is for these chains, and for wrapped or unwrapped names. */
const isOf = ({ holds }: ScopeSql, isWrapped: boolean | undefined): SQL | undefined =>
  and(holds(sql`chain_id`), isWrapped === undefined ? undefined : sql`is_wrapped = ${isWrapped}`);

const byClass: SearchCounters = {
  filters: new Set<keyof SearchFilters>(["availability", "minLength", "maxLength", "isWrapped", "protocol"]),
  count: ({ availability, minLength, maxLength, isWrapped, protocol }, { chains, now }) => {
    const of = sqlOf(chains);
    const { life } = of;
    // Without ENSv2, names are not counted by protocol.
    if (protocol !== undefined && life.terms === undefined) return null;
    const rule = availability ? any(...availability.map((state) => life.availability[state])) : all();
    const unseen = dependsOnUnseen(rule) ? unseenChanges(of) : noMore;
    const classes = sql.raw(classColumns(life).join(", "));
    const isFound = and(
      isOf(of, isWrapped),
      sql`is_counted`,
      sql.raw(classCondition(rule)),
      protocol && sql`is_ensv2 = ${protocol === "ensv2"}`,
      minLength === undefined ? undefined : sql`label_length >= ${minLength}`,
      maxLength === undefined ? undefined : sql`label_length between 0 and ${maxLength}`,
    );
    return sql`with ${changesUntil(now, of)}${unseen.tables}, class as (
        select ${classes}, names from figures_names union all select ${classes}, sign from change${unseen.rows}
      ) ${countsOfClasses(life)} where ${isFound}`;
  },
};

const resolverClasses = sql.raw(resolverColumns.join(", "));

const byResolver: SearchCounters = {
  filters: new Set<keyof SearchFilters>(["resolver", "isWrapped"]),
  count: ({ resolver, isWrapped }, { chains, now }) => {
    const of = sqlOf(chains);
    const isFound = and(isOf(of, isWrapped), sql`resolver = ${resolver}`);
    return sql`with ${changesUntil(now, of)}, class as (
        select ${resolverClasses}, names from figures_resolvers where ${isFound}
        union all select ${resolverClasses}, sign from change where ${isFound} and is_counted
      ) ${countsOfClasses(of.life)}`;
  },
};

const secondsOfDay = sql.raw(String(DAY));

/** The rules by which names with an expiry are counted. */
const expiryRules = ({ expired, expiringWithin }: LifeRules) => ({
  expired,
  expiring30d: expiringWithin(30),
  expiring90d: expiringWithin(90),
});

const pathEnds = (now: number): SQL =>
  sql`case ${sql.join(
    pathRanges.map((days) => sql`when ${toSql(pathEndsWithin(days), now)} then ${sql.raw(String(days))}`),
    sql` `,
  )} else ${sql.raw(String(NO_END))} end`;

/**
 * Names are counted by the day of their expiry. A day counts as a whole unless a relevant bound falls within it. On those few
 * days, the names themselves are read.
 */
function countExpiries({ expiryFrom, expiryTo, isWrapped }: SearchFilters, { chains, now }: AsOf): SQL {
  const of = sqlOf(chains);
  const { life } = of;
  const [from, to] = [expiryFrom ?? 0, expiryTo ?? LATEST];
  const rules = expiryRules(life);
  const [ofEnsv2, isEnsv2Row, isNotRetired] =
    life.retired === null
      ? [sql``, sql``, sql``]
      : [
          sql`, is_ensv2, path_ends_within`,
          sql`, ${toSql(isEnsv2)} as is_ensv2, ${pathEnds(now)} as path_ends_within`,
          sql` and ${toSql(not(life.retired))}`,
        ];
  const splitDays = sql`${sql.param(splitDaysOf(from, to, { chains, now }))}::bigint[]`;
  const isOfWholeDays = sql`${isOf(of, isWrapped)} and expiry_day between ${dayOf(from)} and ${dayOf(to)}
    and expiry_day <> all (${splitDays})`;
  return sql`with ${changesUntil(now, of)}, split as materialized (
      select name.* from unnest(${splitDays}) as split_day (day) cross join lateral (
        select ${domain.chainId} as chain_id, ${domain.expiryTimestamp} as expiry, ${toSql(of.rule(isOfRegistrar))} as is_eth,
          ${toSql(of.rule(life.hasEnd))} as has_end, ${toSql(wrapped, now)} as is_wrapped${isEnsv2Row}
        from ${domain} where ${toSql(isCounted)} and ${domain.expiryTimestamp} >= day * ${secondsOfDay}
          and ${domain.expiryTimestamp} < (day + 1) * ${secondsOfDay}${isNotRetired}
        offset 0
      ) as name
    ), class as (
      select expiry_day * ${secondsOfDay} as expiry, is_eth, has_end, is_wrapped, names${ofEnsv2} from figures_expiries
      where ${isOfWholeDays}
      union all
      select expiry_day * ${secondsOfDay}, is_eth, has_end, is_wrapped, sign${ofEnsv2} from change where ${isOfWholeDays} and is_counted
      union all
      select expiry, is_eth, has_end, is_wrapped, 1${ofEnsv2} from split
      where ${isOf(of, isWrapped)} and expiry between ${from} and ${to}
    ) ${countsWhere({
      expired: expiryCondition(rules.expired),
      expiring30d: expiryCondition(rules.expiring30d),
      expiring90d: expiryCondition(rules.expiring90d),
    })}`;
}

const byExpiry: SearchCounters = {
  filters: new Set<keyof SearchFilters>(["expiryFrom", "expiryTo", "isWrapped"]),
  count: countExpiries,
};

/** Later than any counted day. */
const LATEST = Number.MAX_SAFE_INTEGER - 1;

const dayOf = (time: number): number => Math.floor(time / DAY);

/** The days of a range within which a bound falls: an end of the range, or a time that a rule compares. */
function splitDaysOf(from: number, to: number, { chains, now }: AsOf): number[] {
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
