import { z } from "@hono/zod-openapi";
import { listSales } from "../counts/days.ts";
import {
  listExpiriesFromCounters,
  listHoldersFromCounters,
  listPhasesFromCounters,
} from "../counts/population.ts";
import { endpoint } from "../http/endpoint.ts";
import {
  type DayExpiries,
  listExpiries,
  listHolders,
  listPhases,
  MAX_HOLDERS,
  type PhaseCount,
} from "../query/population.ts";
import type { DaySales } from "../query/purchases.ts";
import { DAY, type Phase } from "../rules/lifetime.ts";
import { address, count } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { toAddress } from "../serializers/hex.ts";
import { cachedFor } from "./cachedFor.ts";
import {
  ACTIVE,
  generatedAt,
  HOUR,
  MINUTE,
  NAMES,
  PURCHASES,
  percentage,
  percentOf,
  toDate,
  toInstant,
} from "./figures.ts";
import { intervals, monthAfter, monthOf, startOf, startsBetween } from "./periods.ts";

const SALES_SECONDS = 15 * MINUTE;

const takeSales = cachedFor(SALES_SECONDS, async ({ db, contracts, now }) => ({
  sales: await listSales(db, { chainId: contracts.chainId, now }),
  today: Math.floor(now / DAY),
}));

const wei = (description: string) =>
  z.string().regex(/^\d+$/).openapi({ description, example: "5000000000000000" });

const soldFields = {
  registrations: count,
  renewals: count,
  registration_cost_wei: wei("What controllers took for the registrations, premiums included"),
  premium_wei: wei("The part of it that was premium"),
  renewal_cost_wei: wei("What controllers took for the renewals"),
  cost_is_upper_bound: z.literal(true).optional().openapi({
    description: "Present if the cost of some renewals is known only as an upper bound",
  }),
};

const PAID =
  "Costs are those that controllers logged: deposits of the auctions were given back, and do not count.";

/** The fields of `soldFields`. */
function toSold(sales: readonly DaySales[]) {
  const registrations = sales.filter(({ isRegistration }) => isRegistration);
  const renewals = sales.filter(({ isRegistration }) => !isRegistration);
  return {
    registrations: sumOf(registrations, ({ names }) => names),
    renewals: sumOf(renewals, ({ names }) => names),
    registration_cost_wei: weiOf(registrations, ({ cost }) => cost),
    premium_wei: weiOf(registrations, ({ premium }) => premium),
    renewal_cost_wei: weiOf(renewals, ({ cost }) => cost),
    ...(sales.some(({ isUpperBound }) => isUpperBound) && { cost_is_upper_bound: true as const }),
  };
}

function groupedBy<T, Key>(rows: readonly T[], keyOf: (row: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

const sumOf = <T>(rows: readonly T[], numberOf: (row: T) => number): number =>
  rows.reduce((sum, row) => sum + numberOf(row), 0);

const weiOf = (sales: readonly DaySales[], amountOf: (sale: DaySales) => string): string =>
  sales.reduce((sum, sale) => sum + BigInt(amountOf(sale)), 0n).toString();

/**
 * Periods in an answer. A year of days, five years of weeks and twenty years of months are what a picture can show, and
 * an answer of some 60 KB.
 */
export const MAX_PERIODS = { day: 366, week: 261, month: 240 } as const;

const purchases = endpoint({
  method: "get",
  path: "/ens-stats/purchases",
  group: "Statistics",
  summary: "Registrations and renewals by day, week or month, and what was paid",
  description: `Periods of UTC, oldest first, from the first in which anything was sold; those without sales are zero, and the last one is as far as it went. At most the last ${MAX_PERIODS.day} days, ${MAX_PERIODS.week} weeks (from Monday) or ${MAX_PERIODS.month} months. ${PURCHASES} ${PAID} Taken every 15 minutes.`,
  query: z.object({
    interval: input
      .choice(intervals, "interval")
      .default("day")
      .openapi({ description: "How long a period is" }),
  }),
  reply: z
    .strictObject({
      interval: z.enum(intervals),
      periods: z.array(
        z.strictObject({
          start: z.iso.date().openapi({ description: "First day of the period" }),
          ...soldFields,
        }),
      ),
      generated_at: generatedAt,
    })
    .openapi("PurchaseSeries"),
  cost: 0,
  cacheSeconds: SALES_SECONDS,
  tool: "get_sales",
  handle: async ({ interval }, ctx) => {
    const { statistics, takenAt } = await takeSales(ctx);
    const { sales, today } = statistics;
    const byStart = groupedBy(sales, ({ day }) => startOf[interval](day));
    const first = sales.reduce((day, sale) => Math.min(day, sale.day), today);
    const starts = startsBetween(interval, { first, last: today }).slice(-MAX_PERIODS[interval]);
    return {
      interval,
      periods: starts.map((start) => ({ start: toDate(start), ...toSold(byStart.get(start) ?? []) })),
      generated_at: toInstant(takenAt),
    };
  },
});

const sellers = endpoint({
  method: "get",
  path: "/ens-stats/sellers",
  group: "Statistics",
  summary: "Registrations and renewals by generation of controllers",
  description: `What each contract sold, in the order of their first sale. A controller is named by its first block. \`REGISTRAR_AUCTION\` are the auctions of 2017 to 2019; another registrar stands for sales that no controller of the deployment logged. A name that was registered twice counts twice. ${PURCHASES} ${PAID} Taken every 15 minutes.`,
  reply: z
    .strictObject({
      sellers: z.array(
        z.strictObject({
          contract: z.string().openapi({ example: "CONTROLLER_9380471" }),
          address,
          first_day: z.iso.date(),
          last_day: z.iso.date(),
          ...soldFields,
        }),
      ),
      generated_at: generatedAt,
    })
    .openapi("Sellers"),
  cost: 0,
  cacheSeconds: SALES_SECONDS,
  tool: "get_sales",
  handle: async (_, ctx) => {
    const { statistics, takenAt } = await takeSales(ctx);
    const { contractLabel, chainId } = ctx.contracts;
    const bySeller = groupedBy(statistics.sales, ({ seller, sellerAddress }) => `${seller} ${sellerAddress}`);
    const listed = [...bySeller.values()].flatMap((sales) => {
      const [{ seller: family, sellerAddress } = { seller: "", sellerAddress: null }] = sales;
      if (sellerAddress === null) return [];
      const days = sales.map(({ day }) => day);
      const first = days.reduce((a, b) => Math.min(a, b));
      const sold = {
        contract: contractLabel({ family, chainId, address: sellerAddress }),
        address: toAddress(sellerAddress),
        first_day: toDate(first),
        last_day: toDate(days.reduce((a, b) => Math.max(a, b))),
        ...toSold(sales),
      };
      return [{ first, sold }];
    });
    return {
      sellers: listed.sort((a, b) => a.first - b.first).map(({ sold }) => sold),
      generated_at: toInstant(takenAt),
    };
  },
});

const STATES_SECONDS = 5 * MINUTE;

const takePhases = cachedFor(STATES_SECONDS, async ({ db, contracts, now }) => {
  const at = { chainId: contracts.chainId, now };
  return (await listPhasesFromCounters(db, at)) ?? (await listPhases(db, at));
});

const namesIn = (counts: readonly PhaseCount[], isEth: boolean, ...wanted: Phase[]): number =>
  sumOf(
    counts.filter((one) => one.isEth === isEth && wanted.includes(one.phase)),
    ({ names }) => names,
  );

const states = endpoint({
  method: "get",
  path: "/ens-stats/states",
  group: "Statistics",
  summary: "Names by their state",
  description: `${NAMES} The sum of all is \`total_domains\` of \`/ens-stats\`. Taken every 5 minutes.`,
  reply: z
    .strictObject({
      eth: z.strictObject({
        registered: count,
        grace: count.openapi({ description: "Expired for at most 90 days" }),
        premium: count.openapi({ description: "Anyone can register them, for the price with a premium" }),
        available: count.openapi({ description: "Anyone can register them, for the usual price" }),
        unregistered: count.openapi({
          description:
            "In the registry, and in no registrar with an expiry: names of the auctions that were not moved",
        }),
      }),
      others: z.strictObject({
        without_expiry: count.openapi({
          description: "Top-level domains, DNS names, and subnames that do not end",
        }),
        registered: count.openapi({ description: "Wrapped subnames before their expiry" }),
        expired: count,
      }),
      generated_at: generatedAt,
    })
    .openapi("NameStates"),
  cost: 0,
  cacheSeconds: STATES_SECONDS,
  tool: "get_statistics",
  handle: async (_, ctx) => {
    const { statistics: counts, takenAt } = await takePhases(ctx);
    return {
      eth: {
        registered: namesIn(counts, true, "registered"),
        grace: namesIn(counts, true, "grace"),
        premium: namesIn(counts, true, "premium"),
        available: namesIn(counts, true, "ended"),
        unregistered: namesIn(counts, true, "unlimited"),
      },
      others: {
        without_expiry: namesIn(counts, false, "unlimited"),
        registered: namesIn(counts, false, "registered"),
        expired: namesIn(counts, false, "over"),
      },
      generated_at: toInstant(takenAt),
    };
  },
});

/** Months ahead in an answer: names are seldom registered for longer than five years. */
export const MONTHS_AHEAD = 60;

const takeExpiries = cachedFor(HOUR, async ({ db, contracts, now }) => {
  const first = monthOf(Math.floor(now / DAY));
  const months = Array.from({ length: MONTHS_AHEAD }).reduce<number[]>(
    (starts) => [...starts, monthAfter(starts.at(-1) ?? first)],
    [first],
  );
  const endDay = months.at(-1) ?? first;
  const range = { chainId: contracts.chainId, firstDay: first, endDay };
  const days = (await listExpiriesFromCounters(db, range)) ?? (await listExpiries(db, range));
  return { months: months.slice(0, -1), endDay, days };
});

const toExpiries = (days: readonly DayExpiries[]) => ({
  eth: sumOf(
    days.filter(({ isEth }) => isEth),
    ({ names }) => names,
  ),
  others: sumOf(
    days.filter(({ isEth }) => !isEth),
    ({ names }) => names,
  ),
});

const expiryFields = {
  eth: count.openapi({ description: "Names right under .eth" }),
  others: count.openapi({ description: "Wrapped subnames" }),
};

const expiries = endpoint({
  method: "get",
  path: "/ens-stats/expiries",
  group: "Statistics",
  summary: "Names that expire in the months ahead",
  description: `Names by the month (UTC) of their expiry: this month, past days included, and the ${MONTHS_AHEAD - 1} after it. Reverse nodes do not count. Taken every hour.`,
  reply: z
    .strictObject({
      months: z.array(z.strictObject({ month: z.string().openapi({ example: "2027-01" }), ...expiryFields })),
      later: z.strictObject(expiryFields),
      generated_at: generatedAt,
    })
    .openapi("Expiries"),
  cost: 0,
  cacheSeconds: HOUR,
  tool: "get_sales",
  handle: async (_, ctx) => {
    const { statistics, takenAt } = await takeExpiries(ctx);
    const { months, endDay, days } = statistics;
    const byMonth = groupedBy(days, ({ day }) => (day === endDay ? day : monthOf(day)));
    return {
      months: months.map((month) => ({
        month: toDate(month).slice(0, 7),
        ...toExpiries(byMonth.get(month) ?? []),
      })),
      later: toExpiries(byMonth.get(endDay) ?? []),
      generated_at: toInstant(takenAt),
    };
  },
});

const takeHolders = cachedFor(HOUR, async ({ db, contracts, now }) => {
  const at = { chainId: contracts.chainId, now };
  const [kept, phases] = await Promise.all([listHoldersFromCounters(db, at), listPhasesFromCounters(db, at)]);
  const counts = phases ?? (await listPhases(db, at));
  const active =
    namesIn(counts, true, "registered", "grace") + namesIn(counts, false, "unlimited", "registered");
  return { holders: kept ?? (await listHolders(db, at)), active };
});

const holders = endpoint({
  method: "get",
  path: "/ens-stats/holders",
  group: "Statistics",
  summary: "The addresses that own most names",
  description: `The ${MAX_HOLDERS} addresses that effectively own most active names, most first. ${NAMES} ${ACTIVE} Taken every hour.`,
  reply: z
    .strictObject({
      holders: z.array(
        z.strictObject({ address, active_domains: count, percentage: percentage("all active names") }),
      ),
      generated_at: generatedAt,
    })
    .openapi("Holders"),
  cost: 0,
  cacheSeconds: HOUR,
  tool: "get_statistics",
  handle: async (_, ctx) => {
    const { statistics, takenAt } = await takeHolders(ctx);
    return {
      holders: statistics.holders.map(({ owner, names }) => ({
        address: toAddress(owner),
        active_domains: names,
        percentage: percentOf(names, statistics.active),
      })),
      generated_at: toInstant(takenAt),
    };
  },
});

export const seriesEndpoints = [purchases, sellers, states, expiries, holders];
