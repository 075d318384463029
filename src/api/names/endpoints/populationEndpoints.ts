import { z } from "@hono/zod-openapi";
import type { Ctx } from "../../server/http/context.ts";
import {
  expiries as expiryCounts,
  holders as holderCounts,
  phaseCounts,
} from "../counts/populationCounts.ts";
import { type DayExpiries, MAX_HOLDERS, type PhaseCount } from "../query/population.ts";
import type { Scope } from "../query/scope.ts";
import { DAY } from "../rules/seconds.ts";
import type { Phase } from "../rules/stages.ts";
import { address, count } from "../schemas/answers.ts";
import { ACTIVE, NAMES } from "../schemas/sentences.ts";
import { toAddress } from "../serializers/hex.ts";
import { namesWhere, percentage, percentOf, toDate } from "../statistics/numbers.ts";
import { monthOf, startsBetween } from "../statistics/periods.ts";
import { HOUR, MINUTE, statistic } from "../statistics/statistic.ts";

const namesIn = (counts: readonly PhaseCount[], isEth: boolean, ...wanted: Phase[]): number =>
  namesWhere(counts, (one) => one.isEth === isEth && wanted.includes(one.phase));

const states = statistic({
  path: "/ens-stats/states",
  summary: "Names by state",
  description: `${NAMES} All counts add up to \`total_domains\` of \`/ens-stats\`.`,
  title: "NameStates",
  tool: { name: "get_statistics", view: "states" },
  seconds: 5 * MINUTE,
  reply: {
    eth: z.strictObject({
      registered: count,
      grace: count.openapi({ description: "Expired at most 90 days ago (ENSv2: 28)" }),
      premium: count.openapi({ description: "Open to registration by anyone, with a premium" }),
      available: count.openapi({ description: "Open to registration by anyone, at the usual price" }),
      unregistered: count.openapi({
        description:
          "In the registry, but in no registrar with an expiry: auctioned names that were not moved",
      }),
    }),
    others: z.strictObject({
      without_expiry: count.openapi({
        description: "Top-level domains, DNS names, and subnames without end",
      }),
      registered: count.openapi({
        description:
          "Unexpired, and wrapped subnames without PARENT_CANNOT_CONTROL, which keep their owner after expiry",
      }),
      expired: count.openapi({ description: "Names with state `unknown`" }),
    }),
  },
  take: ({ db, now }, chains) => phaseCounts.read(db, { chains, now }),
  show: (counts) => ({
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
  }),
});

/** Months ahead: few names are registered for longer than five years. */
export const MONTHS_AHEAD = 60;

async function takeExpiries({ db, now }: Ctx, chains: Scope) {
  const first = monthOf(Math.floor(now / DAY));
  const months = startsBetween("month", { first, last: first + 31 * MONTHS_AHEAD }).slice(
    0,
    MONTHS_AHEAD + 1,
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
}

const toExpiries = (days: readonly DayExpiries[]) => ({
  eth: namesWhere(days, ({ isEth }) => isEth),
  others: namesWhere(days, ({ isEth }) => !isEth),
});

const expiryFields = {
  eth: count.openapi({ description: "Second-level .eth names" }),
  others: count.openapi({ description: "Wrapped subnames" }),
};

const expiries = statistic({
  path: "/ens-stats/expiries",
  summary: "Upcoming expiries by month",
  description: `Names by the month (UTC) of their expiry, if it ends them: this month, past days included, and the next ${MONTHS_AHEAD - 1}. Reverse nodes do not count.`,
  title: "Expiries",
  tool: { name: "get_sales", view: "expiries" },
  seconds: HOUR,
  reply: {
    months: z.array(z.strictObject({ month: z.string().openapi({ example: "2027-01" }), ...expiryFields })),
    later: z.strictObject(expiryFields),
  },
  take: takeExpiries,
  show: (taken) => taken,
});

async function takeHolders({ db, now }: Ctx, chains: Scope) {
  const at = { chains, now };
  const [most, counts] = await Promise.all([holderCounts.read(db, at), phaseCounts.read(db, at)]);
  const active =
    namesIn(counts, true, "registered", "grace") + namesIn(counts, false, "unlimited", "registered");
  return {
    holders: most.map(({ owner, names }) => ({
      address: toAddress(owner),
      active_domains: names,
      percentage: percentOf(names, active),
    })),
  };
}

const holders = statistic({
  path: "/ens-stats/holders",
  summary: "Addresses with the most names",
  description: `The ${MAX_HOLDERS} addresses that effectively own the most active names, largest first. ${NAMES} ${ACTIVE}`,
  title: "Holders",
  tool: { name: "get_statistics", view: "holders" },
  seconds: HOUR,
  reply: {
    holders: z.array(
      z.strictObject({ address, active_domains: count, percentage: percentage("all active names") }),
    ),
  },
  take: takeHolders,
  show: (taken) => taken,
});

export const populationEndpoints = [states, expiries, holders];
