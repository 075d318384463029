import type { Judge } from "./judge.ts";
import type { NameNow } from "./namesNow.ts";
import type { Row } from "./oracle.ts";
import { type Availability, availabilityOf } from "./present.ts";

const DAY = 86_400n;

/** Counts of addresses, searches and statistics, computed again from the state of each name. */
export async function judgeCounts(judge: Judge, names: readonly NameNow[]): Promise<void> {
  await judgeStatistics(judge, names);
  await judgeSearches(judge, names);
  const owners = new Set(names.flatMap(({ owner }) => owner ?? []));
  for (const owner of owners) await judgeCountsOf(judge, owner, names);
}

const isIn =
  (...states: Availability[]) =>
  (name: NameNow, now: bigint) =>
    states.includes(availabilityOf(name, { length: name.length, now }));

const isActive = isIn("registered", "grace");
const isExpired = isIn("premium", "available");

async function judgeStatistics({ getFresh, same, now }: Judge, all: readonly NameNow[]) {
  const names = all.filter(({ owner, isCounted }) => isCounted && owner !== null);
  const active = names.filter((name) => isActive(name, now));
  const expiring = (days: bigint) =>
    names.filter(
      ({ expiry, hasEnd }) => hasEnd && expiry !== null && expiry > now && expiry <= now + days * DAY,
    ).length;
  const statistics = await getFresh("/ens-stats");
  if (statistics === null) return;
  const { total_domains, active_domains, expired_domains, wrapped_domains, unique_owners, ...rest } =
    statistics;
  same(
    "statistics",
    [total_domains, active_domains, expired_domains],
    [names.length, active.length, names.filter((name) => isExpired(name, now)).length],
  );
  same("wrapped names", wrapped_domains, names.filter(({ isWrapped }) => isWrapped).length);
  same("owners", unique_owners, new Set(active.map(({ owner }) => owner)).size);
  same("expiring names", [rest.expiring_30d, rest.expiring_90d], [expiring(30n), expiring(90n)]);
}

/** A search with its expected result: its query, and the condition on names. */
const searches: [query: string, meets: (name: NameNow, now: bigint) => boolean][] = [
  ["", () => true],
  ["is_wrapped=true", ({ isWrapped }) => isWrapped],
  ["is_wrapped=false", ({ isWrapped }) => !isWrapped],
  ...(["registered", "grace", "premium", "available"] as const).map(
    (state): [string, ReturnType<typeof isIn>] => [`availability_status=${state}`, isIn(state)],
  ),
];

async function judgeSearches({ get, same, now }: Judge, names: readonly NameNow[]) {
  for (const [query, meets] of searches) {
    const expected = names.filter((name) => name.isCounted && meets(name, now));
    const wrapped = expected.filter(({ isWrapped }) => isWrapped).length;
    const { total, stats } = await get(`/search-domains?${query}`);
    same(`search ${query}`, [total, (stats as Row).wrapped], [expected.length, wrapped]);
  }
}

async function judgeCountsOf({ get, same, now }: Judge, address: string, all: readonly NameNow[]) {
  const names = all.filter(({ owner, isCounted }) => isCounted && owner === address);
  const active = names.filter((name) => isActive(name, now)).length;
  const expired = names.filter((name) => isExpired(name, now)).length;
  const { count, active_count, expired_count, unknown_count } = await get(`/address/${address}/domain-count`);
  same(
    `names of ${address}`,
    [count, active_count, expired_count, unknown_count],
    [names.length, active, expired, names.length - active - expired],
  );
  const listed = await get(`/address/${address}/domains`);
  same(
    `listed names of ${address}`,
    [listed.total, (listed.results as Row[]).length],
    [active, Math.min(active, 25)],
  );
}
