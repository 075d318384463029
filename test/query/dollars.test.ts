import { ensv2Purchase, event, feedAnswer } from "ponder:schema";
import { getAddress, type Hex, namehash, pad } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { advanceDays, MAX_REFERRERS } from "../../src/api/names/counts/dayCounts.ts";
import { oneChain } from "../../src/api/names/query/scope.ts";
import { doRound } from "../../src/api/upkeep/upkeep.ts";
import { numbers } from "../support/numbers.ts";
import { openApi, type TestApi } from "./api.ts";
import { purchaseRow, USDC, contracts as withEnsv2 } from "./ensv2.ts";
import { BASE, contracts } from "./layer2.ts";
import { account, CHAIN_ID, DAY, type EventRow, eventRow } from "./rows.ts";
import { createTables, type Tables } from "./tables.ts";

/*
 * Dollar amounts of random sales on two chains with a moving price feed, compared with those
 * computed from the logs one by one.
 */

const START = Date.UTC(2026, 0, 1) / 1_000;
const DAYS = 60;
const NOW = START + DAYS * DAY;
/** Blocks an hour apart, so that several sales and answers share one. */
const BLOCKS = DAYS * 24;

const next = numbers(7);

type Answer = { blockNumber: number; logIndex: number; blockTimestamp: number | null; answer: bigint | null };

const timeOf = (block: number) => START + block * 3_600;

/**
 * Nothing happens in the first days. Phases start at the beginning of blocks, and for two days no
 * answer is known.
 */
const answers: Answer[] = Array.from({ length: 900 }, (_, i): Answer => {
  const blockNumber = 70 + i + next(3) * 100;
  const isTakeover = i % 100 === 50;
  const isUnknown = blockNumber > 700 && blockNumber < 748;
  return {
    blockNumber,
    logIndex: isTakeover ? -1 : next(30),
    blockTimestamp: isTakeover ? null : timeOf(blockNumber),
    answer: isUnknown ? null : BigInt(150_000_000_000 + next(90_000_000_000)),
  };
}).filter(
  (one, at, all) =>
    all.findIndex(
      ({ blockNumber, logIndex }) => blockNumber === one.blockNumber && logIndex === one.logIndex,
    ) === at,
);

const ZERO = pad("0x", { size: 32 });
const referrers: Hex[] = [
  pad(account(0xaff), { size: 32 }),
  pad(account(0xafe), { size: 32 }),
  `0x${"ab".repeat(32)}`,
];

type Sale = {
  chainId: number;
  block: number;
  /** From the controller's log. */
  log: number;
  isRegistration: boolean;
  cost: bigint;
  premium: bigint;
  referrer: Hex | null;
  rows: EventRow[];
};

const ether = 10n ** 18n;

/** Sales through the third referrer fall on days whose answers are all known. */
const LATE = 900;

/**
 * A sale logged by registrar and controller. Renewals with a referrer have a third log that
 * repeats the cost.
 */
function saleAt(i: number, chainId: number): Sale {
  const block = next(BLOCKS);
  const log = 1 + next(25);
  const isRegistration = next(2) === 0;
  const cost = next(5) === 0 ? 0n : (ether * BigInt(1 + next(1_000_000))) / 987_654n;
  const premium = isRegistration && next(3) === 0 ? cost / 3n : 0n;
  const named = chainId === CHAIN_ID && next(2) === 0 ? (referrers[next(block < LATE ? 2 : 3)] as Hex) : null;
  const isReferred = named !== null && !isRegistration && next(2) === 0;
  const eventType = isRegistration ? "NameRegistered" : "NameRenewed";
  const shared = { chainId, node: namehash(`n${i}.eth`), blockTimestamp: timeOf(block), eventType };
  // The log index distinguishes sales in one block.
  const at = (offset: number) => ({ block, log: log + offset, tx: i + 1 });
  const rows = [
    eventRow(at(-1), { ...shared, contract: "REGISTRAR", expiryTimestamp: BigInt(2_000_000_000 + i) }),
    eventRow(at(0), {
      ...shared,
      contract: "CONTROLLER",
      contractAddress: account(0xe3 + next(2)),
      costWei: cost,
      premiumWei: isRegistration ? premium : null,
      referrer: isReferred ? ZERO : named,
    }),
    ...(isReferred
      ? [
          eventRow(at(1), {
            ...shared,
            eventType: "RenewalReferred",
            contract: "RENEWAL_REFERRER",
            costWei: cost,
            referrer: named,
          }),
        ]
      : []),
  ];
  return { chainId, block, log, isRegistration, cost, premium, referrer: named, rows };
}

/** Sales, no two of which have a log at the same place. */
const sales: Sale[] = [];
const places = new Set<string>();
for (let i = 0; sales.length < 800; i++) {
  const sale = saleAt(i, i % 4 === 0 ? BASE : CHAIN_ID);
  const own = sale.rows.map(({ chainId, blockNumber, logIndex }) => `${chainId} ${blockNumber} ${logIndex}`);
  if (own.some((place) => places.has(place))) continue;
  for (const place of own) places.add(place);
  sales.push(sale);
}

/**
 * The answer at a sale: on the feed's chain the last one before the controller's log, elsewhere
 * the last by time.
 */
function answerOf({ chainId, block, log }: Sale): bigint | null {
  const before = answers
    .filter((one) =>
      chainId === CHAIN_ID
        ? one.blockNumber < block || (one.blockNumber === block && one.logIndex < log)
        : one.blockTimestamp !== null && one.blockTimestamp <= timeOf(block),
    )
    .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  return before.at(-1)?.answer ?? null;
}

/** Dollar amount of some sales, to the cent, or null if an answer is unknown. */
function usdOf(of: readonly Sale[], amountOf: (sale: Sale) => bigint): string | null {
  let sum = 0n;
  for (const sale of of) {
    const [amount, answer] = [amountOf(sale), answerOf(sale)];
    if (amount > 0n && answer === null) return null;
    sum += amount * (answer ?? 0n);
  }
  const cents = (sum + 5n * 10n ** 23n) / 10n ** 24n;
  return `${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`;
}

function soldOf(of: readonly Sale[]) {
  const registrations = of.filter(({ isRegistration }) => isRegistration);
  const renewals = of.filter(({ isRegistration }) => !isRegistration);
  const sum = (sold: readonly Sale[], amountOf: (sale: Sale) => bigint) =>
    String(sold.reduce((total, sale) => total + amountOf(sale), 0n));
  return {
    registrations: registrations.length,
    renewals: renewals.length,
    registration_cost_wei: sum(registrations, ({ cost }) => cost),
    premium_wei: sum(registrations, ({ premium }) => premium),
    renewal_cost_wei: sum(renewals, ({ cost }) => cost),
    registration_cost_usd: usdOf(registrations, ({ cost }) => cost),
    premium_usd: usdOf(registrations, ({ premium }) => premium),
    renewal_cost_usd: usdOf(renewals, ({ cost }) => cost),
  };
}

const weiIn = (of: readonly Sale[]) => of.reduce((sum, { cost }) => sum + cost, 0n);

const dayOf = ({ block }: Sale) => new Date(timeOf(block) * 1_000).toISOString().slice(0, 10);
const onMain = sales.filter(({ chainId }) => chainId === CHAIN_ID);

let tables: Tables;
beforeAll(async () => {
  tables = await createTables();
  await tables.writer.insert(event).values(sales.flatMap(({ rows }) => rows));
  await tables.writer.insert(feedAnswer).values(answers.map((one) => ({ chainId: CHAIN_ID, ...one })));
});
afterAll(() => tables?.drop());

const ask: TestApi["ask"] = (path) => openApi({ ...tables }, NOW, { contracts }).ask(path);

const count = async (id: number, finalTime: number) => {
  const client = await tables.pool.connect();
  await advanceDays({ client, schema: "public" }, oneChain(id, contracts), finalTime);
  client.release();
};

/**
 * From the rows, then with more and more days counted. Each step starts with an API that has no
 * cache.
 */
describe.each([null, START + 31 * DAY, NOW - 2 * DAY])("counted until %s", (finalTime) => {
  beforeAll(async () => {
    if (finalTime === null) return;
    for (const id of [CHAIN_ID, BASE]) await count(id, finalTime);
    const { rows } = await tables.pool.query("select from figures_referrers");
    expect(rows.length).toBeGreaterThan(0);
    tables = { ...tables, db: Object.create(tables.db) as Tables["db"] };
  });

  test.each(["devnet", "base", "devnet,base"])("days of %s have the dollars of each sale", async (chain) => {
    const ids: number[] = chain.split(",").map((one) => (one === "base" ? BASE : CHAIN_ID));
    const wanted = Map.groupBy(
      sales.filter(({ chainId }) => ids.includes(chainId)),
      dayOf,
    );
    const { periods } = (await ask(`/ens-stats/purchases?chain=${chain}`)) as {
      periods: { start: string }[];
    };
    expect(periods.length).toBeGreaterThan(50);
    for (const period of periods)
      expect(period).toEqual({ start: period.start, ...soldOf(wanted.get(period.start) ?? []) });
    const { periods: known } = (await ask("/ens-stats/purchases?interval=month")) as {
      periods: { registration_cost_usd: string | null }[];
    };
    expect(known.map((one) => one.registration_cost_usd !== null)).toEqual([false, false, true]);
  });

  test("referrers have the sales that name them, and renewals with a referrer once", async () => {
    const { referrers: found } = (await ask("/ens-stats/referrers")) as { referrers: { referrer: Hex }[] };
    const wanted = referrers
      .map((referrer) => ({ referrer, sold: onMain.filter((sale) => sale.referrer === referrer) }))
      .sort((a, b) => b.sold.length - a.sold.length || Number(weiIn(b.sold) - weiIn(a.sold)));
    expect(found).toEqual(
      wanted.map(({ referrer, sold }) => ({
        referrer,
        ...(referrer.startsWith("0x00") && {
          address: getAddress(`0x${referrer.slice(-40)}`),
          primary_name: null,
        }),
        ...soldOf(sold),
      })),
    );
    expect(wanted.map(({ sold }) => soldOf(sold).renewal_cost_usd === null).sort()).toEqual([
      false,
      true,
      true,
    ]);
  });
});

test("a history has the dollars of each purchase", async () => {
  const { get } = openApi(tables, NOW, { contracts });
  for (const sale of onMain.slice(0, 40)) {
    const { body } = await get(`/domain/[namehash:${sale.rows[0]?.node?.slice(2)}]/registration-history`);
    const [shown] = [body.registrations, body.renewals].flat();
    const { cost_wei, cost_usd } = shown as Record<"cost_wei" | "cost_usd", string>;
    expect({ cost_wei, cost_usd }).toEqual({
      cost_wei: String(sale.cost),
      cost_usd: answerOf(sale) === null ? undefined : usdOf([sale], ({ cost }) => cost),
    });
  }
});

test("largest registrations and latest activity have the dollars of each purchase", async () => {
  const { get } = openApi(tables, NOW, { contracts });
  type Shown = { name: string; transaction_hash: Hex; cost_usd?: string };
  const largest = (await get("/ens-stats/largest-registrations?days=365")).body.registrations as Shown[];
  const activity = (await get("/ens-stats/recent-activity")).body.events as Shown[];
  expect(largest).toHaveLength(100);
  expect(activity.length).toBeGreaterThan(10);
  const byTransaction = new Map(sales.map((sale) => [sale.rows[0]?.transactionHash, sale]));
  const [wanted, found] = [new Map<Hex, string | undefined>(), new Map<Hex, string | undefined>()];
  for (const { transaction_hash: hash, cost_usd } of [...largest, ...activity]) {
    const sale = byTransaction.get(hash);
    if (sale === undefined) throw new Error(`no sale has the transaction ${hash}`);
    found.set(hash, cost_usd);
    wanted.set(hash, answerOf(sale) === null ? undefined : (usdOf([sale], ({ cost }) => cost) ?? undefined));
  }
  expect(found).toEqual(wanted);
  expect(new Set(wanted.values()).size).toBeGreaterThan(50);
});

test("a layer 2's days are counted once the main chain's answers are also final", async () => {
  await tables.pool.query("drop table figures_days_state");
  const feedTime = START + 20 * DAY + 7;
  const isDone = await doRound(
    {
      databaseUrl: tables.databaseUrl,
      schema: "public",
      chains: [oneChain(CHAIN_ID, contracts), oneChain(BASE, contracts)],
      chores: async () => {},
      isReady: async () => true,
      now: async () => NOW,
      finalTime: async (id) => (id === CHAIN_ID ? feedTime : NOW),
      log: () => {},
    },
    1,
  );
  expect(isDone).toBe(true);
  const { rows } = await tables.pool.query("select chain_id, until::int from figures_days_state order by 1");
  const until = START + 20 * DAY;
  expect(rows).toEqual([
    { chain_id: BASE, until },
    { chain_id: CHAIN_ID, until },
  ]);
});

test("the analysts' view has the same sums", async () => {
  const { rows } = await tables.pool.query<{
    start: string;
    is_registration: boolean;
    usd: string | null;
    premium: string | null;
    wei: string;
  }>(`
    select to_char(to_timestamp(block_timestamp) at time zone 'UTC', 'YYYY-MM-DD') as start, is_registration,
      sum(cost_wei)::text as wei,
      case when bool_and(cost_usd is not null or coalesce(cost_wei, 0) = 0)
        then round(coalesce(sum(cost_usd), 0), 2)::text end as usd
    from controller_sales where chain_id = ${CHAIN_ID} group by 1, 2`);
  const days = Map.groupBy(onMain, dayOf);
  expect(rows.length).toBeGreaterThan(100);
  for (const { start, is_registration, wei, usd } of rows) {
    const sold = soldOf(days.get(start) ?? []);
    expect({ start, wei, usd }).toEqual({
      start,
      wei: is_registration ? sold.registration_cost_wei : sold.renewal_cost_wei,
      usd: is_registration ? sold.registration_cost_usd : sold.renewal_cost_usd,
    });
  }
  const { rows: byReferrer } = await tables.pool.query<{ referrer: Hex; sales: number }>(
    "select referrer, count(*)::int as sales from controller_sales where referrer is not null group by 1",
  );
  for (const { referrer, sales: number } of byReferrer)
    expect(number).toBe(onMain.filter((sale) => sale.referrer === referrer).length);
  expect(byReferrer).toHaveLength(3);
});

test("the answer at a sale is found through an index, among as many answers as the feed has", async () => {
  const many = await createTables({
    fill: async (pool) => {
      await pool.query(`insert into price_feed_answers (chain_id, block_number, log_index, block_timestamp, answer)
        select ${CHAIN_ID}, i * 200, 3, ${START} + i * 2400, 200000000000 + i from generate_series(1, 60000) as i`);
    },
  });
  try {
    await many.pool.query("analyze price_feed_answers");
    await many.writer.insert(event).values(sales.flatMap(({ rows }) => rows));
    const { rows } = await many.pool.query<Record<"QUERY PLAN", string>>(
      "explain select sum(cost_usd) from controller_sales",
    );
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toContain("Backward using price_feed_answers_chain_id_block_number_log_index_pk");
    expect(plan).toContain("Backward using price_feed_answers_time");
    expect(plan).not.toMatch(/Sort|Seq Scan on price_feed_answers feed/);
  } finally {
    await many.drop();
  }
});

describe("referrers chosen by strangers", () => {
  let many: Tables;
  beforeAll(async () => {
    many = await createTables();
    // Each referrer once, and two more often: one of them in ENSv2, where another registrar's log
    // has no referrer.
    const rows = Array.from({ length: 3 * MAX_REFERRERS }, (_, i) =>
      eventRow(
        { block: i + 1 },
        {
          contract: "CONTROLLER",
          eventType: "NameRegistered",
          node: namehash(`m${i}.eth`),
          costWei: BigInt(i),
          referrer: i % 100 === 7 ? `0x${"cd".repeat(32)}` : `0x11${String(i).padStart(62, "0")}`,
        },
      ),
    );
    await many.writer.insert(event).values(rows);
    const ofEnsv2 = (block: number, referrer: Hex, eventType: string) =>
      purchaseRow({ block }, { node: namehash(`v${block}.eth`), referrer, eventType });
    await many.writer
      .insert(ensv2Purchase)
      .values([
        ...[2_001, 2_002, 2_003, 2_004].map((block) =>
          ofEnsv2(block, `0x${"ef".repeat(32)}`, "NameRegistered"),
        ),
        ofEnsv2(2_005, `0x${"cd".repeat(32)}`, "NameRenewed"),
        ofEnsv2(2_006, ZERO, "NameRenewed"),
      ]);
  });
  afterAll(() => many?.drop());

  test("are limited to those with most sales, including sales paid in tokens", async () => {
    const { body } = await openApi(many, NOW, { contracts: withEnsv2 }).get("/ens-stats/referrers");
    const found = body.referrers as {
      referrer: Hex;
      registrations: number;
      renewals: number;
      payments: object[];
    }[];
    expect(found).toHaveLength(MAX_REFERRERS);
    expect(found.slice(0, 3)).toMatchObject([
      {
        referrer: `0x${"cd".repeat(32)}`,
        registrations: 3,
        renewals: 1,
        registration_cost_wei: "321",
        registration_cost_usd: null,
        renewal_cost_usd: "0.00",
        payments: [{ token: getAddress(USDC), registration_amount: "0", renewal_amount: "5000000" }],
      },
      {
        referrer: `0x${"ef".repeat(32)}`,
        registrations: 4,
        renewals: 0,
        registration_cost_usd: "0.00",
        payments: [{ token: getAddress(USDC), registration_amount: "20000000", renewal_amount: "0" }],
      },
      { referrer: `0x11${"299".padStart(62, "0")}`, registrations: 1 },
    ]);
  });
});
