import pg from "pg";
import { namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { MAX_NAMES } from "../../src/api/names/query/eventSources.ts";
import { MAX_COUNTED } from "../../src/api/names/query/page.ts";
import { useApi } from "./api.ts";
import { countRead, type Query } from "./readRows.ts";
import { account, CHAIN_ID, NOW, REGISTRAR, STATIC_RESOLVER } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

/*
 * An address with more than 100,000 events, and contracts with as many. A page of them costs as
 * much as a page of few events, with every filter, at the beginning and at the end.
 */
const BLOCKS = 101_000;
const NAMES = 5_000;
/** Rows of `events` that a page of 25 may read: for each event name, as many as its index has. */
const FEW = 1_000;

const heavy = account(0x4ea71);
const receiver = account(0x7ece1);
const rare = account(0x4a4e);
const hash = (seed: string) => `'0x' || md5(${seed}) || md5(${seed} || '.')`;
const nodeOf = (i: string) => hash(`'heavy' || (${i} % ${NAMES})`);
/**
 * In each block the address gets a name in the registry, a listed resolver logs a text of it, and
 * a token moves. A contract with few events, all of one kind, logs in some. The rows are in the order in which an indexer writes them.
 */
const statements = [
  `insert into events (chain_id, block_number, log_index, ordinal, block_timestamp, transaction_hash, contract, contract_address,
     event_type, node, owner_address, key, value, from_address, to_address)
   select ${CHAIN_ID}, i, log, 0, 1600000000 + i, ${hash("'tx' || i")}, contract, address, type, node, owner, key, value, sender, receiver
   from generate_series(1, ${BLOCKS}) as i, lateral (values
     (0, 'REGISTRY', '${account(0xe1)}', 'NewOwner', ${nodeOf("i")}, '${heavy}', null, null, null, null),
     (1, 'RESOLVER', '${STATIC_RESOLVER}', 'TextChanged', ${nodeOf("i")}, null, 'url', i::text, null, null),
     (2, 'REGISTRAR', '${REGISTRAR}', 'Transfer', ${hash("'other' || i")}, null, null, null, '${account(0xf00)}',
      case when i % 50000 = 7 then '${receiver}' else '0x' || lpad(to_hex(i + 4096), 40, '0') end),
     (3, 'REGISTRY', '${rare}', 'NewOwner', ${nodeOf("i")}, '${account(0xf01)}', null, null, null, null)
   ) as made (log, contract, address, type, node, owner, key, value, sender, receiver)
   where log < 3 or i % 1000 = 0`,
  `insert into domains (chain_id, node, parent_node, labelhash, label, is_label_known, full_name, is_name_known,
     is_migrated, is_wrapped, created_block_number, created_timestamp)
   select ${CHAIN_ID}, ${nodeOf("i")}, '${namehash("eth")}', ${hash("'label' || i")}, 'heavy' || i, true,
     'heavy' || i || '.eth', true, true, false, i, i from generate_series(0, ${NAMES - 1}) as i`,
  `insert into holders (address, chain_id, node, last_owned_block_number, last_owned_block_timestamp)
   select '${heavy}', ${CHAIN_ID}, ${nodeOf("i")}, ${BLOCKS} - ${NAMES} + i, i from generate_series(1, ${NAMES}) as i`,
];

const fill = async (pool: pg.Pool) => {
  for (const statement of statements) await pool.query(statement);
};

type Answer = {
  events: Record<string, unknown>[];
  total?: number;
  is_total_minimum?: true;
  is_incomplete?: true;
  next_cursor: string | null;
};

let queries: Query[] = [];
const tables = useTables({ fill, onQuery: (sql, parameters) => void queries.push({ sql, parameters }) });
const api = useApi(tables, NOW);

beforeAll(async () => {
  await setProgress(tables, { chainId: CHAIN_ID, block: BLOCKS, time: NOW });
  await tables.pool.query("vacuum analyze");
});

async function read(path: string): Promise<Answer> {
  queries = [];
  const { status, body } = await api.get(path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Answer;
}

/** Rows of `events` that the last answer read. */
async function rowsRead(): Promise<number> {
  const counts: number[] = [];
  for (const query of queries.filter(({ sql }) => sql.startsWith("select")))
    counts.push(await countRead(tables.pool, query, "events"));
  return counts.reduce((sum, one) => sum + one, 0);
}

const lists = [
  `/address/${heavy}/events?relation=party`,
  `/address/${account(0xf00)}/events?relation=party`,
  `/contract/${STATIC_RESOLVER}/events?`,
  `/contract/${REGISTRAR}/events?`,
  "/events?",
];
const filters = [
  "",
  "type=authority",
  "type=transfer",
  "type=record,renewal",
  "type=primary_name",
  "sort_dir=asc",
  "time_to=1600000100",
  "time_from=1600050000&time_to=1600050100",
  "chain=devnet&block_from=50000",
  "chain=devnet&block_to=300&sort_dir=asc",
  "chain=devnet&block_from=50000&block_to=50100&type=registration",
];

describe.each(lists)("%s", (list) => {
  test.each(filters)("a page reads few rows: %s", async (filter) => {
    await read(`${list}&total=false&${filter}`);
    expect(await rowsRead()).toBeLessThan(FEW);
  });

  test("a page from the middle reads as few rows, and continues where the previous one ended", async () => {
    const middle = await read(`${list}&total=false&time_to=1600050000&page_size=200`);
    const next = await read(
      `${list}&total=false&time_to=1600050000&page_size=200&cursor=${middle.next_cursor}`,
    );
    expect(await rowsRead()).toBeLessThan(8 * FEW);
    const times = [...middle.events, ...next.events].map((one) => Number(one.block_timestamp));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(new Set([...middle.events, ...next.events].map(({ id }) => id)).size).toBe(400);
  });
});

test.each(filters)("so does a page of a contract that rarely logs, and only one kind: %s", async (filter) => {
  await read(`/contract/${rare}/events?total=false&${filter}`);
  expect(await rowsRead()).toBeLessThan(FEW);
});

test("the kept plan reads as few rows for the heaviest address", async () => {
  await read(`/address/${heavy}/events?relation=party&total=false`);
  const [{ sql, parameters }] = queries.filter((one) => one.sql.includes("logged")) as [Query];
  const client = await tables.pool.connect();
  try {
    await client.query("set plan_cache_mode = force_generic_plan");
    await client.query({ name: "kept", text: sql, values: parameters });
    const values = parameters.map((one) => pg.escapeLiteral(String(one))).join(", ");
    const asked = { sql: `execute kept(${values})`, parameters: [] };
    expect(await countRead(client, asked, "events")).toBeLessThan(FEW);
  } finally {
    client.release(true);
  }
});

test("beyond the counting limit, the number of events is given as a minimum", async () => {
  for (const list of lists) {
    const { total, is_total_minimum } = await read(`${list}&page_size=1`);
    expect([total, is_total_minimum], list).toEqual([MAX_COUNTED, true]);
  }
});

test("fewer events are counted exactly, wherever they are", async () => {
  const rare = await read(`/address/${receiver}/events`);
  expect(rare).toMatchObject({
    total: 3,
    events: [{ block_number: 100_007 }, { block_number: 50_007 }, { block_number: 7 }],
  });
  const within = await read("/events?chain=devnet&block_from=11&block_to=20&page_size=3");
  expect(within).toMatchObject({ total: 30, events: [{ block_number: 20 }, {}, {}] });
  const typed = await read(
    `/contract/${STATIC_RESOLVER}/events?type=record&time_from=1600000001&time_to=1600000100`,
  );
  expect(typed.total).toBe(100);
});

test("with many names, the list has the newest, and the answer says so", async () => {
  const { events, total, is_incomplete } = await read(`/address/${heavy}/events?relation=name&page_size=200`);
  expect(is_incomplete).toBe(true);
  expect(total).toBeLessThanOrEqual(MAX_COUNTED);
  const { rows } = await tables.pool.query<{ block_number: number; log_index: number }>(
    `select block_number, log_index from events where node in (
       select node from holders where address = $1 order by last_owned_block_number desc, node desc limit $2)
     order by block_timestamp desc, block_number desc, log_index desc limit 200`,
    [heavy, MAX_NAMES],
  );
  expect(events.map(({ block_number, log_index }) => ({ block_number, log_index }))).toEqual(rows);
});

test("the names in events are those of their nodes", async () => {
  const { events } = await read(`/contract/${STATIC_RESOLVER}/events?page_size=1&sort_dir=asc`);
  expect(events).toMatchObject([
    { domain: "heavy1.eth", type: "record", key: "url", value: "1", log_index: 1 },
  ]);
});
