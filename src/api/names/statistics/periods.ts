import { DAY } from "../rules/seconds.ts";

/** UTC periods, identified by their first day, counted from 1 January 1970. */

/** Lengths of periods. */
export const intervals = ["day", "week", "month", "quarter", "year"] as const;

export type Interval = (typeof intervals)[number];

/** 1 January 1970 was a Thursday: the Monday before it is day -3. */
const FIRST_MONDAY = -3;

const dateOf = (day: number): Date => new Date(day * DAY * 1_000);
const dayOf = (year: number, month: number): number => Date.UTC(year, month, 1) / 1_000 / DAY;

/** The first day of the period of some months that contains a day. */
const monthsOf =
  (months: number) =>
  (day: number): number => {
    const [year, month] = [dateOf(day).getUTCFullYear(), dateOf(day).getUTCMonth()];
    return dayOf(year, month - (month % months));
  };

/** The first day of a day's month. */
export const monthOf = monthsOf(1);

/** The first day of a day's period. */
export const startOf: Record<Interval, (day: number) => number> = {
  day: (day) => day,
  week: (day) => day - ((day - FIRST_MONDAY) % 7),
  month: monthOf,
  quarter: monthsOf(3),
  year: monthsOf(12),
};

/** Days of the longest period: that many days after the start of a period, the next one has begun and not ended. */
const longest: Record<Interval, number> = { day: 1, week: 7, month: 31, quarter: 92, year: 366 };

/** The first days of all periods from the one of the first day to the one of the last. */
export function startsBetween(
  interval: Interval,
  { first, last }: Record<"first" | "last", number>,
): number[] {
  const starts: number[] = [];
  const startAt = startOf[interval];
  for (let start = startAt(first); start <= last; start = startAt(start + longest[interval]))
    starts.push(start);
  return starts;
}
