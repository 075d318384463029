import { zeroHash } from "viem";
import type { Judge } from "./judge.ts";
import type { Row } from "./oracle.ts";
import type { Present } from "./present.ts";

const DAY = 86_400n;

/** Counts of addresses, searches and statistics, told again from what each name is. */
export async function judgeCounts(judge: Judge): Promise<void> {
  // The root is no name.
  const names = [...judge.present].filter(([node]) => node !== zeroHash).map(([, name]) => name);
  await judgeStatistics(judge, names);
  await judgeSearches(judge, names);
  const owners = new Set(names.flatMap(({ owner }) => owner ?? []));
  for (const owner of owners) await judgeCountsOf(judge, owner, names);
}

/** What no registrar ever registered has no expiry: it is not active, and never ended. */
const isExpired = ({ isActive, expiry }: Present): boolean => !isActive && expiry !== null;

async function judgeStatistics({ getFresh, same, now }: Judge, all: Present[]) {
  const names = all.filter(({ owner, isCounted }) => isCounted && owner !== null);
  const active = names.filter(({ isActive }) => isActive);
  const expiring = (days: bigint) =>
    names.filter(({ expiry }) => expiry !== null && expiry > now && expiry <= now + days * DAY).length;
  const statistics = await getFresh("/ens-stats");
  if (statistics === null) return;
  const { total_domains, active_domains, expired_domains, wrapped_domains, unique_owners, ...rest } =
    statistics;
  same(
    "statistics",
    [total_domains, active_domains, expired_domains],
    [names.length, active.length, names.filter(isExpired).length],
  );
  same("wrapped names", wrapped_domains, names.filter(({ isWrapped }) => isWrapped).length);
  same("owners", unique_owners, new Set(active.map(({ owner }) => owner)).size);
  same("expiring names", [rest.expiring_30d, rest.expiring_90d], [expiring(30n), expiring(90n)]);
}

/** What a search must find: its query, and which names meet it. */
const searches: [query: string, meets: (name: Present, now: bigint) => boolean][] = [
  ["", () => true],
  ["is_wrapped=true", ({ isWrapped }) => isWrapped],
  ["is_wrapped=false", ({ isWrapped }) => !isWrapped],
  [
    "availability_status=registered",
    (name, now) => (name.isSecondLevel ? isLater(name, now) : isRegistered(name, now)),
  ],
  ["availability_status=grace", (name, now) => ends(name, { after: now - 90n * DAY, before: now })],
  [
    "availability_status=premium",
    (name, now) => ends(name, { after: now - 111n * DAY + 1n, before: now - 90n * DAY - 1n }),
  ],
];

const isLater = ({ expiry }: Present, now: bigint) => expiry !== null && expiry > now;
const isRegistered = (name: Present, now: bigint) =>
  name.owner !== null && (name.expiry === null || isLater(name, now));
const ends = ({ isSecondLevel, expiry }: Present, { after, before }: { after: bigint; before: bigint }) =>
  isSecondLevel && expiry !== null && expiry >= after && expiry <= before;

async function judgeSearches({ get, same, now }: Judge, names: Present[]) {
  for (const [query, meets] of searches) {
    const expected = names.filter((name) => name.isCounted && meets(name, now));
    const wrapped = expected.filter(({ isWrapped }) => isWrapped).length;
    const { total, stats } = await get(`/search-domains?${query}`);
    same(`search ${query}`, [total, (stats as Row).wrapped], [expected.length, wrapped]);
  }
}

async function judgeCountsOf({ get, same }: Judge, address: string, all: Present[]) {
  const names = all.filter(({ owner, isCounted }) => isCounted && owner === address);
  const active = names.filter(({ isActive }) => isActive).length;
  const expired = names.filter(isExpired).length;
  const { count, active_count, expired_count } = await get(`/address/${address}/domain-count`);
  same(`names of ${address}`, [count, active_count, expired_count], [names.length, active, expired]);
  const listed = await get(`/address/${address}/domains`);
  same(
    `listed names of ${address}`,
    [listed.total, (listed.results as Row[]).length],
    [active, Math.min(active, 25)],
  );
}
