import { domain, ensv2Entry, ensv2Phase, ensv2Purchase, event, holder, ownershipChange } from "ponder:schema";
import { getAddress, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { advanceDays } from "../../src/api/names/counts/dayCounts.ts";
import { countNames } from "../counts/exactCounters.ts";
import { serveExplorer } from "../explorer/statisticsPages.ts";
import { openApi, useApi } from "./api.ts";
import {
  contracts,
  DAI,
  type EntryRow,
  ETH_ENTRY,
  ETH_REGISTRY,
  ensv2Row,
  entryRow,
  GRACE,
  GRAVEYARD,
  MAIN,
  MIGRATOR,
  PREMIUM,
  purchaseRow,
  REGISTRAR,
  RETIRED_EXPIRY,
  reservedRow,
  USDC,
} from "./ensv2.ts";
import {
  account,
  alice,
  at,
  bob,
  CHAIN_ID,
  DAY,
  type DomainRow,
  domainRow,
  type EventRow,
  eventRow,
  holderRow,
  NOW,
  ownershipRow,
  registeredRow,
  transaction,
} from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

const ago = (days: number) => BigInt(NOW - days * DAY);

/** Names with their entries, and the state that the contracts would report. */
type World = { row: DomainRow; entry?: EntryRow; state: string }[];

const ofEnsv2 = (label: string, expiry: bigint, state: string, owner = alice): World[number] => ({
  row: ensv2Row(`${label}.eth`, owner, expiry),
  entry: entryRow(ETH_REGISTRY, label, {
    owner,
    expiry,
    registeredBy: label === "moved" ? MIGRATOR : REGISTRAR,
  }),
  state,
});

const world: World = [
  { row: registeredRow("plain.eth", alice, ago(-9)), state: "registered" },
  {
    row: registeredRow("reserved.eth", alice, ago(-9)),
    entry: reservedRow("reserved", ago(-9 - 62)),
    state: "registered",
  },
  ofEnsv2("moved", ago(-100), "registered"),
  ofEnsv2("last-second", BigInt(NOW + 1), "registered"),
  ofEnsv2("ended-now", BigInt(NOW), "grace"),
  ofEnsv2("grace-end", BigInt(NOW - GRACE + 1), "grace"),
  ofEnsv2("premium-begins", BigInt(NOW - GRACE), "premium"),
  ofEnsv2("premium-end", BigInt(NOW - GRACE - PREMIUM + 1), "premium"),
  ofEnsv2("free", BigInt(NOW - GRACE - PREMIUM), "available"),
  { row: registeredRow("in-grace.eth", alice, ago(80)), state: "grace" },
  { row: registeredRow("unseen.eth", alice, ago(95)), state: "available" },
  { row: registeredRow("noted.eth", alice, ago(95)), entry: reservedRow("noted", ago(33)), state: "premium" },
  { row: registeredRow("retired.eth", GRAVEYARD, RETIRED_EXPIRY), state: "available" },
  ofEnsv2("of-bob", ago(-400), "registered", bob),
];

const active = world.filter(({ state }) => state === "registered" || state === "grace");
const ofAlice = active.filter(({ row }) => row.effectiveOwnerAddress === alice);
const namesOf = (some: World) => some.map(({ row }) => row.fullName).sort();

const tables = useTables();
const api = useApi(tables, NOW, { contracts });

beforeAll(async () => {
  await setProgress(tables, { chainId: CHAIN_ID, block: 100, time: NOW });
  await tables.writer
    .insert(domain)
    .values([domainRow("eth", { effectiveOwnerAddress: account(7) }), ...world.map(({ row }) => row)]);
  await tables.writer.insert(ensv2Entry).values([ETH_ENTRY, ...world.flatMap(({ entry }) => entry ?? [])]);
  await tables.writer.insert(ensv2Phase).values({ ...at(0), blockTimestamp: 1, phase: "open" });
});

type Item = { name: string; availability_status: string; protocol?: string };
const itemsOf = (body: Record<string, unknown>) => body.results as Item[];
const namesIn = (body: Record<string, unknown>) =>
  itemsOf(body)
    .map(({ name }) => name)
    .sort();

describe("lists have each name in the state given by its contracts", () => {
  test.each(world.map(({ row, state }) => [row.fullName, state]))("%s is %s", async (name, state) => {
    const { body } = await api.get(`/search-domains?search_full_name=true&q=${name}`);
    expect(itemsOf(body)).toMatchObject([{ name, availability_status: state }]);
    expect((await api.get(`/whois/${name}?partial=true`)).body).toMatchObject({ availability_status: state });
  });

  test.each(["registered", "grace", "premium", "available"])("search for %s", async (state) => {
    const wanted = world.filter((one) => one.state === state);
    const { body } = await api.get(`/search-domains?availability_status=${state}`);
    const found = itemsOf(body).filter(({ name }) => name !== "eth");
    expect(found.map(({ name }) => name).sort()).toEqual(namesOf(wanted));
  });

  test.each(["ensv1", "ensv2"])("search for %s", async (protocol) => {
    const { body } = await api.get(`/search-domains?protocol=${protocol}`);
    const wanted = world.filter(({ row }) => (row.registry === undefined) === (protocol === "ensv1"));
    const found = itemsOf(body).filter(({ name }) => name !== "eth");
    expect(found.map(({ name }) => name).sort()).toEqual(namesOf(wanted));
    expect(found.every((item) => item.protocol === protocol)).toBe(true);
  });

  test("a search by expiry omits what a graveyard keeps", async () => {
    const { body } = await api.get(`/search-domains?expiry_from=${NOW}`);
    expect(itemsOf(body).map(({ name }) => name)).not.toContain("retired.eth");
  });
});

describe("a wallet", () => {
  test("has its names of both systems, each once", async () => {
    const { body } = await api.get(`/address/${alice}/domains`);
    expect(namesIn(body)).toEqual(namesOf(ofAlice));
    const counts = await api.get(`/address/${alice}/domain-count`);
    expect(counts.body).toMatchObject({ active_count: ofAlice.length });
    const summary = await api.get(`/address/${alice}/summary`);
    expect(summary.body).toMatchObject({ domain_count: ofAlice.length });
  });

  test("that is a graveyard owns no active names, but its names can be listed", async () => {
    expect((await api.get(`/address/${GRAVEYARD}/domains`)).body).toMatchObject({ total: 0 });
    const all = await api.get(`/address/${GRAVEYARD}/domains?include_expired=true`);
    expect(itemsOf(all.body)).toMatchObject([{ name: "retired.eth" }]);
    const stored = await api.get(
      `/address/${GRAVEYARD}/domains?address_type=registrar_owner&include_expired=true`,
    );
    expect(itemsOf(stored.body)).toMatchObject([{ name: "retired.eth" }]);
  });

  test("has names that it lost among the previous ones, but not those in grace", async () => {
    await tables.writer.insert(holder).values(world.map(({ row }, i) => holderRow(alice, row.fullName, i)));
    const { body } = await api.get(`/address/${alice}/previous-domains`);
    const lost = world.filter((one) => !ofAlice.includes(one));
    expect(namesIn(body)).toEqual(namesOf(lost));
  });

  test("has a calendar with the ends of each system", async () => {
    const reply = await api.app.request(`/address/${alice}/expiries.ics`);
    const text = (await reply.text()).replaceAll("\r\n ", "");
    const at = (seconds: number) => new Date(seconds * 1_000).toISOString().replaceAll(/[-:]|\.000/g, "");
    const grace = BigInt(NOW + 100 * DAY + GRACE);
    expect(text).toContain(`DTSTART:${at(Number(grace))}`);
    expect(text).toContain(`DTSTART:${at(Number(grace) + PREMIUM)}`);
    expect(text).toContain("in the 28 days after it");
    expect(text).toContain("in the 90 days after it");
    expect(text).not.toContain("retired.eth");
    expect(text).not.toContain("Premium of unseen.eth ends");
    expect(text).toContain("Premium of noted.eth ends");
  });
});

const statistics = async () => {
  const figures = openApi(tables, NOW, { contracts });
  const [totals, states, holders, expiries] = await Promise.all(
    ["", "/states", "/holders", "/expiries"].map((path) => figures.get(`/ens-stats${path}`)),
  );
  return { totals, states, holders, expiries };
};

test.each(["rows", "counters"])("statistics count a name once, from %s", async (from) => {
  if (from === "counters") await countNames(tables.pool, NOW - 40 * DAY, contracts.ensv2);
  const { totals, states, holders, expiries } = await statistics();
  // `eth` has an owner and no expiry; the retired name has neither.
  expect(totals?.body).toMatchObject({ total_domains: world.length, active_domains: active.length + 1 });
  const countOf = (state: string, some = world) =>
    some.filter((one) => one.state === state && one.row.fullName !== "retired.eth").length;
  expect(states?.body.eth).toEqual({
    registered: countOf("registered"),
    grace: countOf("grace"),
    premium: countOf("premium"),
    available: countOf("available"),
    unregistered: 0,
  });
  expect(holders?.body.holders).toMatchObject([
    { address: getAddress(alice), active_domains: ofAlice.length },
    { active_domains: 1 },
    { active_domains: 1 },
  ]);
  expect(JSON.stringify(holders?.body)).not.toContain(getAddress(GRAVEYARD));
  expect(expiries?.body.later).toEqual({ eth: 0, others: 0 });
});

describe("purchases", () => {
  const [moved, native, plain] = [namehash("moved.eth"), namehash("free.eth"), namehash("reserved.eth")];
  const renewal = {
    node: plain,
    eventType: "NameRenewed",
    durationSeconds: 63_072_000n,
    contractAddress: account(0x77),
    paymentToken: DAI,
    amount: 10n ** 19n,
    premium: null,
  };
  const [day1, day2] = [100, 7_300];

  beforeAll(async () => {
    await tables.writer
      .insert(ensv2Purchase)
      .values([
        purchaseRow({ block: day1, log: 5 }, { node: native, amount: 7_000_000n, premium: 2_000_000n }),
        purchaseRow({ block: day2, log: 9 }, renewal),
      ]);
    const log = (block: number, log: number, contract: string, fields: Partial<EventRow>) =>
      eventRow({ block, log }, { contract, eventType: "NameRenewed", node: plain, ...fields });
    const retired = {
      node: namehash("retired.eth"),
      ownerAddress: GRAVEYARD,
      expiryTimestamp: RETIRED_EXPIRY,
    };
    const registered = { eventType: "NameRegistered" };
    const inTransaction10 = { ownerAddress: alice, transactionHash: transaction(10) };
    await tables.writer.insert(event).values([
      log(day1, 5, "ENSV2_REGISTRAR", { ...registered, node: native, contractAddress: REGISTRAR }),
      // The renewer's own log, and the ENSv1 logs that come with it.
      log(day2, 2, "REGISTRAR", {}),
      log(day2, 9, "ENSV2_RENEWER", {}),
      log(day2, 12, "CONTROLLER", { costWei: 0n }),
      // A graveyard's registration in ENSv1 is not a sale.
      log(day2 + 1, 1, "REGISTRAR", { ...registered, ...retired }),
      log(90, 1, "ENSV2_REGISTRY", { eventType: "LabelRegistered", node: moved, ...inTransaction10 }),
    ]);
    await tables.writer
      .insert(ownershipChange)
      .values([
        ownershipRow({ block: 3 }, "moved.eth", bob, { reason: "registrar" }),
        ownershipRow({ block: 10, log: 1 }, "moved.eth", GRAVEYARD, { reason: "registrar" }),
        ownershipRow({ block: 10, log: 4 }, "moved.eth", alice, { reason: "token" }),
      ]);
  });

  const usdc = { token: getAddress(USDC), symbol: "USDC", decimals: 6 };
  const dai = { token: getAddress(DAI), symbol: "DAI", decimals: 18 };

  test.each([0, 1])("are given by token and never as wei, with %i day counts", async (kept) => {
    if (kept === 1) {
      const client = await tables.pool.connect();
      await advanceDays({ client, schema: "public" }, MAIN, NOW);
      client.release();
    }
    const figures = openApi(tables, NOW, { contracts });
    const { body } = await figures.get("/ens-stats/purchases?interval=month");
    const periods = (body.periods as { registrations: number; renewals: number }[]).filter(
      ({ registrations, renewals }) => registrations + renewals > 0,
    );
    expect(periods).toMatchObject([
      {
        registrations: 1,
        renewals: 1,
        registration_cost_wei: "0",
        renewal_cost_wei: "0",
        payments: [
          { ...usdc, registration_amount: "7000000", premium_amount: "2000000", renewal_amount: "0" },
          { ...dai, registration_amount: "0", premium_amount: "0", renewal_amount: `1${"0".repeat(19)}` },
        ],
      },
    ]);
    const sellers = await figures.get("/ens-stats/sellers");
    expect(sellers.body.sellers).toMatchObject([
      { contract: "ENSV2_REGISTRAR", registrations: 1, renewals: 0 },
      { contract: "ENSV2_RENEWER", registrations: 0, renewals: 1 },
    ]);
  });

  test("are in the explorer's figures, with a mark on ENSv2 names", async () => {
    const { url, close } = await serveExplorer(tables, NOW, contracts);
    const pageOf = async (path: string) => (await fetch(`${url}/explore/${path}`)).text();
    const [title, first] = (await pageOf("statistics/tokens.csv?interval=month"))
      .replaceAll('"', "")
      .split(/\r?\n/);
    expect([title, first]).toEqual(["From,USDC,DAI", "2020-09-01,7,10"]);
    expect(await pageOf("statistics?interval=month")).toContain("Revenue from ENSv2 names");
    expect(await pageOf("statistics/sellers.csv")).toContain('"ENSv2 Registrar"');
    const search = await pageOf("search?protocol=ensv2");
    expect(search).toContain("moved.eth");
    expect(search).not.toContain("plain.eth");
    expect(search).toContain('<span class="mark">ENSv2</span>');
    expect(search).toContain('<option value="ensv2" selected');
    const home = await (await fetch(url, { headers: { accept: "text/html" } })).text();
    expect(home).toContain("Moved to ENSv2");
    expect(home).toContain("10 DAI, 2 years");
    await close();
  });

  test("and migrations are in the feed, and a migration is not a transfer", async () => {
    const { body } = await openApi(tables, NOW, { contracts }).get("/ens-stats/recent-activity");
    expect(body.events).toMatchObject([
      {
        type: "renewal",
        name: "reserved.eth",
        years: 2,
        cost_eth: null,
        payment: { ...dai, amount: `1${"0".repeat(19)}` },
      },
      { type: "registration", name: "free.eth", years: 1, payment: { ...usdc, amount: "7000000" } },
      { type: "migration", name: "moved.eth", owner_address: getAddress(alice), block_number: 10 },
    ]);
  });
});
