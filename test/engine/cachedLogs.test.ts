import { afterAll, beforeAll, expect, test } from "vitest";
import { listCachedFilters } from "../../engine/cachedLogs.ts";
import { ask, createTestDatabase } from "../support/database.ts";
import { openPonderCache } from "./ponderCache.ts";

// Ponder's own store writes the rows read here, so that its names of filters are the real ones.

const CHAIN_ID = 8_453;
const REGISTRY = "0xB94704422c2a1e396835A571837Aa5AE53285a95".toLowerCase();
const OLD_REGISTRY = `0x${"0d".repeat(20)}`;
const topic = (byte: string) => `0x${byte.repeat(32)}`;
const contract = (byte: string) => `0x${byte.repeat(20)}`;

const factoryOf = (address: string | string[]) => ({
  id: "id",
  sourceId: "FoundResolver",
  type: "log",
  chainId: CHAIN_ID,
  address,
  eventSelector: topic("01"),
  childAddressLocation: "offset0",
  fromBlock: 100,
});

const filterOf = (address: unknown, topic0 = topic("02")) => ({
  type: "log",
  chainId: CHAIN_ID,
  sourceId: "source",
  address,
  topic0,
  topic1: null,
  topic2: null,
  topic3: null,
  fromBlock: 100,
  toBlock: undefined,
  hasTransactionReceipt: false,
  include: [],
});

type Database = Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  await writeCache();
});
afterAll(() => database?.drop());

async function writeCache(): Promise<void> {
  const { store, close } = await openPonderCache(database.url);
  const factory = factoryOf([REGISTRY, OLD_REGISTRY]);
  const found = new Map([
    [contract("aa"), 120],
    [contract("bb"), 150],
  ]);
  await store.insertChildAddresses({ factory, childAddresses: found, chainId: CHAIN_ID });
  await store.insertChildAddresses({
    factory,
    childAddresses: new Map([[contract("aa"), 110]]),
    chainId: CHAIN_ID,
  });
  const interval = [100, 200];
  await store.insertIntervals({
    intervals: [filterOf(REGISTRY, topic("01")), filterOf(undefined, topic("03")), filterOf(factory)].map(
      (filter) => ({ filter, interval }),
    ),
    factoryIntervals: [{ factory, interval }],
    chainId: CHAIN_ID,
  });
  await close();
}

test("filters are for a contract, any contract, or those revealed by logs, each from its first log on", async () => {
  const query = <Row extends Record<string, unknown>>(text: string) => ask<Row>(database.url, text);
  const filters = await listCachedFilters(query, CHAIN_ID);
  const of = (byte: string) => filters.filter(({ topics }) => topics[0] === topic(byte));
  expect(of("01").map(({ contracts }) => contracts)).toEqual([new Map([[REGISTRY, 0]])]);
  expect(of("03").map(({ contracts }) => contracts)).toEqual([null]);
  const found = new Map([
    [contract("aa"), 110],
    [contract("bb"), 150],
  ]);
  expect(of("02").map(({ contracts }) => contracts)).toEqual([found, found]); // one for each emitter
  expect(new Set(filters.map(({ ranges }) => JSON.stringify(ranges)))).toEqual(new Set(["[[100,200]]"]));
  expect(filters).toHaveLength(4);
  expect(await listCachedFilters(query, 1)).toEqual([]);
});
