import { DAY } from "../rules/seconds.ts";

/** UTC periods, identified by their first day, counted from 1 January 1970. */

/** Lengths of periods. */
export const intervals = ["day", "week", "month", "quarter", "year"] as const;

export type Interval = (typeof intervals)[number];

/** 1 January 1970 was a Thursday: the Monday before it is day -3. */
const FIRST_MONDAY = -3;

const dateOf = (day: number): Date => new Date(day * DAY * 1_000);
const dayOf = (year: number, month: number): number => Date.UTC(year, month, 1) / 1_000 / DAY;

/** The first day of the period of some months that contains a day, or of the period `later` periods after it. */
const monthsOf =
  (months: number, later = 0) =>
  (day: number): number => {
    const [year, month] = [dateOf(day).getUTCFullYear(), dateOf(day).getUTCMonth()];
    return dayOf(year, month - (month % months) + later * months);
  };

/** The first day of a day's month. */
export const monthOf = monthsOf(1);

/** The first day of the month after a day's month. */
export const monthAfter = monthsOf(1, 1);

/** The first day of a day's period. */
export const startOf: Record<Interval, (day: number) => number> = {
  day: (day) => day,
  week: (day) => day - ((day - FIRST_MONDAY) % 7),
  month: monthOf,
  quarter: monthsOf(3),
  year: monthsOf(12),
};

const nextAfter: Record<Interval, (start: number) => number> = {
  day: (start) => start + 1,
  week: (start) => start + 7,
  month: monthAfter,
  quarter: monthsOf(3, 1),
  year: monthsOf(12, 1),
};

/** The first days of all periods from the one of the first day to the one of the last. */
export function startsBetween(
  interval: Interval,
  { first, last }: Record<"first" | "last", number>,
): number[] {
  const starts: number[] = [];
  for (let start = startOf[interval](first); start <= last; start = nextAfter[interval](start))
    starts.push(start);
  return starts;
}
