import { expect } from "vitest";
import { availabilities } from "../../src/api/availability.ts";
import type { Db } from "../../src/api/context.ts";
import {
  listKeptShares,
  readKeptAdoption,
  readKeptSearch,
  readKeptTotals,
} from "../../src/api/query/figures.ts";
import { countSearch, type SearchFilters, searchCondition } from "../../src/api/query/search.ts";
import {
  countEvents,
  listClaimCounts,
  listShares,
  type Moment,
  readAdoption,
  readTotals,
} from "../../src/api/query/statistics.ts";

const searches: SearchFilters[] = [
  {},
  { isFullName: false, text: "" },
  ...availabilities.filter((status) => status !== "unknown").map((availability) => ({ availability })),
  ...[0, 1, 3, 6].flatMap((length) => [{ minLength: length }, { maxLength: length }]),
  { isWrapped: true },
  { isWrapped: false, availability: "registered", minLength: 2, maxLength: 4 },
];

/** Holds everything that is kept against the same counted from the rows. */
export async function expectKeptFigures(db: Db, at: Moment): Promise<void> {
  const { now } = at;
  expect(await readKeptTotals(db, at)).toEqual({
    totals: await readTotals(db, at),
    events: await countEvents(db),
  });
  const adoption = await readKeptAdoption(db, at);
  expect(adoption?.adoption).toEqual(await readAdoption(db, at));
  const claims = adoption?.claims.filter((one) => one.withName + one.cleared + one.unknown > 0);
  expect(sorted(claims)).toEqual(sorted(await listClaimCounts(db)));
  expect(sorted(await listKeptShares(db, at))).toEqual(sorted(await listShares(db, at)));
  for (const filters of searches) {
    const found = await countSearch(db, searchCondition(filters, at), now);
    expect(await readKeptSearch(db, filters, at), JSON.stringify(filters)).toEqual(found);
  }
}

const sorted = (rows: object[] | null | undefined) =>
  rows?.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
