import { z } from "@hono/zod-openapi";
import type { Contracts } from "../../../../abis/contracts.ts";
import type { Ctx } from "../../server/http/context.ts";
import {
  adoption as adoptionCounts,
  shares as shareCounts,
  totals as totalCounts,
} from "../counts/totals.ts";
import { countRecentPurchases, type DaySales, listSalesByDay } from "../query/purchases.ts";
import type { Scope } from "../query/scope.ts";
import type { ClaimCounts, Share } from "../query/statistics.ts";
import { DAY } from "../rules/seconds.ts";
import { activity, count } from "../schemas/answers.ts";
import { ACTIVE, EXPIRED, NAMES, NEVER_PRIMARY, PURCHASES } from "../schemas/sentences.ts";
import { FEED_LENGTH, readActivity } from "../statistics/activityFeed.ts";
import { namesWhere, percentage, percentOf, sumOf, toDate } from "../statistics/numbers.ts";
import { HOUR, MINUTE, statistic, statisticOfAll } from "../statistics/statistic.ts";

async function takeTotals({ db, now }: Ctx, chains: Scope) {
  const at = { chains, now };
  const [totals, purchases] = await Promise.all([totalCounts.read(db, at), countRecentPurchases(db, at)]);
  return {
    total_domains: totals.total,
    active_domains: totals.active,
    expired_domains: totals.expired,
    wrapped_domains: totals.wrapped,
    wrapped_percentage: percentOf(totals.wrapped, totals.total),
    expiring_30d: totals.expiring30d,
    expiring_90d: totals.expiring90d,
    unique_owners: totals.owners,
    total_events: totals.events,
    registrations_24h: purchases.registrations24h,
    registrations_7d: purchases.registrations7d,
    renewals_7d: purchases.renewals7d,
  };
}

const ensStats = statistic({
  path: "/ens-stats",
  summary: "Key figures of the index",
  description: `${NAMES} ${ACTIVE} ${EXPIRED} ${PURCHASES}`,
  title: "EnsStats",
  tool: { name: "get_statistics", view: "totals" },
  seconds: 5 * MINUTE,
  reply: {
    total_domains: count,
    active_domains: count.openapi({ description: "Registered or in grace" }),
    expired_domains: count.openapi({
      description: "Premium or available: past a registrar's grace, or never registered by it",
    }),
    wrapped_domains: count,
    wrapped_percentage: percentage("all names"),
    expiring_30d: count.openapi({ description: "Registered, and expiring within 30 days" }),
    expiring_90d: count,
    unique_owners: count.openapi({ description: "Addresses that effectively own an active name" }),
    total_events: count.openapi({
      description: "Logs of these chains in the index; a log about several names counts for each",
    }),
    registrations_24h: count,
    registrations_7d: count,
    renewals_7d: count,
  },
  take: takeTotals,
  show: (taken) => taken,
});

/** Days in the daily counts, including today. */
const DAYS = 30;

async function takeDays({ db, now }: Ctx, chains: Scope) {
  const today = Math.floor(now / DAY);
  const firstDay = today - DAYS + 1;
  const range = { chains, from: firstDay * DAY, until: now + 1 };
  const sales = await listSalesByDay(db, range);
  return { daily: Array.from({ length: DAYS }, (_, i) => toDay(firstDay + i, sales)) };
}

const toDay = (day: number, sales: readonly DaySales[]) => {
  const ofDay = sales.filter((sale) => sale.day === day);
  const namesOf = (isRegistration: boolean) =>
    namesWhere(ofDay, (sale) => sale.isRegistration === isRegistration);
  return { date: toDate(day), registrations: namesOf(true), renewals: namesOf(false) };
};

const registrationStats = statistic({
  path: "/ens-stats/registrations",
  summary: "Daily registrations and renewals",
  description: `The last 30 days (UTC), oldest first; the last one is today so far. ${PURCHASES}`,
  title: "RegistrationStats",
  tool: { name: "get_statistics", view: "registrations" },
  seconds: 15 * MINUTE,
  reply: {
    daily: z.array(z.strictObject({ date: z.iso.date(), registrations: count, renewals: count })),
  },
  take: takeDays,
  show: (taken) => taken,
});

const lengthCount = z
  .strictObject({
    length: count.openapi({ description: "Code points of the label" }),
    count,
    percentage: percentage("the names in this list"),
  })
  .openapi("LengthCount");

async function takeDistribution({ db, now }: Ctx, chains: Scope) {
  const shares = await shareCounts.read(db, { chains, now });
  const lengths = shares.filter(({ kind }) => kind === "length");
  return {
    eth_label_length: toLengths(lengths, (share) => share.activeEth),
    all_label_length: toLengths(lengths, (share) => share.active),
    by_tld: shares
      .filter(({ kind }) => kind === "tld")
      .map(toTld)
      .sort((a, b) => b.count - a.count || compare(a.tld, b.tld)),
    by_subname_parent: shares
      .filter(({ kind }) => kind === "parent")
      .map(({ key, active }) => ({ parent: key, count: active }))
      .sort((a, b) => b.count - a.count || compare(a.parent, b.parent)),
  };
}

function toLengths(shares: Share[], countOf: (share: Share) => number) {
  const total = sumOf(shares, countOf);
  return shares
    .filter((share) => countOf(share) > 0)
    .map((share) => ({
      length: Number(share.key),
      count: countOf(share),
      percentage: percentOf(countOf(share), total),
    }))
    .sort((a, b) => a.length - b.length);
}

/** Only .eth has a registrar with expiries. For other top-level domains the index knows when names were created. */
const toTld = ({ key, isEth, active, allTime }: Share) =>
  isEth
    ? { tld: key, count: active, note: "active" as const }
    : { tld: key, count: allTime, note: "all_time" as const };

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const distributionStats = statistic({
  path: "/ens-stats/distribution",
  summary: "Distribution of names by length and parent",
  description: `Active names by label length, under .eth and in total (names with unknown labels are left out); direct subnames of each top-level domain; and the 100 names, other than top-level domains, with the most active direct subnames. ${NAMES} ${ACTIVE}`,
  title: "DistributionStats",
  tool: { name: "get_statistics", view: "distribution" },
  seconds: HOUR,
  reply: {
    eth_label_length: z.array(lengthCount),
    all_label_length: z.array(lengthCount),
    by_tld: z.array(
      z.strictObject({
        tld: z.string().openapi({ example: "eth" }),
        count,
        note: z.enum(["active", "all_time"]).openapi({
          description:
            "`active`: names registered or in grace; `all_time`: names that ever were, including deleted ones",
        }),
      }),
    ),
    by_subname_parent: z.array(
      z.strictObject({ parent: z.string().openapi({ example: "alice.eth" }), count }),
    ),
  },
  take: takeDistribution,
  show: (taken) => taken,
});

async function takePrimaryNames({ db, contracts, now }: Ctx, chains: Scope) {
  const adoption = await adoptionCounts.read(db, { chains, now });
  return {
    unique_addresses_with_primary_name: adoption.claimants,
    unique_domain_owners: adoption.owners,
    adoption_percentage: percentOf(adoption.ownersWithName, adoption.owners),
    multi_chain_count: adoption.multiChain,
    by_registrar: toRegistrars(adoption.claims, contracts),
  };
}

/** Every reverse registrar of the deployment, including those without claims. */
const toRegistrars = (claims: ClaimCounts[], { reverseRegistrars, chainName }: Contracts) =>
  reverseRegistrars.map(({ registrar, chainId }) => {
    const counts = claims.find((row) => row.registrar === registrar && row.chainId === chainId);
    return {
      registrar,
      chain: chainName(chainId),
      with_name: counts?.withName ?? 0,
      cleared: counts?.cleared ?? 0,
      unknown: counts?.unknown ?? 0,
    };
  });

const primaryNameStats = statisticOfAll({
  path: "/ens-stats/primary-names",
  summary: "Adoption of primary names",
  description: `Addresses that claim a name, on all configured chains, whether or not the name resolves to them. ${NEVER_PRIMARY} Owners are those of active names. ${NAMES} ${ACTIVE}`,
  title: "PrimaryNameStats",
  tool: { name: "get_statistics", view: "primary_names" },
  seconds: HOUR,
  reply: {
    unique_addresses_with_primary_name: count,
    unique_domain_owners: count.openapi({
      description: "Addresses that effectively own an active name",
    }),
    adoption_percentage: percentage("owners that claim a name"),
    multi_chain_count: count.openapi({
      description: "Addresses that claim a name on two or more chains",
    }),
    by_registrar: z.array(
      z.strictObject({
        registrar: z.string().openapi({ example: "REVERSE_REGISTRAR" }),
        chain: z.string().openapi({ example: "mainnet" }),
        with_name: count,
        cleared: count.openapi({ description: "Addresses that set an empty name, or none" }),
        unknown: count.openapi({ description: "Addresses whose name no event gives" }),
      }),
    ),
  },
  take: takePrimaryNames,
  show: (taken) => taken,
});

const takeActivity = (claims: "all claims" | "claims of the chains") => async (ctx: Ctx, chains: Scope) => ({
  events: await readActivity(ctx, { chains, claims }),
});

const recentActivity = statistic({
  path: "/ens-stats/recent-activity",
  summary: "Latest activity",
  description: `The newest ${FEED_LENGTH} registrations, renewals, transfers, migrations to ENSv2, wrappings, unwrappings and changes of primary names, newest first. A transfer is a change of the effective owner outside of a registration, wrapping or unwrapping; a wrapping that is part of a registration is not listed separately. Primary names are those of all configured chains, or of \`chain\`, as claimed.`,
  title: "RecentActivity",
  tool: { name: "get_statistics", view: "recent_activity" },
  seconds: 30,
  reply: { events: z.array(activity) },
  take: takeActivity("all claims"),
  takeOfChains: takeActivity("claims of the chains"),
  show: (taken) => taken,
});

export const statisticsEndpoints = [
  ensStats,
  registrationStats,
  distributionStats,
  primaryNameStats,
  recentActivity,
];
