import { z } from "@hono/zod-openapi";
import type { Contracts } from "../../../../abis/contracts.ts";
import type { Ctx } from "../../server/http/context.ts";
import { sales as dailySales } from "../counts/days.ts";
import { listLargestRegistrations } from "../query/largestRegistrations.ts";
import type { DaySales } from "../query/purchases.ts";
import type { Scope } from "../query/scope.ts";
import { DAY } from "../rules/seconds.ts";
import { address, chain, contractTitle, count, hash, paymentToken, tokenUnits } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { PURCHASES } from "../schemas/sentences.ts";
import { chainOf, titleField } from "../serializers/domain.ts";
import { toAddress } from "../serializers/hex.ts";
import { toPaymentToken } from "../serializers/payment.ts";
import { sumOf, toDate } from "../statistics/numbers.ts";
import { type Interval, intervals, startOf, startsBetween } from "../statistics/periods.ts";
import { MINUTE, statistic } from "../statistics/statistic.ts";

const SALES_SECONDS = 15 * MINUTE;

/** All that answers say, ready: to add up the days for each request would take longer than everything else. */
async function takeSales({ db, contracts, now }: Ctx, chains: Scope) {
  const sales = await dailySales.read(db, { chains, now });
  const today = Math.floor(now / DAY);
  const [day, week, month] = intervals.map((interval) => toPeriods(sales, { interval, today, contracts }));
  return { periods: { day, week, month }, sellers: toSellers(sales, contracts) };
}

const wei = (description: string) =>
  z.string().regex(/^\d+$/).openapi({ description, example: "5000000000000000" });

const soldFields = {
  registrations: count,
  renewals: count,
  registration_cost_wei: wei("Amount paid to controllers for the registrations, including premiums"),
  premium_wei: wei("The premium part"),
  renewal_cost_wei: wei("Amount paid to controllers for the renewals"),
  cost_is_upper_bound: z.literal(true).optional().openapi({
    description: "Present if the cost of some renewals is known only as an upper bound",
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
  "ENSv2 names are paid in ERC-20 tokens, listed by token. Costs are those logged by controllers: auction deposits were refunded and do not count.";

/** The fields of `soldFields`. */
function toSold(sales: readonly DaySales[], contracts: Contracts) {
  const registrations = sales.filter(({ isRegistration }) => isRegistration);
  const renewals = sales.filter(({ isRegistration }) => !isRegistration);
  return {
    registrations: sumOf(registrations, ({ names }) => names),
    renewals: sumOf(renewals, ({ names }) => names),
    registration_cost_wei: weiOf(registrations, ({ cost }) => cost),
    premium_wei: weiOf(registrations, ({ premium }) => premium),
    renewal_cost_wei: weiOf(renewals, ({ cost }) => cost),
    ...(sales.some(({ isUpperBound }) => isUpperBound) && { cost_is_upper_bound: true as const }),
    ...(contracts.ensv2 && { payments: toPayments(registrations, renewals, contracts) }),
  };
}

/** What was paid, by token. */
function toPayments(registrations: readonly DaySales[], renewals: readonly DaySales[], contracts: Contracts) {
  const all = [...registrations, ...renewals];
  const tokens = new Set(all.flatMap(({ token }) => token?.address ?? []));
  return [...tokens].sort().map((address) => {
    const sumIn = (sales: readonly DaySales[], part: "amount" | "premium") =>
      weiOf(sales, ({ token }) => (token?.address === address ? token[part] : "0"));
    return {
      ...toPaymentToken(address, contracts),
      registration_amount: sumIn(registrations, "amount"),
      premium_amount: sumIn(registrations, "premium"),
      renewal_amount: sumIn(renewals, "amount"),
    };
  });
}

const weiOf = (sales: readonly DaySales[], amountOf: (sale: DaySales) => string): string =>
  sales.reduce((sum, sale) => sum + BigInt(amountOf(sale)), 0n).toString();

/**
 * Periods in an answer. A year of days, five years of weeks and twenty years of months are what a picture can show, and
 * an answer of some 60 KB.
 */
export const MAX_PERIODS = { day: 366, week: 261, month: 240 } as const;

const period = z.strictObject({
  start: z.iso.date().openapi({ description: "First day of the period" }),
  ...soldFields,
});

const purchases = statistic({
  path: "/ens-stats/purchases",
  summary: "Registrations, renewals and revenue over time",
  description: `UTC periods, oldest first, from the first one with a sale; periods without sales are zero, and the last one is still running. At most the last ${MAX_PERIODS.day} days, ${MAX_PERIODS.week} weeks (from Monday) or ${MAX_PERIODS.month} months. ${PURCHASES} ${PAID}`,
  title: "PurchaseSeries",
  tool: "get_sales",
  seconds: SALES_SECONDS,
  query: {
    interval: input
      .choice(intervals, "interval")
      .default("day")
      .openapi({ description: "Length of a period" }),
  },
  reply: { interval: z.enum(intervals), periods: z.array(period) },
  take: takeSales,
  show: ({ periods }, { interval }) => ({ interval, periods: periods[interval] ?? [] }),
});

function toPeriods(
  sales: readonly DaySales[],
  { interval, today, contracts }: { interval: Interval; today: number; contracts: Contracts },
): z.infer<typeof period>[] {
  const byStart = Map.groupBy(sales, ({ day }) => startOf[interval](day));
  const first = sales.reduce((day, sale) => Math.min(day, sale.day), today);
  const starts = startsBetween(interval, { first, last: today }).slice(-MAX_PERIODS[interval]);
  return starts.map((start) => ({ start: toDate(start), ...toSold(byStart.get(start) ?? [], contracts) }));
}

const seller = z.strictObject({
  contract: z.string().openapi({ example: "CONTROLLER_9380471" }),
  chain,
  address,
  title: contractTitle,
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
  reply: { sellers: z.array(seller) },
  take: takeSales,
  show: ({ sellers: sold }) => ({ sellers: sold }),
});

function toSellers(sales: readonly DaySales[], contracts: Contracts): z.infer<typeof seller>[] {
  const bySeller = Map.groupBy(
    sales,
    ({ chainId, seller, sellerAddress }) => `${chainId} ${seller} ${sellerAddress}`,
  );
  const listed = [...bySeller.values()].flatMap((sold) => {
    if (sold[0] === undefined) return [];
    const { chainId, seller: family, sellerAddress } = sold[0];
    const days = sold.map(({ day }) => day);
    const first = days.reduce((a, b) => Math.min(a, b));
    const shown = {
      contract: contracts.contractLabel({ family, chainId, address: sellerAddress }),
      ...chainOf(chainId, contracts),
      address: toAddress(sellerAddress),
      ...titleField(sellerAddress, chainId, contracts),
      first_day: toDate(first),
      last_day: toDate(days.reduce((a, b) => Math.max(a, b))),
      ...toSold(sold, contracts),
    };
    return [{ first, shown }];
  });
  return listed.sort((a, b) => a.first - b.first).map(({ shown }) => shown);
}

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

export const salesEndpoints = [purchases, sellers, largestRegistrations];
