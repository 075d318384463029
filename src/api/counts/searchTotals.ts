import { domain } from "ponder:schema";
import { sql } from "ponder";
import { all, type Condition, not } from "../../ens/condition.ts";
import type { Db } from "../postgres/db.ts";
import { caseInsensitiveCondition } from "../query/caseInsensitive.ts";
import {
  type Chains,
  chainValues,
  type Form,
  forEachForm,
  isOfAskedChains,
  lifeIn,
  type Reach,
  ruleFor,
  titleOf,
} from "../query/chains.ts";
import { countPending } from "../query/domains.ts";
import { countSearch, type Protocol, type SearchCounts, type SearchFilters } from "../query/search.ts";
import type { AsOf } from "../query/statistics.ts";
import { dependsOnUnseen } from "../rules/asCounted.ts";
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
import { changesUntil, momentAsked, momentOf, preparedCounts, sumIf, unseenChanges } from "./counters.ts";

/* Totals of lists. */

const { placeholder } = sql;

/** Names with a label of which only the hash is known. */
export const pending: Count<Chains, number> = countOf({
  fromCounters: async (db, chains) => (await pendingNames(chains)(db, chainValues(chains)))?.count ?? null,
  fromRows: countPending,
});

const pendingNames = forEachForm((form) =>
  preparedCounts(
    titleOf("pending", form),
    ["count"],
    sql`select ${momentOf(form)} as moment, coalesce(sum(names), 0)::int as count
    from figures_names where ${isOfAskedChains(sql`chain_id`, form.reach)} and not is_label_known`,
  ),
);

/** A search, and when it is made. */
type Searched = AsOf & { filters: SearchFilters };

/** Counts of all names that a search finds. */
export const searchTotals: Count<Searched, SearchCounts> = countOf({
  fromCounters: searchFromCounters,
  fromRows: (db, { filters, ...at }) => countSearch(db, caseInsensitiveCondition(filters, at), at),
});

/** Null also for filters by which names are not counted. */
async function searchFromCounters(db: Db, { filters, ...at }: Searched): Promise<SearchCounts | null> {
  const { text, isFullName: _ofText, ...others } = filters;
  if (text) return null;
  const given = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const counters = [byClass, byResolver, byExpiry].find(({ filters }) =>
    given.every((name) => filters.has(name)),
  );
  return counters ? counters.read(db, others, at) : null;
}

/** Counters that answer searches with no filters but these. */
type SearchCounters = {
  filters: ReadonlySet<string>;
  read: (db: Db, filters: SearchFilters, at: AsOf) => Promise<SearchCounts | null>;
};

const countColumns = ["total", "expired", "expiring30d", "expiring90d", "wrapped"] as const;

/** The counts of a search, from the conditions for rows of `class`. */
const countsWhere = (is: Record<"expired" | "expiring30d" | "expiring90d", string>) => sql`
  select ${momentAsked} as moment, coalesce(sum(names), 0)::int as total, ${sumIf(is.expired)} as expired,
    ${sumIf(is.expiring30d)} as "expiring30d", ${sumIf(is.expiring90d)} as "expiring90d",
    ${sumIf("is_wrapped")} as wrapped
  from class cross join asked`;

const countsOfClasses = (life: LifeRules) =>
  countsWhere({
    expired: classCondition(life.expired),
    expiring30d: classExpiresWithin(30),
    expiring90d: classExpiresWithin(90),
  });

const valuesOf = ({ chains, now }: AsOf) => ({ ...chainValues(chains), now });

/** An absent filter is "both values" and not null, so that one plan serves all. */
const isWrappedAs = sql`is_wrapped = any (${placeholder("wrapped")}::boolean[])`;

const wrappedAs = (isWrapped: boolean | undefined) => (isWrapped === undefined ? [true, false] : [isWrapped]);

function ofClasses(name: string, rule: Condition, form: Form) {
  const life = lifeIn(form);
  const unseen = dependsOnUnseen(rule) ? unseenChanges(form) : { tables: sql``, rows: sql`` };
  const classes = sql.raw(classColumns(life).join(", "));
  return preparedCounts(
    titleOf(`search_${name}`, form),
    countColumns,
    sql`with ${changesUntil(placeholder("now"), form)}${unseen.tables}, class as (
        select ${classes}, names from figures_names union all select ${classes}, sign from change${unseen.rows}
      ) ${countsOfClasses(life)}
      where ${isOfAskedChains(sql`chain_id`, form.reach)} and is_counted and ${sql.raw(classCondition(rule))} and ${isWrappedAs}${isOfProtocol(form)}
        and label_length between ${placeholder("shortest")} and ${placeholder("longest")}`,
  );
}

/** An absent filter is "both values", as that of wrapped names. */
const isOfProtocol = ({ ensv2 }: Form) =>
  ensv2 === undefined ? sql`` : sql` and is_ensv2 = any (${placeholder("ensv2")}::boolean[])`;

/** Without ENSv2 there is nothing to tell apart. */
const protocolValues = ({ ensv2 }: Form, protocol: Protocol | undefined) =>
  ensv2 === undefined ? {} : { ensv2: protocol === undefined ? [true, false] : [protocol === "ensv2"] };

const byAvailability = forEachForm(
  (form): Record<KnownAvailability | "any", ReturnType<typeof ofClasses>> => {
    const life = lifeIn(form);
    const ofState = (state: KnownAvailability) => ofClasses(state, life.availability[state], form);
    return {
      registered: ofState("registered"),
      grace: ofState("grace"),
      premium: ofState("premium"),
      available: ofState("available"),
      any: ofClasses("any", all(), form),
    };
  },
);

const byClass: SearchCounters = {
  filters: new Set<keyof SearchFilters>(["availability", "minLength", "maxLength", "isWrapped", "protocol"]),
  read: async (db, { availability, minLength, maxLength, isWrapped, protocol }, at) =>
    protocol !== undefined && at.chains.ensv2 === undefined
      ? null
      : byAvailability(at.chains)[availability ?? "any"](db, {
          ...{ ...valuesOf(at), wrapped: wrappedAs(isWrapped), longest: maxLength ?? LONGEST_LABEL },
          ...protocolValues(at.chains, protocol),
          shortest: minLength ?? (maxLength === undefined ? UNKNOWN_LENGTH : 0),
        }),
};

/** Longer than any label. */
const LONGEST_LABEL = 2 ** 31 - 1;

const resolverClasses = sql.raw(resolverColumns.join(", "));
const isOfResolver = (reach: Reach) =>
  sql`${isOfAskedChains(sql`chain_id`, reach)} and resolver = ${placeholder("resolver")} and ${isWrappedAs}`;

const ofResolver = forEachForm((form) =>
  preparedCounts(
    titleOf("search_resolver", form),
    countColumns,
    sql`with ${changesUntil(placeholder("now"), form)}, class as (
      select ${resolverClasses}, names from figures_resolvers where ${isOfResolver(form.reach)}
      union all select ${resolverClasses}, sign from change where ${isOfResolver(form.reach)} and is_counted
    ) ${countsOfClasses(lifeIn(form))}`,
  ),
);

const byResolver: SearchCounters = {
  filters: new Set<keyof SearchFilters>(["resolver", "isWrapped"]),
  read: (db, { resolver, isWrapped }, at) =>
    ofResolver(at.chains)(db, { ...valuesOf(at), resolver, wrapped: wrappedAs(isWrapped) }),
};

const secondsOfDay = sql.raw(String(DAY));
const isOfChain = (reach: Reach) => sql`${isOfAskedChains(sql`chain_id`, reach)} and ${isWrappedAs}`;
const isOfWholeDays = (
  reach: Reach,
) => sql`${isOfChain(reach)} and expiry_day between ${placeholder("firstDay")} and ${placeholder("lastDay")}
  and expiry_day <> all (${placeholder("splitDays")}::bigint[])`;

/** The rules by which names of an expiry are counted. */
const expiryRules = ({ expired, expiringWithin }: LifeRules) => ({
  ...{ expired, expiring30d: expiringWithin(30), expiring90d: expiringWithin(90) },
});

const pathEnds = sql`case ${sql.join(
  pathRanges.map(
    (days) => sql`when ${toSql(pathEndsWithin(days), placeholder("now"))} then ${sql.raw(String(days))}`,
  ),
  sql` `,
)} else ${sql.raw(String(NO_END))} end`;

/**
 * Names are counted by the day of their expiry. A day counts as a whole if no bound that matters goes through it; on the
 * few other days the names themselves are read.
 */
const ofExpiry = forEachForm((form) => {
  const { reach } = form;
  const life = lifeIn(form);
  const rules = expiryRules(life);
  const [ofEnsv2, isEnsv2Row, isNotRetired] =
    life.retired === null
      ? [sql``, sql``, sql``]
      : [
          sql`, is_ensv2, path_ends_within`,
          sql`, ${toSql(isEnsv2)} as is_ensv2, ${pathEnds} as path_ends_within`,
          sql` and ${toSql(not(life.retired))}`,
        ];
  return preparedCounts(
    titleOf("search_expiry", form),
    countColumns,
    sql`with ${changesUntil(placeholder("now"), form)}, split as materialized (
      select name.* from unnest(${placeholder("splitDays")}::bigint[]) as split_day (day) cross join lateral (
        select ${domain.chainId} as chain_id, ${domain.expiryTimestamp} as expiry, ${toSql(ruleFor(isOfRegistrar, reach))} as is_eth,
          ${toSql(wrapped, placeholder("now"))} as is_wrapped${isEnsv2Row}
        from ${domain} where ${toSql(isCounted)} and ${domain.expiryTimestamp} >= day * ${secondsOfDay}
          and ${domain.expiryTimestamp} < (day + 1) * ${secondsOfDay}${isNotRetired}
        offset 0
      ) as name
    ), class as (
      select expiry_day * ${secondsOfDay} as expiry, is_eth, is_wrapped, names${ofEnsv2} from figures_expiries
      where ${isOfWholeDays(reach)}
      union all
      select expiry_day * ${secondsOfDay}, is_eth, is_wrapped, sign${ofEnsv2} from change where ${isOfWholeDays(reach)} and is_counted
      union all
      select expiry, is_eth, is_wrapped, 1${ofEnsv2} from split
      where ${isOfChain(reach)} and expiry between ${placeholder("from")} and ${placeholder("to")}
    ) ${countsWhere({
      expired: expiryCondition(rules.expired),
      expiring30d: expiryCondition(rules.expiring30d),
      expiring90d: expiryCondition(rules.expiring90d),
    })}`,
  );
});

const byExpiry: SearchCounters = {
  filters: new Set<keyof SearchFilters>(["expiryFrom", "expiryTo", "isWrapped"]),
  read: (db, { expiryFrom: from = 0, expiryTo: to = LATEST, isWrapped }, at) => {
    const days = { firstDay: dayOf(from), lastDay: dayOf(to), splitDays: splitDays(from, to, at) };
    return ofExpiry(at.chains)(db, {
      ...valuesOf(at),
      ...days,
      from,
      to,
      wrapped: wrappedAs(isWrapped),
    });
  },
};

/** Later than any day that is counted. */
const LATEST = Number.MAX_SAFE_INTEGER - 1;

const dayOf = (time: number): number => Math.floor(time / DAY);

/** The days of a range through which a bound goes: an end of the range, or a time with which a rule compares. */
function splitDays(from: number, to: number, { chains, now }: AsOf): number[] {
  const ofRules = Object.values(expiryRules(lifeIn(chains)))
    .flatMap(timesIn)
    .filter(({ column }) => column === "expiryTimestamp")
    .map(({ operator, seconds }) => now + Number(seconds) + (operator === "<=" || operator === ">" ? 1 : 0));
  const inside = [from, to + 1, ...ofRules].filter(
    (bound) => bound % DAY !== 0 && bound >= from && bound <= to + 1,
  );
  return [...new Set(inside.map(dayOf))];
}
