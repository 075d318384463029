import { namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { useApi } from "./api.ts";
import { fillWithMany } from "./manyRows.ts";
import { account, CHAIN_ID, NOW } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

/*
 * Every list of events with every filter in both directions: the result is the matching part of
 * the whole list, wherever a page begins.
 */

const BLOCKS = 120;
const TIME = 1_600_000_000;
const owner = account(0xab1e);
const CONTRACT = `0x${"e".repeat(40)}`;

type Item = { event_type: string; block_number: number; block_timestamp: number; log_index: number };

const lists = [
  "/domain/name11.eth/events?",
  `/address/${owner}/events?`,
  `/contract/${CONTRACT}/events?`,
  "/events?",
];

/** Filters, with the condition on an item. */
const filters: Record<string, (item: Item) => boolean> = {
  "type=registration": ({ event_type }) => event_type === "NameRegistered",
  "type=registration,renewal": ({ event_type }) => event_type === "NameRegistered",
  "type=renewal": () => false,
  [`time_from=${TIME + 50}`]: ({ block_timestamp }) => block_timestamp >= TIME + 50,
  [`time_to=${TIME + 50}`]: ({ block_timestamp }) => block_timestamp <= TIME + 50,
  [`time_from=${TIME + 30}&time_to=${TIME + 90}&type=registration`]: (item) =>
    item.block_timestamp >= TIME + 30 &&
    item.block_timestamp <= TIME + 90 &&
    item.event_type === "NameRegistered",
  "chain=devnet": () => true,
  "chain=devnet&block_from=60": ({ block_number }) => block_number >= 60,
  "chain=devnet&block_to=60": ({ block_number }) => block_number <= 60,
  "chain=devnet&block_from=60&block_to=60": ({ block_number }) => block_number === 60,
};

const tables = useTables();
const api = useApi(tables, NOW);
beforeAll(async () => {
  await fillWithMany(BLOCKS)(tables.pool);
  await tables.pool.query("update events set owner_address = $1 where block_number % 2 = 0", [owner]);
  await tables.pool.query("update events set node = $1 where block_number % 3 = 0", [namehash("name11.eth")]);
  await tables.pool.query("update domains set node = $1 where full_name = 'name11.eth'", [
    namehash("name11.eth"),
  ]);
  await setProgress(tables, { chainId: CHAIN_ID, block: BLOCKS, time: NOW });
});

const placeOf = ({ block_number, log_index }: Item) => [block_number, log_index];

describe.each(lists)("%s", (list) => {
  test.each(["asc", "desc"])("%s", async (direction) => {
    const whole = await api.walk<Item>(`${list}&sort_dir=${direction}`, 200, "events");
    expect(whole.length).toBeGreaterThan(50);
    const places = whole.map(placeOf);
    const sorted = places.toSorted(
      ([block = 0, log = 0], [otherBlock = 0, otherLog = 0]) => block - otherBlock || log - otherLog,
    );
    expect(places).toEqual(direction === "asc" ? sorted : sorted.toReversed());
    for (const [i, [filter, isMet]] of Object.entries(filters).entries()) {
      const found = await api.walk(`${list}&sort_dir=${direction}&${filter}`, 7 + 5 * i, "events");
      expect(found, filter).toEqual(whole.filter(isMet));
    }
  });
});
