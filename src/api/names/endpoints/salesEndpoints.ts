import { z } from "@hono/zod-openapi";
import type { Address, Hex } from "viem";
import type { Contracts } from "../../../../abis/contracts.ts";
import type { Ctx } from "../../server/http/context.ts";
import { sales as dailySales, MAX_REFERRERS, referrers as referrerSales } from "../counts/dayCounts.ts";
import { listLargestRegistrations } from "../query/largestRegistrations.ts";
import type { DaySales } from "../query/purchases.ts";
import type { Scope } from "../query/scope.ts";
import { readVerifiedNames } from "../resolution/resolvePrimaryNames.ts";
import { toDollars } from "../rules/pricing.ts";
import { DAY } from "../rules/seconds.ts";
import { address, chain, costUsd, count, hash } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { PURCHASES } from "../schemas/sentences.ts";
import { toAddress } from "../serializers/hex.ts";
import { chainOf } from "../serializers/toDomain.ts";
import { toDate } from "../statistics/numbers.ts";
import { type Interval, intervals } from "../statistics/periods.ts";
import { MINUTE, statistic } from "../statistics/statistic.ts";
import { MAX_PERIODS, MAX_PERIODS_WITH_SOURCES, once, partOf, period, toSeries } from "./sales/periods.ts";
import { bySeller, PAID, seller, soldFields, toSeller, toSold, wei } from "./sales/sold.ts";

const SALES_SECONDS = 15 * MINUTE;

/** Everything that answers show. Adding up the days for each request would dominate its time. */
async function takeSales({ db, contracts, now }: Ctx, chains: Scope) {
  const sales = await dailySales.read(db, { chains, now });
  const today = Math.floor(now / DAY);
  const seriesOf = (interval: Interval) => once(() => toSeries(sales, { interval, today, contracts }));
  return {
    series: {
      day: seriesOf("day"),
      week: seriesOf("week"),
      month: seriesOf("month"),
      quarter: seriesOf("quarter"),
      year: seriesOf("year"),
    },
    sellers: once(() => toSellers(sales, contracts)),
  };
}

const purchases = statistic({
  path: "/ens-stats/purchases",
  summary: "Registrations, renewals and revenue over time",
  description: `UTC periods, oldest first, from the first one with a sale; periods without sales are zero, and the last one is still running. At most ${MAX_PERIODS.day} days, ${MAX_PERIODS.week} weeks (from Monday), ${MAX_PERIODS.month} months, ${MAX_PERIODS.quarter} quarters or ${MAX_PERIODS.year} years, and at most ${MAX_PERIODS_WITH_SOURCES} periods with \`sources\`: the last ones, or those from \`from\` to \`to\`. Periods are always whole. ${PURCHASES} ${PAID}`,
  title: "PurchaseSeries",
  tool: { name: "get_sales", view: "purchases" },
  seconds: SALES_SECONDS,
  query: {
    interval: input
      .choice(intervals, "interval")
      .default("day")
      .openapi({ description: "Length of a period" }),
    from: input.day("from", "Begin with the period of this day (UTC)"),
    to: input.day("to", "End with the period of this day (UTC)"),
    sources: input.flag("sources", "`true`: add what each contract sold to each period"),
  },
  reply: { interval: z.enum(intervals), periods: z.array(period) },
  take: takeSales,
  show: ({ series }, { interval, sources: hasSources, ...range }) => {
    const { starts, periods, sources } = series[interval]();
    const most = hasSources ? MAX_PERIODS_WITH_SOURCES : MAX_PERIODS[interval];
    const { first, end } = partOf(starts, {
      interval,
      most: Math.min(most, MAX_PERIODS[interval]),
      ...range,
    });
    const shown = periods.slice(first, end);
    return {
      interval,
      periods: hasSources
        ? shown.map((one, i) => ({ ...one, sources: sources()[first + i] ?? [] }))
        : [...shown],
    };
  },
});

const sellerInAll = z.strictObject({
  ...seller,
  first_day: z.iso.date(),
  last_day: z.iso.date(),
  ...soldFields,
});

const sellers = statistic({
  path: "/ens-stats/sellers",
  summary: "Registrations and renewals by generation of controllers",
  description: `Sales of each contract, in the order of their first sale. A controller is named by its first block. \`REGISTRAR_AUCTION\` is the auctions of 2017 to 2019; any other registrar stands for sales that no controller of the deployment logged. A name registered twice counts twice. ${PURCHASES} ${PAID}`,
  title: "Sellers",
  tool: { name: "get_sales", view: "sellers" },
  seconds: SALES_SECONDS,
  reply: { sellers: z.array(sellerInAll) },
  take: takeSales,
  show: ({ sellers: sold }) => ({ sellers: [...sold()] }),
});

const toSellers = (sales: readonly DaySales[], contracts: Contracts): z.infer<typeof sellerInAll>[] =>
  bySeller(sales)
    .map((sold) => {
      const days = sold.map(({ day }) => day);
      const first = days.reduce((a, b) => Math.min(a, b));
      const shown = {
        ...toSeller(sold[0] as DaySales, contracts),
        first_day: toDate(first),
        last_day: toDate(days.reduce((a, b) => Math.max(a, b))),
        ...toSold(sold, contracts),
      };
      return { first, shown };
    })
    .sort((a, b) => a.first - b.first)
    .map(({ shown }) => shown);

const referrer = z.strictObject({
  referrer: hash.openapi({ description: "32 bytes, chosen by the buyer" }),
  address: address.optional().openapi({ description: "Present if the 32 bytes hold an address" }),
  primary_name: z.string().nullable().optional().openapi({
    description:
      "The primary name of `address` as far as the index knows it; null if none, absent without `address`",
    example: "alice.eth",
  }),
  ...soldFields,
});

/** The 12 bytes that pad an address to 32. */
const BEFORE_ADDRESS = `0x${"0".repeat(24)}`;

async function takeReferrers(ctx: Ctx, chains: Scope) {
  const { db, contracts, now } = ctx;
  const sold = Map.groupBy(await referrerSales.read(db, { chains, now }), (sale) => sale.referrer);
  const addressIn = (bytes: Hex): Address | undefined =>
    bytes.startsWith(BEFORE_ADDRESS) ? `0x${bytes.slice(BEFORE_ADDRESS.length)}` : undefined;
  const addresses = [...sold.keys()].flatMap((bytes) => addressIn(bytes) ?? []);
  const names = await readVerifiedNames(ctx, addresses);
  const nameOf = new Map(addresses.map((one, i) => [one, names[i]?.name ?? null]));
  return [...sold].map(([bytes, sales]): z.infer<typeof referrer> => {
    const held = addressIn(bytes);
    return {
      referrer: bytes,
      ...(held && { address: toAddress(held), primary_name: nameOf.get(held) ?? null }),
      ...toSold(sales, contracts),
    };
  });
}

const referrers = statistic({
  path: "/ens-stats/referrers",
  summary: "Registrations, renewals and revenue by referrer",
  description: `Sales whose buyer named a referrer, which controllers log since 2025: those of the ${MAX_REFERRERS} referrers with most registrations and renewals, most first, since the beginning. Buyers choose the referrer freely, so a referrer proves nothing about its account. ${PURCHASES} ${PAID}`,
  title: "Referrers",
  tool: { name: "get_sales", view: "referrers" },
  seconds: SALES_SECONDS,
  reply: { referrers: z.array(referrer) },
  take: takeReferrers,
  show: (taken) => ({ referrers: taken }),
});

/** Lengths of rankings, in days up to now. */
const rankedDays = ["7", "30", "365"] as const;

/** Registrations in one ranking. */
export const MAX_RANKED = 100;

const ranked = z.strictObject({
  name: z.string().openapi({ example: "alice.eth" }),
  namehash: hash,
  chain,
  cost_wei: wei("What controllers took, the premium included"),
  premium_wei: wei("The part of it that was premium"),
  cost_usd: costUsd,
  block_timestamp: count,
  transaction_hash: hash,
});

/** One ranking for each length: the largest of a week need not be among the largest of a year. */
async function takeLargest({ db, contracts, now }: Ctx, chains: Scope) {
  const of = async (days: string) => {
    const range = { chains, from: now - Number(days) * DAY + 1, until: now + 1 };
    const found = await listLargestRegistrations(db, { ...range, limit: MAX_RANKED });
    return found.map(
      ({
        chainId,
        node,
        name,
        cost,
        premium,
        answer,
        blockTimestamp,
        transactionHash,
      }): z.input<typeof ranked> => ({
        name,
        namehash: node,
        ...chainOf(chainId, contracts),
        cost_wei: cost,
        premium_wei: premium,
        ...(answer !== null && { cost_usd: toDollars(BigInt(cost) * BigInt(answer)) }),
        block_timestamp: blockTimestamp,
        transaction_hash: transactionHash,
      }),
    );
  };
  const [week, month, year] = await Promise.all(rankedDays.map(of));
  return { "7": week, "30": month, "365": year };
}

const largestRegistrations = statistic({
  path: "/ens-stats/largest-registrations",
  summary: "Most expensive registrations",
  description: `Registrations of the last 7, 30 or 365 days for which controllers took the most ether, at most ${MAX_RANKED}, largest first. A name registered twice counts twice. ENSv2 sales in tokens are not included: tokens have no price in ether here.`,
  title: "LargestRegistrations",
  tool: { name: "get_sales", view: "largest" },
  seconds: SALES_SECONDS,
  query: {
    days: input.choice(rankedDays, "days").default("30").openapi({ description: "Days back from now" }),
  },
  reply: { days: count, registrations: z.array(ranked) },
  take: takeLargest,
  show: (taken, { days }) => ({ days: Number(days), registrations: taken[days] ?? [] }),
});

/** Rows of the answers. */
export type SalesPeriod = z.infer<typeof period>;
export type Seller = z.infer<typeof sellerInAll>;
export type Referrer = z.infer<typeof referrer>;

export const salesEndpoints = [purchases, sellers, referrers, largestRegistrations];
