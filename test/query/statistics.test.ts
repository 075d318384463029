import { domain, event, primaryName } from "ponder:schema";
import { type Address, namehash } from "viem";
import { beforeEach, describe, expect, test } from "vitest";
import { openApi } from "./api.ts";
import {
  account,
  alice,
  bob,
  DAY,
  domainRow,
  eventRow,
  LAYER2_CHAIN_ID,
  ownedBy,
  primaryNameRow,
  registeredRow,
  subnameRow,
  WRAPPER,
  wrappedBy,
} from "./rows.ts";
import { emptied, useTables } from "./tables.ts";

/** Noon, so that half of today is over. */
const NOW = Math.floor(1_800_000_000 / DAY) * DAY + DAY / 2;
const inDays = (days: number) => BigInt(NOW + days * DAY);
const instant = (seconds: number) => new Date(seconds * 1_000).toISOString();

const tables = useTables();
const ask = (path: string, now = NOW) => openApi(tables, now).ask(path);

/** Names of every sort: 11 have an owner and count, 7 of them are active, and 3 expired. */
const names = [
  domainRow("", { node: namehash(""), parentNode: null, labelhash: null, ...ownedBy(account(9)) }),
  domainRow("eth", ownedBy(account(0xe2))),
  registeredRow("alice.eth", alice, inDays(100)),
  registeredRow("abc.eth", alice, inDays(30)),
  registeredRow("grace.eth", bob, inDays(-90)),
  registeredRow("premium.eth", account(1), inDays(-91)),
  domainRow("auctioned.eth", ownedBy(account(2))),
  domainRow("gone.eth"),
  domainRow("a.alice.eth", ownedBy(bob)),
  domainRow("b.alice.eth", ownedBy(bob)),
  domainRow("deleted.alice.eth"),
  domainRow(`${alice.slice(2)}.addr.reverse`, ownedBy(account(3))),
  registeredRow("wrapped.eth", WRAPPER, inDays(31), wrappedBy(alice, inDays(121))),
  registeredRow("lapsed.eth", WRAPPER, inDays(-100), wrappedBy(account(4), inDays(-10))),
  subnameRow("ended.wrapped.eth", account(5), inDays(-1)),
];

beforeEach(async () => {
  Object.assign(tables, await emptied(tables));
});

describe("GET /ens-stats", () => {
  test("counts names, owners, events, registrations and renewals", async () => {
    await tables.writer.insert(domain).values(names);
    const log = (seconds: number, tx: number, eventType: string, fields = {}) => {
      const of = { node: namehash(`n${tx}.eth`), blockTimestamp: NOW - seconds, ...fields };
      return eventRow(
        { block: 1000 + tx, log: seconds % 7, tx },
        { contract: "REGISTRAR", eventType, ...of },
      );
    };
    await tables.writer
      .insert(event)
      .values([
        log(10, 1, "NameRegistered"),
        log(11, 1, "NameRegistered", { contract: "CONTROLLER", blockTimestamp: NOW - 10 }),
        log(12, 1, "NameRegistered", { node: namehash("other.eth"), blockTimestamp: NOW - 10 }),
        log(DAY - 1, 2, "NameRegistered"),
        log(DAY, 3, "NameRegistered"),
        log(7 * DAY - 1, 4, "NameRegistered"),
        log(7 * DAY, 5, "NameRegistered"),
        log(5, 6, "NameRenewed"),
        log(6, 6, "NameRenewed", { contract: "CONTROLLER", blockTimestamp: NOW - 5 }),
        log(7, 6, "RenewalReferred", { contract: "RENEWAL_REFERRER", blockTimestamp: NOW - 5 }),
        log(-1, 7, "NameRegistered"),
        log(8, 8, "NewOwner", { chainId: LAYER2_CHAIN_ID }),
      ]);
    expect(await ask("/ens-stats")).toEqual({
      total_domains: 11,
      active_domains: 7,
      expired_domains: 3,
      wrapped_domains: 1,
      wrapped_percentage: 9.09,
      expiring_30d: 1,
      expiring_90d: 2,
      unique_owners: 3,
      total_events: 11,
      registrations_24h: 3,
      registrations_7d: 5,
      renewals_7d: 1,
      generated_at: instant(NOW),
    });
  });

  test("are kept for five minutes, and for clients too", async () => {
    expect((await ask("/ens-stats")).total_domains).toBe(0);
    const ages = [NOW, NOW + 120, NOW + 300].map(async (now) => {
      const { headers } = await openApi(tables, now).app.request("/ens-stats");
      return [headers.get("age"), headers.get("cache-control")];
    });
    expect(await Promise.all(ages)).toEqual(["0", "120", "300"].map((age) => [age, "public, max-age=300"]));
    await tables.writer.insert(domain).values(names);
    expect(await ask("/ens-stats", NOW + 300)).toMatchObject({
      total_domains: 0,
      generated_at: instant(NOW),
    });
    expect(await ask("/ens-stats", NOW + 601)).toMatchObject({
      total_domains: 11,
      generated_at: instant(NOW + 601),
    });
  });
});

test.each([
  ["/ens-stats", 300],
  ["/ens-stats/registrations", 900],
  ["/ens-stats/distribution", 3600],
  ["/ens-stats/primary-names", 3600],
  ["/ens-stats/recent-activity", 30],
  ["/ens-stats/purchases", 900],
  ["/ens-stats/sellers", 900],
  ["/ens-stats/largest-registrations", 900],
  ["/ens-stats/states", 300],
  ["/ens-stats/expiries", 3600],
  ["/ens-stats/holders", 3600],
])("%s may be cached for %d seconds, under /api too", async (path, seconds) => {
  const { app } = openApi(tables, NOW);
  const replies = [await app.request(path), await app.request(`/api${path}`)];
  const headers = replies.map((reply) => reply.headers.get("cache-control"));
  expect(headers).toEqual([`public, max-age=${seconds}`, `public, max-age=${seconds}`]);
  expect(await replies[0]?.json()).toEqual(await replies[1]?.json());
  expect((await app.request(path, { method: "POST" })).status).toBe(405);
});

describe("GET /ens-stats/registrations", () => {
  test("returns thirty days, oldest first, including those on which nothing happened", async () => {
    const midnight = NOW - DAY / 2;
    const log = (tx: number, eventType: string, blockTimestamp: number) =>
      eventRow(
        { block: tx, tx },
        { contract: "REGISTRAR", eventType, node: namehash(`n${tx}.eth`), blockTimestamp },
      );
    await tables.writer
      .insert(event)
      .values([
        log(1, "NameRegistered", midnight),
        log(2, "NameRegistered", midnight - 1),
        log(3, "NameRenewed", midnight - 1),
        log(4, "NameRenewed", midnight - 1),
        log(5, "NameRegistered", midnight - 29 * DAY),
        log(6, "NameRegistered", midnight - 29 * DAY - 1),
        log(7, "NameRegistered", NOW + 1),
      ]);
    const body = await ask("/ens-stats/registrations");
    const daily = body.daily as { date: string; registrations: number; renewals: number }[];
    const date = (days: number) => instant(NOW + days * DAY).slice(0, 10);
    expect(daily.map((day) => day.date)).toEqual(Array.from({ length: 30 }, (_, i) => date(i - 29)));
    expect(daily.filter((day) => day.registrations + day.renewals > 0)).toEqual([
      { date: date(-29), registrations: 1, renewals: 0 },
      { date: date(-1), registrations: 1, renewals: 2 },
      { date: date(0), registrations: 1, renewals: 0 },
    ]);
    expect(body.generated_at).toBe(instant(NOW));
  });
});

describe("GET /ens-stats/distribution", () => {
  test("spreads names over lengths, top-level domains and parents", async () => {
    await tables.writer
      .insert(domain)
      .values([
        ...names,
        domainRow("hidden.eth", { ...registeredRow("hidden.eth", bob, inDays(9)), labelLength: null }),
        domainRow("com", ownedBy(account(7))),
        domainRow("shop.com", ownedBy(bob)),
        domainRow("sold.com"),
        domainRow("x.shop.com", ownedBy(bob)),
        domainRow("lost.unknown.parent", { ...ownedBy(bob), parentNode: null }),
      ]);
    expect(await ask("/ens-stats/distribution")).toEqual({
      eth_label_length: [
        { length: 3, count: 1, percentage: 25 },
        { length: 5, count: 2, percentage: 50 },
        { length: 7, count: 1, percentage: 25 },
      ],
      all_label_length: [
        { length: 1, count: 3, percentage: 30 },
        { length: 3, count: 3, percentage: 30 },
        { length: 4, count: 1, percentage: 10 },
        { length: 5, count: 2, percentage: 20 },
        { length: 7, count: 1, percentage: 10 },
      ],
      by_tld: [
        { tld: "eth", count: 5, note: "active" },
        { tld: "com", count: 2, note: "all_time" },
      ],
      by_subname_parent: [
        { parent: "alice.eth", count: 2 },
        { parent: "shop.com", count: 1 },
      ],
      generated_at: instant(NOW),
    });
  });

  test("lists the hundred parents with the most active subnames", async () => {
    const parents = Array.from({ length: 102 }, (_, i) => `parent${String(i).padStart(3, "0")}.eth`);
    // The first two have one subname and a deleted one; all others have two.
    const subnames = parents.flatMap((parent, i) => [
      domainRow(`a.${parent}`, ownedBy(alice)),
      domainRow(`b.${parent}`, i < 2 ? { effectiveOwnerAddress: null } : ownedBy(bob)),
    ]);
    await tables.writer
      .insert(domain)
      .values([
        domainRow("", { node: namehash(""), parentNode: null, labelhash: null, ...ownedBy(account(9)) }),
        domainRow("eth", ownedBy(account(0xe2))),
        ...parents.map((name) => registeredRow(name, alice, inDays(100))),
        ...subnames,
      ]);
    const listed = parents.slice(2).map((parent) => ({ parent, count: 2 }));
    expect((await ask("/ens-stats/distribution")).by_subname_parent).toEqual(listed);
  });

  test("of an empty index is empty", async () => {
    expect(await ask("/ens-stats/distribution")).toEqual({
      eth_label_length: [],
      all_label_length: [],
      by_tld: [],
      by_subname_parent: [],
      generated_at: instant(NOW),
    });
  });
});

describe("GET /ens-stats/primary-names", () => {
  const claim = (address: Address, registrar: string, name: string | null, fields = {}) =>
    primaryNameRow(address, name, { registrar, coinType: registrar.length, ...fields });
  const onLayer2 = { chainId: LAYER2_CHAIN_ID };

  test("counts claims on every chain, and the owners among the claimants", async () => {
    await tables.writer.insert(domain).values(names);
    await tables.writer
      .insert(primaryName)
      .values([
        claim(alice, "REVERSE_REGISTRAR", "alice.eth"),
        claim(alice, "L2_REVERSE_REGISTRAR", "alice.eth", onLayer2),
        claim(bob, "REVERSE_REGISTRAR", null),
        claim(bob, "L2_REVERSE_REGISTRAR", "bob.eth", onLayer2),
        claim(account(20), "REVERSE_REGISTRAR", "a.eth"),
        claim(account(20), "DEFAULT_REVERSE_REGISTRAR", "b.eth"),
        claim(account(21), "REVERSE_REGISTRAR", null, { isNameKnown: false }),
        claim(account(22), "L2_REVERSE_REGISTRAR", null, onLayer2),
      ]);
    expect(await ask("/ens-stats/primary-names")).toEqual({
      unique_addresses_with_primary_name: 3,
      unique_domain_owners: 3,
      adoption_percentage: 66.67,
      multi_chain_count: 1,
      by_registrar: [
        { registrar: "REVERSE_REGISTRAR", chain: "devnet", with_name: 2, cleared: 1, unknown: 1 },
        { registrar: "DEFAULT_REVERSE_REGISTRAR", chain: "devnet", with_name: 1, cleared: 0, unknown: 0 },
        { registrar: "L2_REVERSE_REGISTRAR", chain: "devnet2", with_name: 2, cleared: 1, unknown: 0 },
      ],
      generated_at: instant(NOW),
    });
  });

  test("names every configured registrar, even without any claim", async () => {
    expect(await ask("/ens-stats/primary-names")).toMatchObject({
      unique_addresses_with_primary_name: 0,
      adoption_percentage: 0,
      multi_chain_count: 0,
      by_registrar: [{ with_name: 0 }, { with_name: 0 }, { chain: "devnet2", with_name: 0 }],
    });
  });
});
