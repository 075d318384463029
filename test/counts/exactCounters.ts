import { domain } from "ponder:schema";
import { and, eq, inArray, sql } from "ponder";
import type { Address, Hex } from "viem";
import { expect, vi } from "vitest";
import { countChildrenFromCounters } from "../../src/api/counts/children.ts";
import { listSales } from "../../src/api/counts/days.ts";
import { createCounters } from "../../src/api/counts/maintain.ts";
import {
  listExpiriesFromCounters,
  listHoldersFromCounters,
  listPhasesFromCounters,
} from "../../src/api/counts/population.ts";
import { countPendingFromCounters, countSearchFromCounters } from "../../src/api/counts/searchTotals.ts";
import {
  listSharesFromCounters,
  readAdoptionFromCounters,
  readTotalsFromCounters,
} from "../../src/api/counts/totals.ts";
import type { Db } from "../../src/api/postgres/db.ts";
import { countDomains, countPending } from "../../src/api/query/domains.ts";
import { listExpiries, listHolders, listPhases } from "../../src/api/query/population.ts";
import { listSalesByDay } from "../../src/api/query/purchases.ts";
import { countSearch, type SearchFilters, searchCondition } from "../../src/api/query/search.ts";
import {
  type AsOf,
  countEvents,
  listClaimCounts,
  listShares,
  readAdoption,
  readTotals,
} from "../../src/api/query/statistics.ts";
import { availabilities } from "../../src/api/rules/lifetime.ts";

const searches: SearchFilters[] = [
  {},
  { isFullName: false, text: "" },
  ...availabilities.filter((status) => status !== "unknown").map((availability) => ({ availability })),
  ...[0, 1, 3, 6].flatMap((length) => [{ minLength: length }, { maxLength: length }]),
  { isWrapped: true },
  { isWrapped: false, availability: "registered", minLength: 2, maxLength: 4 },
];

const DAY = 86_400;

/** Ranges of expiries around a time, within a day and across many, from its first second to its last and beyond. */
function expirySearches(now: number): SearchFilters[] {
  const day = Math.floor(now / DAY) * DAY;
  const bounds = [
    0,
    day - 90 * DAY,
    now - 90 * DAY,
    day,
    now - 3,
    now,
    now + 1,
    day + DAY - 1,
    now + 30 * DAY,
  ];
  return [
    ...bounds.flatMap((bound) => [{ expiryFrom: bound }, { expiryTo: bound }]),
    ...bounds.slice(1).map((bound, i) => ({ expiryFrom: bounds[i], expiryTo: bound })),
    { expiryFrom: now, expiryTo: now - 1 },
    { expiryFrom: day - 200 * DAY, expiryTo: now + 200 * DAY, isWrapped: true },
    { expiryTo: 999_999_999_999_999 },
  ];
}

/** Counts everything as soon as the tables are free: autovacuum may hold them. */
export const createCountersSoon = (...asked: Parameters<typeof createCounters>): Promise<boolean> =>
  vi.waitUntil(() => createCounters(...asked), { timeout: 120_000, interval: 50 });

/** Holds all counters against the same counted from the rows; `more` are searches besides. */
export async function expectExactCounters(
  db: Db,
  at: AsOf,
  more: readonly SearchFilters[] = [],
): Promise<void> {
  const { now } = at;
  expect(await readTotalsFromCounters(db, at)).toEqual({
    totals: await readTotals(db, at),
    events: await countEvents(db),
  });
  const adoption = await readAdoptionFromCounters(db, at);
  expect(adoption?.adoption).toEqual(await readAdoption(db, at));
  const claims = adoption?.claims.filter((one) => one.withName + one.cleared + one.unknown > 0);
  expect(sorted(claims)).toEqual(sorted(await listClaimCounts(db)));
  expect(sorted(await listSharesFromCounters(db, at))).toEqual(sorted(await listShares(db, at)));
  expect(sorted(await listPhasesFromCounters(db, at))).toEqual(sorted(await listPhases(db, at)));
  expect(await listHoldersFromCounters(db, at)).toEqual(await listHolders(db, at));
  const firstDay = Math.floor(now / DAY) - 100;
  const days = { chains: at.chains, firstDay, endDay: firstDay + 200 };
  expect((await listExpiriesFromCounters(db, days)) ?? []).toEqual(await listExpiries(db, days));
  const purchases = { chains: at.chains, from: 0, until: now + 1 };
  expect(sorted(await listSales(db, at))).toEqual(sorted(await listSalesByDay(db, purchases)));
  const { rows } = await db.execute<{ resolver: Address }>(
    sql`select distinct resolver from domains where resolver is not null limit 12`,
  );
  const ofResolvers = rows.flatMap(({ resolver }) => [{ resolver }, { resolver, isWrapped: false }]);
  for (const filters of [...more, ...searches, ...expirySearches(now), ...ofResolvers]) {
    const found = await countSearch(db, searchCondition(filters, at), at);
    expect(await countSearchFromCounters(db, filters, at), JSON.stringify(filters)).toEqual(found);
  }
  expect(await countPendingFromCounters(db, at.chains)).toBe(await countPending(db, at.chains));
  const parents = await db.execute<{ node: Hex }>(
    sql`select distinct parent_node as node from domains limit 9`,
  );
  for (const { node } of parents.rows.filter((row) => row.node !== null)) {
    const place = { chains: at.chains, node };
    const isChild = and(inArray(domain.chainId, [...at.chains.ids]), eq(domain.parentNode, node));
    expect(await countChildrenFromCounters(db, place), node).toBe(await countDomains(db, isChild));
  }
}

const sorted = (rows: object[] | null | undefined) =>
  rows?.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
