import { z } from "@hono/zod-openapi";
import type { Address, Hex } from "viem";
import type { Contracts } from "../../../../abis/contracts.ts";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { sales as dailySales, MAX_REFERRERS, referrers as referrerSales } from "../counts/dayCounts.ts";
import { listLargestRegistrations } from "../query/largestRegistrations.ts";
import type { DaySales, Sold } from "../query/purchases.ts";
import type { Scope } from "../query/scope.ts";
import { readVerifiedNames } from "../resolution/resolvePrimaryNames.ts";
import { toDollars } from "../rules/dollars.ts";
import { DAY } from "../rules/seconds.ts";
import { address, chain, contractTitle, count, hash, paymentToken, tokenUnits } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { PURCHASES } from "../schemas/sentences.ts";
import { toAddress } from "../serializers/hex.ts";
import { chainOf, titleField } from "../serializers/toDomain.ts";
import { toPaymentToken } from "../serializers/toPayment.ts";
import { sumOf, toDate } from "../statistics/numbers.ts";
import { type Interval, intervals, startOf, startsBetween } from "../statistics/periods.ts";
import { MINUTE, statistic } from "../statistics/statistic.ts";

const SALES_SECONDS = 15 * MINUTE;

/** All that answers say: to add up the days for each request would take longer than everything else. */
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

/** Makes it when it is first needed. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const wei = (description: string) =>
  z.string().regex(/^\d+$/).openapi({ description, example: "5000000000000000" });

const usd = (description: string) =>
  z
    .string()
    .regex(/^\d+\.\d\d$/)
    .nullable()
    .openapi({
      description: `${description} in dollars, rounded to cents; null if the price of ether at one of these sales is unknown`,
      example: "5.00",
    });

const soldFields = {
  registrations: count,
  renewals: count,
  registration_cost_wei: wei("Amount paid to controllers for the registrations, including premiums"),
  premium_wei: wei("The premium part"),
  renewal_cost_wei: wei("Amount paid to controllers for the renewals"),
  registration_cost_usd: usd("`registration_cost_wei`"),
  premium_usd: usd("`premium_wei`"),
  renewal_cost_usd: usd("`renewal_cost_wei`"),
  cost_is_upper_bound: z.literal(true).optional().openapi({
    description: "Present if the cost of some renewals is known only as an upper bound, in wei and dollars",
  }),
  payments: z
    .array(
      z.strictObject({
        ...paymentToken,
        registration_amount: tokenUnits("Amount paid for registrations, including premiums"),
        premium_amount: tokenUnits("The premium part"),
        renewal_amount: tokenUnits("Amount paid for renewals"),
      }),
    )
    .optional()
    .openapi({
      description:
        "Present if ENSv2 is indexed: revenue of its registrars by ERC-20 token, in the token's units. Costs in wei are those of ENSv1",
    }),
};

const PAID =
  "ENSv2 names are paid in ERC-20 tokens, listed by token. Costs are those logged by controllers: auction deposits were refunded and do not count. Dollars are by the price of ether at each sale, from the price feed of the controllers: its last answer before the sale's log, on other chains its last answer by time. They do not include tokens.";

/** The fields of `soldFields`. */
function toSold(sales: readonly Sold[], contracts: Contracts) {
  const registrations = sales.filter(({ isRegistration }) => isRegistration);
  const renewals = sales.filter(({ isRegistration }) => !isRegistration);
  return {
    registrations: sumOf(registrations, ({ names }) => names),
    renewals: sumOf(renewals, ({ names }) => names),
    registration_cost_wei: weiOf(registrations, ({ cost }) => cost),
    premium_wei: weiOf(registrations, ({ premium }) => premium),
    renewal_cost_wei: weiOf(renewals, ({ cost }) => cost),
    registration_cost_usd: dollarsOf(registrations, ({ costUsd }) => costUsd),
    premium_usd: dollarsOf(registrations, ({ premiumUsd }) => premiumUsd),
    renewal_cost_usd: dollarsOf(renewals, ({ costUsd }) => costUsd),
    ...(sales.some(({ isUpperBound }) => isUpperBound) && { cost_is_upper_bound: true as const }),
    ...(contracts.ensv2 && { payments: toPayments(registrations, renewals, contracts) }),
  };
}

/** What was paid, by token. */
function toPayments(registrations: readonly Sold[], renewals: readonly Sold[], contracts: Contracts) {
  const all = [...registrations, ...renewals];
  const tokens = new Set(all.flatMap(({ token }) => token?.address ?? []));
  return [...tokens].sort().map((address) => {
    const sumIn = (sales: readonly Sold[], part: "amount" | "premium") =>
      weiOf(sales, ({ token }) => (token?.address === address ? token[part] : "0"));
    return {
      ...toPaymentToken(address, contracts),
      registration_amount: sumIn(registrations, "amount"),
      premium_amount: sumIn(registrations, "premium"),
      renewal_amount: sumIn(renewals, "amount"),
    };
  });
}

const sumOfAmounts = (amounts: readonly string[]): bigint =>
  amounts.reduce((sum, amount) => sum + BigInt(amount), 0n);

const weiOf = (sales: readonly Sold[], amountOf: (sale: Sold) => string): string =>
  sumOfAmounts(sales.map(amountOf)).toString();

function dollarsOf(sales: readonly Sold[], amountOf: (sale: Sold) => string | null): string | null {
  const amounts = sales.map(amountOf);
  return amounts.every((amount) => amount !== null) ? toDollars(sumOfAmounts(amounts)) : null;
}

/**
 * Periods in an answer. A year of days, five years of weeks and twenty years of months are what a picture can show, and
 * an answer of some 90 KB.
 */
export const MAX_PERIODS = { day: 366, week: 261, month: 240, quarter: 80, year: 20 } as const;

/** Periods in an answer with sources: each has some sources with all the numbers of a period. */
export const MAX_PERIODS_WITH_SOURCES = 92;

const seller = {
  contract: z.string().openapi({ example: "CONTROLLER_9380471" }),
  chain,
  address,
  title: contractTitle,
};

const source = z.strictObject({ ...seller, ...soldFields }).openapi("PurchaseSource");

const periodFields = {
  start: z.iso.date().openapi({ description: "First day of the period" }),
  ...soldFields,
};

const period = z.strictObject({
  ...periodFields,
  sources: z
    .array(source)
    .optional()
    .openapi({ description: "With `sources`: the same by the contract that sold, most sales first" }),
});

/** Periods from the first one with a sale to that of today, with the first day of each. */
type Series = {
  starts: readonly number[];
  periods: readonly z.infer<typeof period>[];
  sources: () => readonly z.infer<typeof source>[][];
};

const purchases = statistic({
  path: "/ens-stats/purchases",
  summary: "Registrations, renewals and revenue over time",
  description: `UTC periods, oldest first, from the first one with a sale; periods without sales are zero, and the last one is still running. At most ${MAX_PERIODS.day} days, ${MAX_PERIODS.week} weeks (from Monday), ${MAX_PERIODS.month} months, ${MAX_PERIODS.quarter} quarters or ${MAX_PERIODS.year} years, and at most ${MAX_PERIODS_WITH_SOURCES} periods with \`sources\`: the last ones, or those from \`from\` to \`to\`. Periods are always whole. ${PURCHASES} ${PAID}`,
  title: "PurchaseSeries",
  tool: "get_sales",
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

type Range = { interval: Interval; most: number; from?: number | undefined; to?: number | undefined };

/**
 * The periods of a range, without `from` at most the last ones.
 *
 * @throws ApiError INVALID_PARAMETER if there are too many
 */
function partOf(starts: readonly number[], { interval, most, from, to }: Range) {
  if (from !== undefined && to !== undefined && from > to)
    throw new ApiError("INVALID_PARAMETER", "`from` must not be later than `to`.");
  const end = to === undefined ? starts.length : starts.filter((start) => start <= to).length;
  if (from === undefined) return { first: Math.max(0, end - most), end };
  const firstStart = startOf[interval](from);
  const first = Math.min(end, starts.filter((start) => start < firstStart).length);
  if (end - first > most) {
    throw new ApiError(
      "INVALID_PARAMETER",
      `The range from \`from\` to \`to\` has ${end - first} periods; an answer has at most ${most} of this \`interval\`.`,
    );
  }
  return { first, end };
}

type Plan = { interval: Interval; today: number; contracts: Contracts };

function toSeries(sales: readonly DaySales[], { interval, today, contracts }: Plan): Series {
  const byStart = Map.groupBy(sales, ({ day }) => startOf[interval](day));
  const first = sales.reduce((day, sale) => Math.min(day, sale.day), today);
  const starts = startsBetween(interval, { first, last: today });
  const soldFrom = (start: number) => byStart.get(start) ?? [];
  return {
    starts,
    periods: starts.map((start) => ({ start: toDate(start), ...toSold(soldFrom(start), contracts) })),
    sources: once(() => starts.map((start) => toSources(soldFrom(start), contracts))),
  };
}

/** Sales by the contract that sold. */
const bySeller = (sales: readonly DaySales[]): DaySales[][] => [
  ...Map.groupBy(
    sales,
    ({ chainId, seller, sellerAddress }) => `${chainId} ${seller} ${sellerAddress}`,
  ).values(),
];

/** The contract that sold. */
const toSeller = ({ chainId, seller: family, sellerAddress }: DaySales, contracts: Contracts) => ({
  contract: contracts.contractLabel({ family, chainId, address: sellerAddress }),
  ...chainOf(chainId, contracts),
  address: toAddress(sellerAddress),
  ...titleField(sellerAddress, chainId, contracts),
});

const toSources = (sales: readonly DaySales[], contracts: Contracts): z.infer<typeof source>[] =>
  bySeller(sales)
    .map((sold) => ({ ...toSeller(sold[0] as DaySales, contracts), ...toSold(sold, contracts) }))
    .sort(
      (a, b) =>
        b.registrations + b.renewals - (a.registrations + a.renewals) || (a.address < b.address ? -1 : 1),
    );

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
  tool: "get_sales",
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

/** The 12 bytes before an address in 32 bytes. */
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
  tool: "get_sales",
  seconds: SALES_SECONDS,
  reply: { referrers: z.array(referrer) },
  take: takeReferrers,
  show: (taken) => ({ referrers: taken }),
});

/** Days back from now that a ranking covers. */
const rankedDays = ["7", "30", "365"] as const;

/** Registrations of one ranking. */
export const MAX_RANKED = 100;

const ranked = z.strictObject({
  name: z.string().openapi({ example: "alice.eth" }),
  namehash: hash,
  chain,
  cost_wei: wei("What controllers took, the premium included"),
  premium_wei: wei("The part of it that was premium"),
  block_timestamp: count,
  transaction_hash: hash,
});

/** One ranking for each length: a short one needs its own, as its largest need not be among those of a year. */
async function takeLargest({ db, contracts, now }: Ctx, chains: Scope) {
  const of = async (days: string) => {
    const range = { chains, from: now - Number(days) * DAY + 1, until: now + 1 };
    const found = await listLargestRegistrations(db, { ...range, limit: MAX_RANKED });
    return found.map(
      ({ chainId, node, name, cost, premium, blockTimestamp, transactionHash }): z.input<typeof ranked> => ({
        name,
        namehash: node,
        ...chainOf(chainId, contracts),
        cost_wei: cost,
        premium_wei: premium,
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
  tool: "get_sales",
  seconds: SALES_SECONDS,
  query: {
    days: input.choice(rankedDays, "days").default("30").openapi({ description: "Days back from now" }),
  },
  reply: { days: count, registrations: z.array(ranked) },
  take: takeLargest,
  show: (taken, { days }) => ({ days: Number(days), registrations: taken[days] ?? [] }),
});

export const salesEndpoints = [purchases, sellers, referrers, largestRegistrations];
