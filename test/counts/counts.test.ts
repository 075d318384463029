// Also runs as: long
import type pg from "pg";
import { keccak256, toHex } from "viem";
import { beforeAll, expect, test } from "vitest";
import { advanceCounters, createCounters, hasCounters } from "../../src/api/names/counts/maintain.ts";
import { totals } from "../../src/api/names/counts/totals.ts";
import { noEnsv2, type Scope } from "../../src/api/names/query/scope.ts";
import { managedNames } from "../../src/ens/managedNames.ts";
import { ADDR_REVERSE_NODE, ETH_NODE, ROOT_NODE } from "../../src/ens/name.ts";
import { account, CHAIN_ID, MAIN, WRAPPER } from "../query/rows.ts";
import { useTables } from "../query/tables.ts";
import { numbers } from "../support/numbers.ts";
import { isLong } from "../support/size.ts";
import { createCountersSoon, expectExactCounters, write } from "./exactCounters.ts";

const START = 1_800_000_000;
const DAY = 86_400;

const tables = useTables();

beforeAll(async () => {
  await tables.pool.query(topSql);
});

const common =
  "chain_id, is_label_known, is_name_known, is_migrated, created_block_number, created_timestamp";
const topSql = `insert into domains (${common}, node, parent_node, label, full_name, is_wrapped, effective_owner_address) values
  (${CHAIN_ID}, true, true, true, 1, 1, '${ROOT_NODE}', null, '', '', false, '${account(1)}'),
  (${CHAIN_ID}, true, true, true, 1, 1, '${ETH_NODE}', '${ROOT_NODE}', 'eth', 'eth', false, '${account(1)}'),
  (${CHAIN_ID}, true, true, true, 1, 1, '${keccak256("0x01")}', '${ROOT_NODE}', 'com', 'com', false, '${account(1)}')`;

const nodeOf = (i: number) => keccak256(toHex(i + 1_000));

/** A row of any sort: each state of life, lapsed wrappings, and names without a parent, owner or label. */
function rowOf(i: number, next: (end: number) => number): Record<string, unknown> {
  const managed = managedNames[next(9)];
  const upper = managed?.node ?? ETH_NODE;
  const parent = [upper, upper, upper, keccak256("0x01"), nodeOf(i % 7), ADDR_REVERSE_NODE, null][next(7)];
  const near = [0, 30 * DAY, 90 * DAY, -90 * DAY, -111 * DAY][next(5)] ?? 0;
  const expiry =
    next(5) === 0 ? null : START + near + next(9) - 4 + (next(3) === 0 ? next(400) * DAY - 200 * DAY : 0);
  const isWrapped = next(3) === 0;
  return {
    chain_id: managed?.chainId ?? CHAIN_ID,
    node: nodeOf(i),
    parent_node: parent,
    label: `l${i}`,
    full_name: `l${i}.x`,
    is_label_known: next(4) > 0,
    is_name_known: true,
    is_migrated: true,
    label_length: next(6) === 0 ? null : 1 + next(6),
    resolver: next(4) === 0 ? null : account(30 + next(5)),
    is_wrapped: isWrapped,
    expiry_timestamp: expiry,
    registry_owner: isWrapped ? WRAPPER : account(5),
    wrapper_expiry_timestamp: isWrapped ? (next(2) === 0 ? (expiry ?? 0) : START + next(9) - 4) : null,
    wrapper_fuses: isWrapped ? [0, 65_536, 65_537][next(3)] : null,
    unexplained_renewals: isWrapped && next(3) === 0 ? 1 : null,
    effective_owner_address: next(8) === 0 ? null : account(10 + next(12)),
    created_block_number: 1,
    created_timestamp: 1,
  };
}

const claimOf = (i: number, next: (end: number) => number) => ({
  address: account(10 + (i % 20)),
  coin_type: 60 + Math.floor(i / 20),
  name: next(4) === 0 ? null : `n${next(9)}.eth`,
  is_name_known: next(5) > 0,
  registrar: ["REVERSE_REGISTRAR", "L2_REVERSE_REGISTRAR"][next(2)],
  chain_id: [CHAIN_ID, CHAIN_ID, 10, 8453][next(4)],
  block_number: 1,
  transaction_hash: "0x01",
});

const unique = (indexes: number[]) => [...new Set(indexes)];

async function disturb(next: (end: number) => number): Promise<void> {
  const some = () => unique(Array.from({ length: 1 + next(40) }, () => next(150)));
  await write(
    tables,
    "domains",
    "chain_id, node",
    some().map((i) => rowOf(i, next)),
  );
  await write(
    tables,
    "primary_names",
    "address, coin_type",
    unique(some().map((i) => i % 60)).map((i) => claimOf(i, next)),
  );
  await tables.pool.query("delete from domains where node = any ($1)", [some().slice(0, 5).map(nodeOf)]);
  await tables.pool.query("delete from primary_names where address = $1", [account(10 + next(20))]);
  await tables.pool.query("update domains set resolver = $1 where node = any ($2)", [
    account(next(9)),
    some().map(nodeOf),
  ]);
  await tables.pool.query(
    `insert into events (chain_id, block_number, log_index, ordinal, block_timestamp, transaction_hash, contract, contract_address, event_type)
     select case when i % 3 = 0 then 8453 else 1 end, $1, i, 0, 1, '0x01', 'REGISTRY', '0x01', 'NewOwner' from generate_series(1, $2::int) as i on conflict do nothing`,
    [next(1_000_000), next(5)],
  );
  await tables.pool.query("delete from events where block_number % 7 = $1", [next(7)]);
}

const compare = (now: number, chains: Scope = MAIN) => expectExactCounters(tables.db, { chains, now });

const several = (...ids: number[]): Scope => ({ ids, reach: "several", ensv2: noEnsv2 });
const sets = [
  several(CHAIN_ID, ...managedNames.map(({ chainId }) => chainId)),
  several(8_453),
  several(59_144),
  several(CHAIN_ID, 59_144),
];

async function withClient<T>(
  work: (place: { client: pg.PoolClient; schema: string }) => Promise<T>,
): Promise<T> {
  const client = await tables.pool.connect();
  try {
    return await work({ client, schema: "public" });
  } finally {
    client.release();
  }
}

test("no counts are kept before the first count", async () => {
  expect(await totals.fromCounters(tables.db, { chains: MAIN, now: START })).toBeNull();
  expect(await withClient(hasCounters)).toBe(false);
});

test("the counters match the rows after any writes, at any time", async () => {
  const next = numbers(7);
  for (let i = 0; i < 5; i++) await disturb(next);
  await withClient((place) => createCountersSoon(place, START));
  expect(await withClient(hasCounters)).toBe(true);
  await compare(START);
  for (let round = 0; round < (isLong() ? 25 : 2); round++) {
    await disturb(next);
    const now = START + next(9) - 4 + (round % 5 === 0 ? next(60) * DAY : 0);
    if (round % 3 === 0) await withClient((place) => advanceCounters(place, now));
    await compare(now + next(3) - 1, sets[round % sets.length]);
    await compare(START - 40 * DAY + next(80 * DAY));
  }
});

test("each bound falls on its second, whenever the counters were taken", async () => {
  const bounds = [0, 30 * DAY, 90 * DAY, -90 * DAY, -111 * DAY];
  const parents = [ETH_NODE, ...managedNames.map(({ node }) => node), keccak256("0x01")];
  const rows = parents.flatMap((parent, p) =>
    bounds.flatMap((bound, b) =>
      [-1, 0, 1].flatMap((second) =>
        [null, 65_536, 65_537].map((fuses, f) => ({
          ...rowOf(1_000 + 100 * p + 10 * b + 3 * (second + 1) + f, numbers(1)),
          parent_node: parent,
          expiry_timestamp: START + bound + second,
          is_label_known: true,
          is_wrapped: fuses !== null,
          wrapper_fuses: fuses,
          label_length: 3,
          wrapper_expiry_timestamp: fuses === null ? null : START + bound + second,
          registry_owner: fuses === null ? account(5) : WRAPPER,
          effective_owner_address: account(10 + f),
          chain_id: managedNames.find(({ node }) => node === parent)?.chainId ?? CHAIN_ID,
        })),
      ),
    ),
  );
  await write(tables, "domains", "chain_id, node", rows);
  for (const taken of [-1, 1]) {
    await withClient((place) => advanceCounters(place, START + taken));
    for (const second of [0, -taken]) await compare(START + second, sets[0]);
  }
});

test("a rolled back write rolls back its counts", async () => {
  const before = await totals.fromCounters(tables.db, { chains: MAIN, now: START });
  await withClient(async ({ client }) => {
    await client.query("begin");
    await client.query("delete from domains");
    await client.query("rollback");
  });
  expect(await totals.fromCounters(tables.db, { chains: MAIN, now: START })).toEqual(before);
  expect(before?.total).toBeGreaterThan(20);
});

test("temporary tables of the same names, as in the indexer's sessions, are not mistaken for the tables", async () => {
  await withClient(async ({ client }) => {
    await client.query("begin; create temp table domains as select * from domains with no data");
    await client.query("create temp table events as select * from events with no data");
    await client.query("update public.domains set is_wrapped = false where label_length = 3");
    await client.query("commit; drop table pg_temp.domains; drop table pg_temp.events");
  });
  await compare(START);
});

test("a fault in counting does not stop the writer: the counts become void and are made again", async () => {
  await tables.pool.query("alter table figures_names add constraint fault check (names < 0) not valid");
  const row = rowOf(3, numbers(1));
  await write(tables, "domains", "chain_id, node", [row]);
  const { rows } = await tables.pool.query("select from domains where chain_id = $1 and node = $2", [
    row.chain_id,
    row.node,
  ]);
  expect(rows).toHaveLength(1);
  expect(await totals.fromCounters(tables.db, { chains: MAIN, now: START })).toBeNull();
  expect(await withClient(hasCounters)).toBe(false);
  await withClient((place) => createCountersSoon(place, START));
  await compare(START);
});

test("counts made by other rules are not read, and are made again", async () => {
  for (const change of [
    "update figures_state set rules = 1",
    "alter table figures_state drop column rules",
  ]) {
    await tables.pool.query(change);
    expect(await totals.fromCounters(tables.db, { chains: MAIN, now: START })).toBeNull();
    expect(await withClient(hasCounters)).toBe(false);
    await withClient((place) => createCountersSoon(place, START));
    await compare(START);
  }
});

test("counting waits while the indexer writes", async () => {
  await withClient(async ({ client }) => {
    await client.query("begin; update domains set label_length = 2 where label_length = 1");
    expect(await withClient((place) => createCounters(place, START))).toBe(false);
    await client.query("rollback");
  });
  await compare(START);
});

test("tables created again are not mistaken for the counted ones", async () => {
  await tables.pool.query(
    "alter table domains rename to former; create table domains (like former including all)",
  );
  expect(await totals.fromCounters(tables.db, { chains: MAIN, now: START })).toBeNull();
});
