import { domain, event, feedAnswer } from "ponder:schema";
import { getAddress, namehash } from "viem";
import { beforeEach, describe, expect, test } from "vitest";
import { advanceDays } from "../../src/api/names/counts/dayCounts.ts";
import { MONTHS_AHEAD } from "../../src/api/names/endpoints/populationEndpoints.ts";
import { MAX_PERIODS, MAX_PERIODS_WITH_SOURCES } from "../../src/api/names/endpoints/sales/periods.ts";
import { MAX_RANKED } from "../../src/api/names/endpoints/salesEndpoints.ts";
import { MAX_HOLDERS } from "../../src/api/names/query/population.ts";
import { nameByNode } from "../../src/ens/name.ts";
import { countNames } from "../counts/exactCounters.ts";
import { failure, openApi, type TestApi } from "./api.ts";
import {
  account,
  alice,
  bob,
  CHAIN_ID,
  carol,
  DAY,
  domainRow,
  type EventRow,
  eventRow,
  LAYER2_CHAIN_ID,
  MAIN,
  ownedBy,
  registeredRow,
  subnameRow,
} from "./rows.ts";
import { emptied, useTables } from "./tables.ts";

/** Noon of Friday, 15 January 2027. */
const NOW = Date.UTC(2027, 0, 15, 12) / 1_000;
const inDays = (days: number) => BigInt(NOW + days * DAY);
const on = (year: number, month: number, day: number, hour = 0) =>
  Date.UTC(year, month - 1, day, hour) / 1_000;

const CONTROLLER = account(0xe3);
const STRANGE_CONTROLLER = account(0x5e11);
const REGISTRAR = account(0xe2);

const tables = useTables();
beforeEach(async () => {
  Object.assign(tables, await emptied(tables));
  const first = { chainId: CHAIN_ID, blockNumber: 0, logIndex: 0, blockTimestamp: 0 };
  await tables.writer.insert(feedAnswer).values({ ...first, answer: 2_000n * 10n ** 8n });
});

const ask: TestApi["ask"] = (path) => openApi(tables, NOW).ask(path);

type Period = Record<"start", string> & Record<"registrations" | "renewals", number>;
const soldIn = (body: Record<string, unknown>) =>
  (body.periods as Period[]).filter(({ registrations, renewals }) => registrations + renewals > 0);

const nothing = {
  registrations: 0,
  renewals: 0,
  registration_cost_wei: "0",
  premium_wei: "0",
  renewal_cost_wei: "0",
  registration_cost_usd: "0.00",
  premium_usd: "0.00",
  renewal_cost_usd: "0.00",
};

const hundredEther = {
  registration_cost_wei: "100000000000000000000",
  registration_cost_usd: "200000.00",
};

/** A sale in its own transaction: the registrar's log, and the controller's if a price is given. */
function sale(
  tx: number,
  time: number,
  { isRenewal = false, ...fields }: Partial<EventRow> & { isRenewal?: boolean } = {},
): EventRow[] {
  const eventType = isRenewal ? "NameRenewed" : "NameRegistered";
  const shared = { eventType, node: namehash(`n${tx}.eth`), blockTimestamp: time };
  const ofRegistrar = { contract: "REGISTRAR", contractAddress: REGISTRAR, expiryTimestamp: inDays(300) };
  const ofController = { contract: "CONTROLLER", contractAddress: CONTROLLER, ...fields };
  const registered = eventRow({ block: tx, log: 1 }, { ...shared, ...ofRegistrar });
  if (fields.costWei === undefined) return [registered];
  return [registered, eventRow({ block: tx, log: 2 }, { ...shared, ...ofController })];
}

/** Sales of every sort, on both sides of midnights, Mondays and months. */
const sales: EventRow[] = [
  ...sale(1, on(2026, 10, 31, 23), { costWei: 5n, premiumWei: 2n }),
  ...sale(2, on(2026, 11, 1), { costWei: 7n }),
  ...sale(3, on(2026, 11, 1, 23), { costWei: 11n, isRenewal: true }),
  // Sunday and Monday.
  ...sale(4, on(2027, 1, 11) - 1, { costWei: 10n ** 20n }),
  ...sale(5, on(2027, 1, 11), { costWei: 10n ** 20n, contractAddress: STRANGE_CONTROLLER }),
  // By no known controller.
  ...sale(6, on(2027, 1, 15)),
  // The price as an upper bound, what the controller got, and the exact price after all.
  ...sale(7, on(2027, 1, 15, 1), { isRenewal: true, costWei: 90n, costIsUpperBound: true }),
  ...sale(8, on(2027, 1, 15, 2), { isRenewal: true, costWei: 90n, costIsUpperBound: true, exactCostWei: 3n }),
  ...sale(8, on(2027, 1, 15, 2), { costWei: 77n })
    .slice(1)
    .map((row) => ({ ...row, logIndex: 3, contract: "RENEWAL_REFERRER", eventType: "RenewalReferred" })),
  // In the future, and elsewhere.
  ...sale(9, NOW + 1, { costWei: 1n }),
  ...sale(10, NOW, { costWei: 1n, chainId: LAYER2_CHAIN_ID }).slice(1),
];

const auction = eventRow(
  { block: 20, tx: 20 },
  {
    contract: "REGISTRAR_AUCTION",
    contractAddress: account(0xa0c),
    eventType: "HashRegistered",
    node: namehash("old.eth"),
    blockTimestamp: on(2026, 10, 1),
    costWei: 1_000n,
  },
);

describe("GET /ens-stats/purchases", () => {
  test("adds up sales by day, week and month", async () => {
    await tables.writer.insert(event).values(sales);
    const days = await ask("/ens-stats/purchases");
    expect(days.interval).toBe("day");
    expect(soldIn(days)).toEqual([
      { ...nothing, start: "2026-10-31", registrations: 1, registration_cost_wei: "5", premium_wei: "2" },
      {
        ...nothing,
        start: "2026-11-01",
        registrations: 1,
        registration_cost_wei: "7",
        renewals: 1,
        renewal_cost_wei: "11",
      },
      { ...nothing, start: "2027-01-10", registrations: 1, ...hundredEther },
      { ...nothing, start: "2027-01-11", registrations: 1, ...hundredEther },
      {
        ...nothing,
        start: "2027-01-15",
        registrations: 1,
        renewals: 2,
        renewal_cost_wei: "93",
        cost_is_upper_bound: true,
      },
    ]);
    expect(days.periods).toHaveLength(77);
    expect(soldIn(await ask("/ens-stats/purchases?interval=week"))).toMatchObject([
      {
        start: "2026-10-26",
        registrations: 2,
        renewals: 1,
        registration_cost_wei: "12",
        renewal_cost_wei: "11",
      },
      { start: "2027-01-04", registrations: 1 },
      { start: "2027-01-11", registrations: 2, renewals: 2, registration_cost_wei: "100000000000000000000" },
    ]);
    expect((await ask("/ens-stats/purchases?interval=month")).periods).toMatchObject([
      { start: "2026-10-01", registrations: 1, renewals: 0, registration_cost_wei: "5", premium_wei: "2" },
      { start: "2026-11-01", registrations: 1, renewals: 1 },
      { start: "2026-12-01", ...nothing },
      { start: "2027-01-01", registrations: 3, renewals: 2, registration_cost_wei: "200000000000000000000" },
    ]);
  });

  test("is the same from day counts, however far they have got", async () => {
    await tables.writer.insert(event).values([...sales, auction]);
    const paths = [
      "purchases?sources=true",
      ...["week", "month", "quarter", "year"].map((interval) => `purchases?interval=${interval}`),
      "sellers",
      "referrers",
    ];
    const askAll = () => Promise.all(paths.map((path) => ask(`/ens-stats/${path}`)));
    const counted = await askAll();
    const client = await tables.pool.connect();
    try {
      for (const finalTime of [0, on(2026, 11, 1, 5), on(2027, 1, 11), NOW, NOW + 3 * DAY]) {
        await advanceDays({ client, schema: "public" }, MAIN, finalTime);
        // Nothing is kept for the day that is not over.
        const { rows } = await client.query<{ until: string; last: number | null }>(
          "select until, (select max(day) from figures_days) as last from figures_days_state",
        );
        expect(Number(rows[0]?.until) % DAY).toBe(0);
        expect(Number(rows[0]?.until)).toBeLessThanOrEqual(finalTime);
        expect((rows[0]?.last ?? -1) * DAY).toBeLessThan(Math.max(1, finalTime));
        expect(await askAll(), String(finalTime)).toEqual(counted);
      }
      const { rows } = await client.query<{ names: number }>(
        "select sum(names)::int as names from figures_days",
      );
      expect(rows[0]?.names).toBe(10);
    } finally {
      client.release();
    }
  });

  test("recounts days that were counted by other rules, or from another table", async () => {
    await tables.writer.insert(event).values(sales);
    const place = async (change: string) => {
      const client = await tables.pool.connect();
      await client.query(change);
      await advanceDays({ client, schema: "public" }, MAIN, NOW);
      client.release();
    };
    const wanted = await ask("/ens-stats/purchases?interval=month");
    await place("select");
    await place("update figures_days set names = 77; update figures_days_state set rules = 1");
    expect(await ask("/ens-stats/purchases?interval=month")).toEqual(wanted);
    await tables.pool.query("update figures_days set names = 77; update figures_days_state set counted = 1");
    expect(await ask("/ens-stats/purchases?interval=month")).toEqual(wanted);
    await place("select");
    expect(await ask("/ens-stats/purchases?interval=month")).toEqual(wanted);
  });

  test("has a bounded number of periods, however old the first sale is", async () => {
    await tables.writer.insert(event).values(sale(1, on(1975, 1, 1), { costWei: 1n }));
    for (const [interval, most] of Object.entries(MAX_PERIODS)) {
      const { periods } = await ask(`/ens-stats/purchases?interval=${interval}`);
      expect((periods as Period[]).length).toBe(most);
      const firsts = { day: "2027-01-15", week: "2027-01-11" } as Record<string, string>;
      expect((periods as Period[]).at(-1)?.start).toBe(firsts[interval] ?? "2027-01-01");
    }
  });

  describe("from one day to another", () => {
    const startsOf = async (query: string) =>
      ((await ask(`/ens-stats/purchases?${query}`)).periods as Period[]).map(({ start }) => start);
    beforeEach(async () => {
      await tables.writer.insert(event).values(sale(1, on(2020, 2, 29), { costWei: 1n }));
    });

    test.each([
      ["interval=day&from=2020-02-28&to=2020-03-01", ["2020-02-29", "2020-03-01"]],
      ["interval=day&to=2020-03-01", ["2020-02-29", "2020-03-01"]],
      ["interval=day&from=2027-01-14", ["2027-01-14", "2027-01-15"]],
      ["interval=day&from=2027-01-15&to=2099-12-31", ["2027-01-15"]],
      ["interval=day&from=2027-01-16", []],
      ["interval=day&to=2020-02-28", []],
      // 28 December 2020 is a Monday.
      ["interval=week&from=2021-01-03&to=2021-01-04", ["2020-12-28", "2021-01-04"]],
      ["interval=month&from=2020-12-31&to=2021-01-01", ["2020-12-01", "2021-01-01"]],
      ["interval=quarter&from=2020-01-01&to=2020-07-01", ["2020-01-01", "2020-04-01", "2020-07-01"]],
      ["interval=quarter&from=2020-12-31&to=2021-03-31", ["2020-10-01", "2021-01-01"]],
      ["interval=year&to=2022-01-01", ["2020-01-01", "2021-01-01", "2022-01-01"]],
      ["interval=year&from=2026-12-31", ["2026-01-01", "2027-01-01"]],
    ])("%s", async (query, starts) => {
      expect(await startsOf(query)).toEqual(starts);
    });

    test("has at most the allowed number of periods", async () => {
      expect(await startsOf("from=2026-01-15")).toHaveLength(MAX_PERIODS.day);
      expect(await startsOf("to=2022-06-30")).toHaveLength(MAX_PERIODS.day);
      expect(await startsOf("sources=true")).toHaveLength(MAX_PERIODS_WITH_SOURCES);
      const range = (has: number, most: number) =>
        `The range from \`from\` to \`to\` has ${has} periods; an answer has at most ${most} of this \`interval\`.`;
      const refused = [
        ["from=2026-01-14", range(367, 366)],
        ["interval=week&from=2020-01-01&to=2026-01-01", range(306, 261)],
        ["sources=true&from=2026-10-15", range(93, 92)],
        ["from=2026-01-02&to=2026-01-01", "`from` must not be later than `to`."],
        ["from=2026-02-30", "`from` must be a date like 2026-03-31."],
        ["to=1767225600", "`to` must be a date like 2026-03-31."],
      ];
      for (const [query, message] of refused) {
        const reply = await openApi(tables, NOW).get(`/ens-stats/purchases?${query}`);
        expect(reply, query).toMatchObject(failure("INVALID_PARAMETER", message));
      }
    });
  });

  test("with its sources gives what each contract sold in each period", async () => {
    await tables.writer.insert(event).values(sales);
    const { periods } = await ask("/ens-stats/purchases?interval=year&sources=true");
    const plain = await ask("/ens-stats/purchases?interval=year");
    expect((periods as { sources: object[] }[]).map(({ sources: _, ...period }) => period)).toEqual(
      plain.periods,
    );
    const [, last] = periods as { sources: object[] }[];
    const known = { contract: "CONTROLLER_7", title: "CONTROLLER_7", address: getAddress(CONTROLLER) };
    expect(last?.sources).toEqual([
      {
        ...nothing,
        ...known,
        ...hundredEther,
        registrations: 1,
        renewals: 2,
        renewal_cost_wei: "93",
        cost_is_upper_bound: true,
      },
      {
        ...nothing,
        contract: "REGISTRAR",
        title: "REGISTRAR",
        address: getAddress(REGISTRAR),
        registrations: 1,
      },
      {
        ...nothing,
        ...hundredEther,
        contract: "CONTROLLER",
        address: getAddress(STRANGE_CONTROLLER),
        registrations: 1,
      },
    ]);
  });

  test("of an empty index has only this period", async () => {
    expect((await ask("/ens-stats/purchases")).periods).toEqual([{ start: "2027-01-15", ...nothing }]);
    expect((await ask("/ens-stats/sellers")).sellers).toEqual([]);
  });
});

describe("GET /ens-stats/largest-registrations", () => {
  type Sold = { name: string; cost_wei: string; premium_wei: string };
  const listed = async (query: string) =>
    (await ask(`/ens-stats/largest-registrations${query}`)).registrations as Sold[];
  const namesOf = async (query: string) =>
    (await listed(query)).map(({ name, cost_wei }) => [name, cost_wei]);

  test("has those of some days, largest first, with what controllers took for each, and no renewals", async () => {
    await tables.writer.insert(event).values([...sales, auction]);
    await tables.writer
      .insert(domain)
      .values([
        registeredRow("n2.eth", account(2), inDays(9)),
        registeredRow("n5.eth", account(5), inDays(9)),
      ]);
    const named = (tx: number) => (tx === 2 || tx === 5 ? `n${tx}.eth` : nameByNode(namehash(`n${tx}.eth`)));
    expect(await namesOf("?days=365")).toEqual([
      [named(4), String(10n ** 20n)],
      [named(5), String(10n ** 20n)],
      [named(2), "7"],
      [named(1), "5"],
    ]);
    expect(await namesOf("?days=7")).toEqual([
      [named(4), String(10n ** 20n)],
      [named(5), String(10n ** 20n)],
    ]);
    expect((await listed("?days=365"))[0]?.premium_wei).toBe("0");
  });

  test("may be empty", async () => {
    expect(await namesOf("")).toEqual([]);
  });

  test("is bounded", async () => {
    const many = Array.from({ length: MAX_RANKED + 1 }, (_, i) =>
      sale(100 + i, NOW - i, { costWei: BigInt(i + 1) }),
    );
    await tables.writer.insert(event).values(many.flat());
    const found = await namesOf("?days=7");
    expect(found).toHaveLength(MAX_RANKED);
    expect(found.at(-1)?.[1]).toBe("2");
  });
});

test("GET /ens-stats/sellers adds up what each contract sold", async () => {
  await tables.writer.insert(event).values([...sales, auction]);
  expect((await ask("/ens-stats/sellers")).sellers).toEqual([
    {
      ...nothing,
      contract: "REGISTRAR_AUCTION",
      address: getAddress(account(0xa0c)),
      registrations: 1,
      first_day: "2026-10-01",
      last_day: "2026-10-01",
    },
    {
      ...nothing,
      contract: "CONTROLLER_7",
      address: getAddress(CONTROLLER),
      title: "CONTROLLER_7",
      registrations: 3,
      renewals: 3,
      registration_cost_wei: "100000000000000000012",
      registration_cost_usd: "200000.00",
      premium_wei: "2",
      renewal_cost_wei: "104",
      cost_is_upper_bound: true,
      first_day: "2026-10-31",
      last_day: "2027-01-15",
    },
    {
      ...nothing,
      contract: "CONTROLLER",
      address: getAddress(STRANGE_CONTROLLER),
      registrations: 1,
      ...hundredEther,
      first_day: "2027-01-11",
      last_day: "2027-01-11",
    },
    {
      ...nothing,
      contract: "REGISTRAR",
      address: getAddress(REGISTRAR),
      title: "REGISTRAR",
      registrations: 1,
      first_day: "2027-01-15",
      last_day: "2027-01-15",
    },
  ]);
});

const names = [
  domainRow("", { node: namehash(""), parentNode: null, labelhash: null, ...ownedBy(account(9)) }),
  domainRow("eth", ownedBy(account(0xe2))),
  registeredRow("a.eth", alice, BigInt(on(2027, 1, 31, 23))),
  registeredRow("b.eth", alice, BigInt(on(2027, 2, 1))),
  registeredRow("c.eth", bob, inDays(100)),
  registeredRow("earlier.eth", bob, BigInt(on(2027, 1, 2))),
  registeredRow("grace.eth", bob, inDays(-90)),
  registeredRow("premium.eth", carol, BigInt(NOW - 90 * DAY - 1)),
  registeredRow("ended.eth", carol, inDays(-111)),
  registeredRow("forever.eth", carol, 2n ** 64n - 1n),
  domainRow("auctioned.eth", ownedBy(carol)),
  domainRow("gone.eth"),
  domainRow("x.a.eth", ownedBy(bob)),
  subnameRow("w.a.eth", alice, inDays(30)),
  subnameRow("over.a.eth", alice, inDays(-1)),
  domainRow(`${alice.slice(2)}.addr.reverse`, ownedBy(alice)),
];

/** The same questions from rows, and from counters made at another time. */
describe.each([null, NOW, NOW - 100 * DAY])("of names, with counters made at %s", (countedAt) => {
  beforeEach(async () => {
    await tables.writer.insert(domain).values(names);
    if (countedAt !== null) await countNames(tables.pool, countedAt);
  });

  test("GET /ens-stats/states counts each name with an owner once", async () => {
    const body = await ask("/ens-stats/states");
    expect(body).toMatchObject({
      eth: { registered: 4, grace: 2, premium: 1, available: 1, unregistered: 1 },
      others: { without_expiry: 2, registered: 1, expired: 1 },
    });
    const sum = [body.eth, body.others].flatMap((part) => Object.values(part as Record<string, number>));
    expect(sum.reduce((a, b) => a + b)).toBe((await ask("/ens-stats")).total_domains);
  });

  test("GET /ens-stats/expiries counts names by the month of their expiry", async () => {
    const body = await ask("/ens-stats/expiries");
    const months = body.months as { month: string; eth: number; others: number }[];
    expect(months.filter(({ eth, others }) => eth + others > 0)).toEqual([
      { month: "2027-01", eth: 2, others: 1 },
      { month: "2027-02", eth: 1, others: 1 },
      { month: "2027-04", eth: 1, others: 0 },
    ]);
    expect(months.length).toBe(MONTHS_AHEAD);
    expect(months.at(-1)?.month).toBe("2031-12");
    expect(body.later).toEqual({ eth: 1, others: 0 });
  });

  test("GET /ens-stats/holders lists the owners of the most active names", async () => {
    expect((await ask("/ens-stats/holders")).holders).toEqual([
      { address: getAddress(bob), active_domains: 4, percentage: 44.44 },
      { address: getAddress(alice), active_domains: 3, percentage: 33.33 },
      { address: getAddress(account(0xe2)), active_domains: 1, percentage: 11.11 },
      { address: getAddress(carol), active_domains: 1, percentage: 11.11 },
    ]);
  });
});

test("GET /ens-stats/holders lists a bounded number", async () => {
  await tables.writer
    .insert(domain)
    .values(
      Array.from({ length: MAX_HOLDERS + 1 }, (_, i) =>
        registeredRow(`n${i}.eth`, account(i + 1), inDays(9)),
      ),
    );
  expect(((await ask("/ens-stats/holders")).holders as unknown[]).length).toBe(MAX_HOLDERS);
});
