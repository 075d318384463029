import { ApiError } from "../../../../server/errors/errors.ts";
import type { ExplorerPage, Visit } from "../../page.ts";
import { csvFile } from "../../parts/csv.ts";
import {
  dollars,
  expiries,
  type Figure,
  holders,
  type Interval,
  intervals,
  largest,
  lengths,
  primaryNames,
  type Ranking,
  rankings,
  referrers,
  revenue,
  sales,
  sellers,
  states,
  tokenRevenue,
} from "./sheets.ts";

/** How long a period of the visit's series is; days unless it says otherwise. */
export const intervalOf = (visit: Visit): Interval =>
  intervals.find((one) => one === visit.query("interval")) ?? "day";

/** How many days the visit's ranking covers; a month unless it says otherwise. */
export const rankingOf = (visit: Visit): Ranking =>
  rankings.find((one) => one === visit.query("days")) ?? "30";

const figures = {
  sales: (visit) => sales(intervalOf(visit)),
  revenue: (visit) => revenue(intervalOf(visit)),
  dollars: (visit) => dollars(intervalOf(visit)),
  tokens: (visit) => tokenRevenue(intervalOf(visit)),
  largest: (visit) => largest(rankingOf(visit)),
  states: () => states,
  lengths: () => lengths,
  sellers: () => sellers,
  referrers: () => referrers,
  expiries: () => expiries,
  "primary-names": () => primaryNames,
  holders: () => holders,
} as Record<string, (visit: Visit) => Figure<never>>;

/** Each figure of the page of statistics as a table for spreadsheets. */
export const statisticsCsvPage: ExplorerPage = {
  path: "/explore/statistics/:file",
  render: async (visit) => {
    const [, name = ""] = /^([a-z-]+)\.csv$/.exec(visit.param("file")) ?? [];
    const figure = Object.hasOwn(figures, name) ? figures[name]?.(visit) : undefined;
    if (figure === undefined) throw new ApiError("NOT_FOUND", "The explorer has no page at this address.");
    const { columns, rows } = figure.sheetOf(await visit.ask<never>(figure.operation, figure.given));
    return csvFile(
      `ens-${name}.csv`,
      [columns, ...rows].map((row) => row.map(String)),
    );
  },
};
