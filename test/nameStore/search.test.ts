import { setTimeout as sleep } from "node:timers/promises";
import { domain } from "ponder:schema";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createConsistentRead } from "../../src/api/indexState/consistentRead.ts";
import { readTablesState } from "../../src/api/indexState/position.ts";
import { readWithState } from "../../src/api/postgres/seenState.ts";
import { openApi, type TestApi } from "../query/api.ts";
import { account, answerable, CHAIN_ID, type DomainRow, domainRow, registeredRow } from "../query/rows.ts";
import { createTables, setProgress, type Tables } from "../query/tables.ts";
import { isSlow } from "../support/size.ts";
import { noteWritesOf, type Stores, startStores, untilState } from "./stores.ts";

const NOW = 1_800_000_000;
const DAY = 86_400;

/** Names of which 4,000 have the text `cat`, and 60 `catx`, which stand behind all others. */
const rows: DomainRow[] = Array.from({ length: 6_000 }, (_, i) => {
  const label = i < 60 ? `zcatx${i}` : i % 3 === 0 ? `dog${i}` : `${"abcdefg"[i % 7]}cat${i}`;
  const owner = account(1 + (i % 50));
  return i % 11 === 0
    ? domainRow(`${label}.eth`, { effectiveOwnerAddress: owner })
    : registeredRow(`${label}.eth`, owner, BigInt(NOW + ((i * 37) % 400) * DAY - 150 * DAY));
});

let tables: Tables;
let stores: Stores;
let withStore: TestApi;
let without: TestApi;
const counted = { memory: 0, database: 0 };

beforeAll(async () => {
  tables = await createTables();
  for (let i = 0; i < rows.length; i += 1_000)
    await tables.writer.insert(domain).values(answerable(rows.slice(i, i + 1_000)));
  await setProgress(tables, { chainId: CHAIN_ID, block: 1, time: NOW });
  await noteWritesOf(tables);
  stores = startStores(tables, { onSearch: (by) => counted[by]++ });
  await untilState(stores, "ready");
  withStore = openApi(tables, NOW, {
    nameStore: stores.of("a caller"),
    readConsistently: createConsistentRead(tables.db),
  });
  without = openApi(tables, NOW, { readConsistently: createConsistentRead(tables.db) });
});

afterAll(async () => {
  await stores?.stop();
  await tables?.drop();
});

const orders = ["full_name", "label", "expiry_timestamp", "effective_owner_address"].flatMap((by) =>
  ["asc", "desc"].map((dir) => `sort_by=${by}&sort_dir=${dir}`),
);

const searches = [
  ...["q=cat", "q=CAT", "q=catx", "q=cat&availability_status=registered,grace", "q=t9", "q=nothing"],
].map((search, turn) => [search, turn] as const);

test.each(searches)("pages and totals are those of PostgreSQL: %s", async (search, turn) => {
  // A fourth of the orders in `npm test`, others for the next search.
  for (const order of orders.filter((_, i) => isSlow() || (i + turn) % 4 === 0)) {
    let next = "&page_size=40";
    for (let page = 0; page < 3 && next !== ""; page++) {
      const path = `/search-domains?${search}&${order}${next}`;
      const { status, body } = await withStore.get(path);
      expect(status, JSON.stringify(body)).toBe(200);
      expect(body).toEqual((await without.get(path)).body);
      next = body.next_cursor ? `&page_size=40&cursor=${body.next_cursor}` : "";
    }
    const late = `/search-domains?${search}&${order}&page=7&page_size=30`;
    expect((await withStore.get(late)).body).toEqual((await without.get(late)).body);
  }
  expect(counted.memory).toBeGreaterThan(0);
});

test("what the store does not hold is counted by PostgreSQL", async () => {
  const before = { ...counted };
  const { body } = await withStore.get(`/search-domains?registrar_owner=${account(3)}&q=cat`);
  expect(body.total).toBeGreaterThan(0);
  expect(counted).toEqual({ ...before, database: before.database + 1 });
});

test("a text that few names can have is left to PostgreSQL, whatever the machine's clock is set to", async () => {
  const own = startStores(tables, { few: 1_000 });
  const clock = vi.spyOn(Date, "now").mockReturnValue(0);
  try {
    await untilState(own, "ready");
    const { version } = await readTablesState(tables.db);
    const count = (text: string) =>
      own.of("a caller").count(tables.db, version, { filters: { text }, chainIds: [CHAIN_ID], now: NOW });
    expect(await count("CAT")).toMatchObject({ total: 4_020 });
    expect([await count("catx"), await count("og12")]).toEqual([null, null]);
    expect(await count("t")).toMatchObject({ total: 4_020 });
  } finally {
    clock.mockRestore();
    await own.stop();
  }
});

const all = { filters: {}, chainIds: [CHAIN_ID], now: NOW };

test("an answer is checked by the state that memory counted", async () => {
  const { version } = await readTablesState(tables.db);
  const read = await readWithState(() => stores.of("a caller").count(tables.db, version, all));
  expect(read).toEqual({ version, result: expect.objectContaining({ total: rows.length }) });
  const past = await readWithState(() => stores.of("a caller").count(tables.db, "past", all));
  expect(past).toEqual({ version: null, result: null });
});

test("while what was written is locked, the store is not ready; then it is, by itself", async () => {
  const client = await tables.pool.connect();
  const states = new Set<string>();
  await client.query("begin; lock table name_store_touched in access exclusive mode");
  const own = startStores(tables);
  try {
    // Two looks end by the limit of half a second for locks.
    for (const end = Date.now() + 2_500; Date.now() < end; await sleep(20))
      states.add(`${own.state().state} ${own.state().names}`);
    expect([...states].filter((one) => one.startsWith("ready"))).toEqual([]);
    expect(states).toContain("loading 0");
    await client.query("commit");
    await untilState(own, "ready");
    expect(own.state().names).toBe(rows.length);
  } finally {
    client.release(true);
    await own.stop();
  }
});
