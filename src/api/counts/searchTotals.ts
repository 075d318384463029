import { domain } from "ponder:schema";
import { sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../query/db.ts";
import type { SearchFigures, SearchFilters } from "../query/search.ts";
import type { AsOf } from "../query/statistics.ts";
import { GRACE_SECONDS, SHORTEST_LABEL } from "../rules/availability.ts";
import { isEthName, isName } from "../rules/lifetimeSql.ts";
import { isWrappedAt } from "../rules/ownershipSql.ts";
import { classColumns, resolverColumns } from "./classes.ts";
import { changesUntil, MOMENT, momentAsked, preparedFigures, sumIf } from "./counters.ts";

/* Totals of lists from the counts that are kept. */

const { placeholder } = sql;

/** Twin of `countPending`. */
export async function countKeptPending(db: Db, { chainId }: { chainId: number }): Promise<number | null> {
  const kept = await pendingNames(db, { chainId });
  return kept?.count ?? null;
}

const pendingNames = preparedFigures(
  "pending",
  ["count"],
  sql`select ${sql.raw(MOMENT)} as moment, coalesce(sum(names), 0)::int as count
    from figures_names where chain_id = ${placeholder("chainId")} and not is_label_known`,
);

/** How many names are right under a node. */
export async function countKeptChildren(
  db: Db,
  { chainId, node }: { chainId: number; node: Hex },
): Promise<number | null> {
  const kept = await childNames(db, { chainId, node });
  return kept?.count ?? null;
}

const childNames = preparedFigures(
  "children",
  ["count"],
  sql`select ${sql.raw(MOMENT)} as moment, coalesce(sum(all_time), 0)::int as count
    from figures_parents where chain_id = ${placeholder("chainId")} and parent_node = ${placeholder("node")}`,
);

/** Twin of `countSearch`; null for filters by which nothing is counted, too. */
export async function readKeptSearch(
  db: Db,
  filters: SearchFilters,
  at: AsOf,
): Promise<SearchFigures | null> {
  const { text, isFullName: _ofText, ...others } = filters;
  if (text) return null;
  const given = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const counts = [byClass, byResolver, byExpiry].find(({ knows }) => given.every((name) => knows.has(name)));
  return counts ? counts.read(db, others, at) : null;
}

/** Counts by which searches with some filters are told, if they have no others. */
type Counts = {
  knows: ReadonlySet<string>;
  read: (db: Db, filters: SearchFilters, at: AsOf) => Promise<SearchFigures | null>;
};

const figures = ["total", "expired", "expiring30d", "expiring90d", "wrapped"] as const;

/** What the figures of all searches have in common, by the conditions for names of one sort. */
const figuresWhere = (is: Record<"expired" | "expiring30d" | "expiring90d", string>) => sql`
  select ${momentAsked} as moment, coalesce(sum(names), 0)::int as total, ${sumIf(is.expired)} as expired,
    ${sumIf(is.expiring30d)} as "expiring30d", ${sumIf(is.expiring90d)} as "expiring90d",
    ${sumIf("is_wrapped")} as wrapped
  from kept cross join asked`;

const figuresOfClasses = figuresWhere({
  expired: "phase in ('premium', 'ended', 'over')",
  expiring30d: "expires_within = 30",
  expiring90d: "expires_within in (30, 90)",
});

/** Filters that may be left out are all that there is then, not null: the plan is the same for all. */
const isWrappedAs = sql`is_wrapped = any (${placeholder("wrapped")}::boolean[])`;

const wrappedAs = (isWrapped: boolean | undefined) => (isWrapped === undefined ? [true, false] : [isWrapped]);

/** Conditions on what names count as, for each state of availability. SQL twin of `hasAvailability`. */
const availabilities = {
  registered:
    "(phase = 'registered' and (is_eth or is_owned) or phase = 'unlimited' and not is_eth and is_owned)",
  grace: "phase = 'grace'",
  premium: "phase = 'premium'",
  available: `(phase = 'ended' or is_eth and phase = 'unlimited' and label_length >= ${SHORTEST_LABEL})`,
  any: "true",
} as const;

const classes = sql.raw(classColumns.join(", "));

const ofClasses = (availability: keyof typeof availabilities) =>
  preparedFigures(
    `search_${availability}`,
    figures,
    sql`with ${changesUntil(placeholder("now"))}, kept as (
        select ${classes}, names from figures_names union all select ${classes}, sign from change
      ) ${figuresOfClasses}
      where chain_id = ${placeholder("chainId")} and ${sql.raw(availabilities[availability])} and ${isWrappedAs}
        and label_length between ${placeholder("shortest")} and ${placeholder("longest")}`,
  );

const byAvailability: Record<keyof typeof availabilities, ReturnType<typeof ofClasses>> = {
  registered: ofClasses("registered"),
  grace: ofClasses("grace"),
  premium: ofClasses("premium"),
  available: ofClasses("available"),
  any: ofClasses("any"),
};

const byClass: Counts = {
  knows: new Set<keyof SearchFilters>(["availability", "minLength", "maxLength", "isWrapped"]),
  read: (db, { availability, minLength, maxLength, isWrapped }, at) =>
    byAvailability[availability ?? "any"](db, {
      ...{ ...at, wrapped: wrappedAs(isWrapped), longest: maxLength ?? LONGEST_LABEL },
      shortest: minLength ?? (maxLength === undefined ? UNKNOWN_LENGTH : 0),
    }),
};

/** Beyond any label; and the length that labels which nobody knows are counted as. */
const [LONGEST_LABEL, UNKNOWN_LENGTH] = [2 ** 31 - 1, -1];

const resolverClasses = sql.raw(resolverColumns.join(", "));
const isOfResolver = sql`chain_id = ${placeholder("chainId")} and resolver = ${placeholder("resolver")} and ${isWrappedAs}`;

const ofResolver = preparedFigures(
  "search_resolver",
  figures,
  sql`with ${changesUntil(placeholder("now"))}, kept as (
      select ${resolverClasses}, names from figures_resolvers where ${isOfResolver}
      union all select ${resolverClasses}, sign from change where ${isOfResolver}
    ) ${figuresOfClasses}`,
);

const byResolver: Counts = {
  knows: new Set<keyof SearchFilters>(["resolver", "isWrapped"]),
  read: (db, { resolver, isWrapped }, at) =>
    ofResolver(db, { ...at, resolver, wrapped: wrappedAs(isWrapped) }),
};

const DAY = 86_400;

const isOfChain = sql`chain_id = ${placeholder("chainId")} and ${isWrappedAs}`;
const isOfWholeDays = sql`${isOfChain} and expiry_day between ${placeholder("firstDay")} and ${placeholder("lastDay")}
  and expiry_day <> all (${placeholder("splitDays")}::bigint[])`;

/** True for names that are to expire within so many days. */
const isBy = (days: number) => `expiry > asked.now and expiry <= asked.now + ${days * DAY}`;

/**
 * Names are counted by the day of their expiry. Days through which no bound goes that matters here count as a whole;
 * of the few others the names themselves are looked at.
 */
const ofExpiry = preparedFigures(
  "search_expiry",
  figures,
  sql`with ${changesUntil(placeholder("now"))}, split as materialized (
      select name.* from unnest(${placeholder("splitDays")}::bigint[]) as split_day (day) cross join lateral (
        select ${domain.chainId} as chain_id, ${domain.expiryTimestamp} as expiry, ${isEthName} as is_eth,
          ${isWrappedAt(placeholder("now"))} as is_wrapped
        from ${domain} where ${isName} and ${domain.expiryTimestamp} >= day * ${sql.raw(String(DAY))}
          and ${domain.expiryTimestamp} < (day + 1) * ${sql.raw(String(DAY))}
        offset 0
      ) as name
    ), kept as (
      select expiry_day * ${sql.raw(String(DAY))} as expiry, is_eth, is_wrapped, names from figures_expiries
      where ${isOfWholeDays}
      union all
      select expiry_day * ${sql.raw(String(DAY))}, is_eth, is_wrapped, sign from change where ${isOfWholeDays}
      union all
      select expiry, is_eth, is_wrapped, 1 from split
      where ${isOfChain} and expiry between ${placeholder("from")} and ${placeholder("to")}
    ) ${figuresWhere({
      expired: `expiry <= asked.now and (not is_eth or expiry < asked.now - ${GRACE_SECONDS})`,
      expiring30d: isBy(30),
      expiring90d: isBy(90),
    })}`,
);

const byExpiry: Counts = {
  knows: new Set<keyof SearchFilters>(["expiryFrom", "expiryTo", "isWrapped"]),
  read: (db, { expiryFrom: from = 0, expiryTo: to = LATEST, isWrapped }, at) => {
    const days = { firstDay: dayOf(from), lastDay: dayOf(to), splitDays: splitDays(from, to, at) };
    return ofExpiry(db, { ...at, ...days, from, to, wrapped: wrappedAs(isWrapped) });
  },
};

/** Beyond any day that is counted. */
const LATEST = Number.MAX_SAFE_INTEGER - 1;

const dayOf = (time: number): number => Math.floor(time / DAY);

/** Days of a range in which something begins or ends that is counted: the range itself, or what the figures tell. */
function splitDays(from: number, to: number, { now }: AsOf): number[] {
  const begin = [0, 30, 90].map((days) => now + days * DAY + 1);
  const bounds = [from, to + 1, now - Number(GRACE_SECONDS), ...begin];
  const inside = bounds.filter((bound) => bound % DAY !== 0 && bound >= from && bound <= to + 1);
  return [...new Set(inside.map(dayOf))];
}
