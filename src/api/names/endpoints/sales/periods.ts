import { z } from "@hono/zod-openapi";
import type { Contracts } from "../../../../../abis/contracts.ts";
import { ApiError } from "../../../server/errors/errors.ts";
import type { DaySales } from "../../query/purchases.ts";
import { toDate } from "../../statistics/numbers.ts";
import { type Interval, startOf, startsBetween } from "../../statistics/periods.ts";
import { bySeller, seller, soldFields, toSeller, toSold } from "./sold.ts";

/**
 * Periods in an answer: a year of days, five years of weeks or twenty years of months fit in a chart, and an answer has
 * about 90 KB.
 */
export const MAX_PERIODS = { day: 366, week: 261, month: 240, quarter: 80, year: 20 } as const;

/** Periods in an answer with sources: each source repeats all figures of a period. */
export const MAX_PERIODS_WITH_SOURCES = 92;

const source = z.strictObject({ ...seller, ...soldFields }).openapi("PurchaseSource");

const periodFields = {
  start: z.iso.date().openapi({ description: "First day of the period" }),
  ...soldFields,
};

export const period = z.strictObject({
  ...periodFields,
  sources: z
    .array(source)
    .optional()
    .openapi({ description: "With `sources`: the same by the contract that sold, most sales first" }),
});

/** Periods from that of the first sale to today's, with the first day of each. */
type Series = {
  starts: readonly number[];
  periods: readonly z.infer<typeof period>[];
  sources: () => readonly z.infer<typeof source>[][];
};

/** Computes a value on the first call and keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

type Plan = { interval: Interval; today: number; contracts: Contracts };

export function toSeries(sales: readonly DaySales[], { interval, today, contracts }: Plan): Series {
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

const toSources = (sales: readonly DaySales[], contracts: Contracts): z.infer<typeof source>[] =>
  bySeller(sales)
    .map((sold) => ({ ...toSeller(sold[0] as DaySales, contracts), ...toSold(sold, contracts) }))
    .sort(
      (a, b) =>
        b.registrations + b.renewals - (a.registrations + a.renewals) || (a.address < b.address ? -1 : 1),
    );

type Range = { interval: Interval; most: number; from?: number | undefined; to?: number | undefined };

/**
 * The periods of a range; without `from`, only the last ones.
 *
 * @throws ApiError INVALID_PARAMETER if there are too many
 */
export function partOf(starts: readonly number[], { interval, most, from, to }: Range) {
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
