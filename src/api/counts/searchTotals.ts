import { sql } from "ponder";
import type { Db } from "../query/db.ts";
import type { SearchCounts, SearchFilters } from "../query/search.ts";
import type { AsOf } from "../query/statistics.ts";
import { availabilityRules, expired, type KnownAvailability } from "../rules/lifetime.ts";
import {
  classColumns,
  classCondition,
  classExpiresWithin,
  resolverColumns,
  UNKNOWN_LENGTH,
} from "./classes.ts";
import { changesUntil, MOMENT, momentAsked, preparedCounts, sumIf } from "./counters.ts";

/* Totals of lists, from the counters. */

const { placeholder } = sql;

/** As `countPending`. */
export async function countPendingFromCounters(
  db: Db,
  { chainId }: { chainId: number },
): Promise<number | null> {
  const counts = await pendingNames(db, { chainId });
  return counts?.count ?? null;
}

const pendingNames = preparedCounts(
  "pending",
  ["count"],
  sql`select ${sql.raw(MOMENT)} as moment, coalesce(sum(names), 0)::int as count
    from figures_names where chain_id = ${placeholder("chainId")} and not is_label_known`,
);

/** As `countSearch`. Null also for filters by which names are not counted. */
export async function countSearchFromCounters(
  db: Db,
  filters: SearchFilters,
  at: AsOf,
): Promise<SearchCounts | null> {
  const { text, isFullName: _ofText, ...others } = filters;
  if (text) return null;
  const given = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const counters = [byClass, byResolver].find(({ filters }) => given.every((name) => filters.has(name)));
  return counters ? counters.read(db, others, at) : null;
}

/** Counters that answer searches with no filters but these. */
type SearchCounters = {
  filters: ReadonlySet<string>;
  read: (db: Db, filters: SearchFilters, at: AsOf) => Promise<SearchCounts | null>;
};

const countColumns = ["total", "expired", "expiring30d", "expiring90d", "wrapped"] as const;

const countsOfClasses = sql`
  select ${momentAsked} as moment, coalesce(sum(names), 0)::int as total,
    ${sumIf(classCondition(expired))} as expired, ${sumIf(classExpiresWithin(30))} as "expiring30d",
    ${sumIf(classExpiresWithin(90))} as "expiring90d", ${sumIf("is_wrapped")} as wrapped
  from class cross join asked`;

/** An absent filter is "both values" and not null, so that one plan serves all. */
const isWrappedAs = sql`is_wrapped = any (${placeholder("wrapped")}::boolean[])`;

const wrappedAs = (isWrapped: boolean | undefined) => (isWrapped === undefined ? [true, false] : [isWrapped]);

const classes = sql.raw(classColumns.join(", "));

const ofClasses = (name: string, condition: string) =>
  preparedCounts(
    `search_${name}`,
    countColumns,
    sql`with ${changesUntil(placeholder("now"))}, class as (
        select ${classes}, names from figures_names union all select ${classes}, sign from change
      ) ${countsOfClasses}
      where chain_id = ${placeholder("chainId")} and ${sql.raw(condition)} and ${isWrappedAs}
        and label_length between ${placeholder("shortest")} and ${placeholder("longest")}`,
  );

const ofState = (state: KnownAvailability) => ofClasses(state, classCondition(availabilityRules[state]));

const byAvailability: Record<KnownAvailability | "any", ReturnType<typeof ofClasses>> = {
  registered: ofState("registered"),
  grace: ofState("grace"),
  premium: ofState("premium"),
  available: ofState("available"),
  any: ofClasses("any", "true"),
};

const byClass: SearchCounters = {
  filters: new Set<keyof SearchFilters>(["availability", "minLength", "maxLength", "isWrapped"]),
  read: (db, { availability, minLength, maxLength, isWrapped }, at) =>
    byAvailability[availability ?? "any"](db, {
      ...{ ...at, wrapped: wrappedAs(isWrapped), longest: maxLength ?? LONGEST_LABEL },
      shortest: minLength ?? (maxLength === undefined ? UNKNOWN_LENGTH : 0),
    }),
};

/** Longer than any label. */
const LONGEST_LABEL = 2 ** 31 - 1;

const resolverClasses = sql.raw(resolverColumns.join(", "));
const isOfResolver = sql`chain_id = ${placeholder("chainId")} and resolver = ${placeholder("resolver")} and ${isWrappedAs}`;

const ofResolver = preparedCounts(
  "search_resolver",
  countColumns,
  sql`with ${changesUntil(placeholder("now"))}, class as (
      select ${resolverClasses}, names from figures_resolvers where ${isOfResolver}
      union all select ${resolverClasses}, sign from change where ${isOfResolver}
    ) ${countsOfClasses}`,
);

const byResolver: SearchCounters = {
  filters: new Set<keyof SearchFilters>(["resolver", "isWrapped"]),
  read: (db, { resolver, isWrapped }, at) =>
    ofResolver(db, { ...at, resolver, wrapped: wrappedAs(isWrapped) }),
};
