import type pg from "pg";
import { sql } from "ponder";
import type { Address, Hex } from "viem";
import { expect, vi } from "vitest";
import { childCounts } from "../../src/api/names/counts/childCounts.ts";
import type { Count } from "../../src/api/names/counts/count.ts";
import { sales } from "../../src/api/names/counts/dayCounts.ts";
import { type CountsTarget, createCounters } from "../../src/api/names/counts/maintain.ts";
import { expiries, holders, phaseCounts } from "../../src/api/names/counts/populationCounts.ts";
import { pending, searchTotals } from "../../src/api/names/counts/searchTotals.ts";
import { adoption, shares, totals } from "../../src/api/names/counts/totals.ts";
import type { SearchFilters } from "../../src/api/names/query/search.ts";
import type { AsOf } from "../../src/api/names/query/statistics.ts";
import { availabilities } from "../../src/api/names/rules/stages.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";

const searches: SearchFilters[] = [
  {},
  { isFullName: false, text: "" },
  ...availabilities.filter((status) => status !== "unknown").map((status) => ({ availability: [status] })),
  { availability: ["registered", "grace"] },
  { availability: ["premium", "available", "grace"], isWrapped: false },
  ...[0, 1, 3, 6].flatMap((length) => [{ minLength: length }, { maxLength: length }]),
  { isWrapped: true },
  { isWrapped: false, availability: ["registered"], minLength: 2, maxLength: 4 },
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
    { expiryFrom: now + 200 * DAY, expiryTo: now - 200 * DAY },
    { expiryFrom: day - 200 * DAY, expiryTo: now + 200 * DAY, isWrapped: true },
    { expiryTo: 999_999_999_999_999 },
  ];
}

/** Counts everything as soon as the tables are free: autovacuum may lock them. */
export const createCountersSoon = (...asked: Parameters<typeof createCounters>): Promise<boolean> =>
  vi.waitUntil(() => createCounters(...asked), { timeout: 120_000, interval: 50 });

/** The same on a test's tables. */
export async function countNames(pool: pg.Pool, now: number, ensv2?: CountsTarget["ensv2"]): Promise<void> {
  const client = await pool.connect();
  const target = { client, schema: "public", ...(ensv2 && { ensv2 }) };
  await createCountersSoon(target, now).finally(() => client.release());
}

/** A question about a count that both of its sources answer. */
type Compared = { title: string; ask: (db: Db, source: Source) => Promise<unknown> };

type Source = "fromCounters" | "fromRows";

const compared = <Of>(title: string, count: Count<Of, unknown>, of: Of): Compared => ({
  title: `${title} ${JSON.stringify(of)}`,
  ask: (db, source) => count[source](db, of),
});

/** Every count, with the questions on which counters and rows are compared; `more` adds searches. */
async function questions(db: Db, at: AsOf, more: readonly SearchFilters[]): Promise<Compared[]> {
  const { chains, now } = at;
  const firstDay = Math.floor(now / DAY) - 100;
  const resolvers = await db.execute<{ resolver: Address }>(
    sql`select distinct resolver from domains where resolver is not null limit 12`,
  );
  const ofResolvers = resolvers.rows.flatMap(({ resolver }) => [
    { resolver },
    { resolver, isWrapped: false },
  ]);
  const parents = await db.execute<{ node: Hex }>(
    sql`select distinct parent_node as node from domains where parent_node is not null limit 9`,
  );
  return [
    compared("totals", totals, at),
    unordered(compared("adoption", adoption, at)),
    unordered(compared("shares", shares, at)),
    unordered(compared("phases", phaseCounts, at)),
    compared("holders", holders, at),
    compared("expiries", expiries, { chains, firstDay, endDay: firstDay + 200 }),
    compared("pending", pending, chains),
    ...[...more, ...searches, ...expirySearches(now), ...ofResolvers].map((filters) =>
      compared("search", searchTotals, { ...at, filters }),
    ),
    ...parents.rows.map(({ node }) => compared("children", childCounts, { chains, nodes: [node] })),
  ];
}

/** Compares all counters with counted rows; `more` adds searches. */
export async function expectExactCounters(
  db: Db,
  at: AsOf,
  more: readonly SearchFilters[] = [],
): Promise<void> {
  for (const { title, ask } of await questions(db, at, more)) {
    // Counters without a row say nothing, so an empty list is read from the rows.
    const counted = (await ask(db, "fromCounters")) ?? [];
    expect(counted, title).toEqual(await ask(db, "fromRows"));
  }
  // Days are counted apart from names. If no day is counted, all sales are read from the rows.
  expect(inOneOrder(await sales.read(db, at))).toEqual(inOneOrder(await sales.fromRows(db, at)));
}

/** The answer to a question whose lists have no order of their own: callers sort them. */
const unordered = ({ title, ask }: Compared): Compared => ({
  title,
  ask: async (db, source) => inOneOrder(await ask(db, source)),
});

function inOneOrder(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
  if (typeof answer !== "object" || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, Array.isArray(value) ? inOneOrder(value) : value]),
  );
}

/** Writes rows as Ponder does: a whole flush in one statement, which inserts some and replaces others. */
export async function write(
  { pool }: { pool: pg.Pool },
  table: string,
  key: string,
  rows: Record<string, unknown>[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  await pool.query(
    `insert into ${table} (${columns.join(",")})
     select ${columns.join(",")} from json_populate_recordset(null::${table}, $1)
     on conflict (${key}) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(",")}`,
    [JSON.stringify(rows)],
  );
}
