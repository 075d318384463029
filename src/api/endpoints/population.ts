import { z } from "@hono/zod-openapi";
import { expiries as expiryCounts, holders as holderCounts, phaseCounts } from "../counts/population.ts";
import { endpoint } from "../http/endpoint.ts";
import { type DayExpiries, MAX_HOLDERS, type PhaseCount } from "../query/population.ts";
import { DAY } from "../rules/seconds.ts";
import type { Phase } from "../rules/stages.ts";
import { address, chains as chainsOf, count } from "../schemas/answers.ts";
import { toAddress } from "../serializers/hex.ts";
import { cachedFor } from "./cachedFor.ts";
import { chainsField } from "./chains.ts";
import {
  ACTIVE,
  figureChains,
  figuresQuery,
  generatedAt,
  HOUR,
  MINUTE,
  NAMES,
  percentage,
  percentOf,
  sumOf,
  toDate,
  toInstant,
} from "./figures.ts";
import { monthAfter, monthOf } from "./periods.ts";

const STATES_SECONDS = 5 * MINUTE;

const takePhases = cachedFor(STATES_SECONDS, ({ db, now }, chains) => phaseCounts.read(db, { chains, now }));

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
  query: figuresQuery,
  reply: z
    .strictObject({
      eth: z.strictObject({
        registered: count,
        grace: count.openapi({ description: "Expired for at most 90 days (in ENSv2 28)" }),
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
      chains: chainsOf,
      generated_at: generatedAt,
    })
    .openapi("NameStates"),
  cost: 0,
  hotAnswers: true,
  cacheSeconds: STATES_SECONDS,
  tool: "get_statistics",
  handle: async (asked, ctx) => {
    const chains = figureChains(asked, ctx);
    const { statistics: counts, takenAt } = await takePhases(ctx, chains);
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
      ...chainsField(chains, ctx.contracts),
      generated_at: toInstant(takenAt),
    };
  },
});

/** Months ahead in an answer: names are seldom registered for longer than five years. */
export const MONTHS_AHEAD = 60;

const takeExpiries = cachedFor(HOUR, async ({ db, now }, chains) => {
  const first = monthOf(Math.floor(now / DAY));
  const months = Array.from({ length: MONTHS_AHEAD }).reduce<number[]>(
    (starts) => [...starts, monthAfter(starts.at(-1) ?? first)],
    [first],
  );
  const endDay = months.at(-1) ?? first;
  const days = await expiryCounts.read(db, { chains, firstDay: first, endDay });
  const byMonth = Map.groupBy(days, ({ day }) => (day === endDay ? day : monthOf(day)));
  return {
    months: months.slice(0, -1).map((month) => ({
      month: toDate(month).slice(0, 7),
      ...toExpiries(byMonth.get(month) ?? []),
    })),
    later: toExpiries(byMonth.get(endDay) ?? []),
  };
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
  query: figuresQuery,
  reply: z
    .strictObject({
      months: z.array(z.strictObject({ month: z.string().openapi({ example: "2027-01" }), ...expiryFields })),
      later: z.strictObject(expiryFields),
      chains: chainsOf,
      generated_at: generatedAt,
    })
    .openapi("Expiries"),
  cost: 0,
  hotAnswers: true,
  cacheSeconds: HOUR,
  tool: "get_sales",
  handle: async (asked, ctx) => {
    const chains = figureChains(asked, ctx);
    const { statistics, takenAt } = await takeExpiries(ctx, chains);
    return { ...statistics, ...chainsField(chains, ctx.contracts), generated_at: toInstant(takenAt) };
  },
});

const takeHolders = cachedFor(HOUR, async ({ db, now }, chains) => {
  const at = { chains, now };
  const [most, counts] = await Promise.all([holderCounts.read(db, at), phaseCounts.read(db, at)]);
  const active =
    namesIn(counts, true, "registered", "grace") + namesIn(counts, false, "unlimited", "registered");
  return { holders: most, active };
});

const holders = endpoint({
  method: "get",
  path: "/ens-stats/holders",
  group: "Statistics",
  summary: "The addresses that own most names",
  description: `The ${MAX_HOLDERS} addresses that effectively own most active names, most first. ${NAMES} ${ACTIVE} Taken every hour.`,
  query: figuresQuery,
  reply: z
    .strictObject({
      holders: z.array(
        z.strictObject({ address, active_domains: count, percentage: percentage("all active names") }),
      ),
      chains: chainsOf,
      generated_at: generatedAt,
    })
    .openapi("Holders"),
  cost: 0,
  hotAnswers: true,
  cacheSeconds: HOUR,
  tool: "get_statistics",
  handle: async (asked, ctx) => {
    const chains = figureChains(asked, ctx);
    const { statistics, takenAt } = await takeHolders(ctx, chains);
    return {
      holders: statistics.holders.map(({ owner, names }) => ({
        address: toAddress(owner),
        active_domains: names,
        percentage: percentOf(names, statistics.active),
      })),
      ...chainsField(chains, ctx.contracts),
      generated_at: toInstant(takenAt),
    };
  },
});

export const populationEndpoints = [states, expiries, holders];
