// Also runs as: long
import { keccak256, toHex } from "viem";
import { expect, test } from "vitest";
import {
  advanceCounters,
  type CountsTarget,
  hasCounters,
  hasCountersOfItsDeployment,
} from "../../src/api/names/counts/maintain.ts";
import { phaseCounts } from "../../src/api/names/counts/populationCounts.ts";
import { totals } from "../../src/api/names/counts/totals.ts";
import type { Scope } from "../../src/api/names/query/scope.ts";
import type { SearchFilters } from "../../src/api/names/query/search.ts";
import { ADDR_REVERSE_NODE, ETH_NODE, ROOT_NODE } from "../../src/ens/name.ts";
import {
  contracts,
  ETH_REGISTRY,
  GRACE,
  GRAVEYARD,
  MAIN,
  MIGRATOR,
  PREMIUM,
  RETIRED_EXPIRY,
  storageIdOf,
} from "../query/ensv2.ts";
import { account, CHAIN_ID, MAIN as WITHOUT_ENSV2, WRAPPER } from "../query/rows.ts";
import { useTables } from "../query/tables.ts";
import { numbers } from "../support/numbers.ts";
import { isLong } from "../support/size.ts";
import { createCountersSoon, expectExactCounters, write } from "./exactCounters.ts";

const START = 1_800_000_000;
const DAY = 86_400;
const NAMES = 160;
const USER_REGISTRY = account(0xaa);
const searches: SearchFilters[] = [
  { protocol: "ensv1" },
  { protocol: "ensv2" },
  ...(["registered", "grace", "premium", "available"] as const).map(
    (status): SearchFilters => ({
      protocol: "ensv2",
      availability: [status],
    }),
  ),
];

const tables = useTables();

const nodeOf = (i: number) => keccak256(toHex(i + 1_000));
const labelhashOf = (i: number) => keccak256(toHex(i + 9_000));

/** A row of any sort: of both systems, with expiries around each bound, retired ones among them. */
function rowOf(i: number, next: (end: number) => number): Record<string, unknown> {
  const isEth = next(4) > 0;
  const parent = isEth ? ETH_NODE : [nodeOf(i % 7), ADDR_REVERSE_NODE, null][next(3)];
  const registry = next(2) === 0 ? null : isEth ? ETH_REGISTRY : USER_REGISTRY;
  const near = [0, 30 * DAY, 90 * DAY, -GRACE, -GRACE - PREMIUM, -90 * DAY, -111 * DAY][next(7)] ?? 0;
  const isRetired = next(8) === 0;
  const expiry = START + near + next(9) - 4 + (next(3) === 0 ? next(200) * DAY - 100 * DAY : 0);
  const isWrapped = registry === null && next(4) === 0;
  return {
    chain_id: CHAIN_ID,
    node: nodeOf(i),
    parent_node: parent,
    labelhash: labelhashOf(i),
    label: `l${i}`,
    full_name: `l${i}.x`,
    is_label_known: true,
    is_name_known: true,
    is_migrated: true,
    label_length: 1 + next(6),
    resolver: next(3) === 0 ? null : account(30 + next(3)),
    registry,
    is_wrapped: isWrapped,
    registry_owner: isWrapped ? WRAPPER : account(5),
    wrapper_expiry_timestamp: isWrapped ? expiry : null,
    wrapper_fuses: isWrapped ? 65_536 : null,
    expiry_timestamp: isRetired ? RETIRED_EXPIRY.toString() : next(6) === 0 ? null : expiry,
    effective_owner_address: isRetired
      ? [GRAVEYARD, MIGRATOR][next(2)]
      : next(8) === 0
        ? null
        : account(10 + next(12)),
    path_expiry_timestamp: registry !== null && next(2) === 0 ? pathEndOf(next) : null,
    created_block_number: 1,
    created_timestamp: 1,
  };
}

/** The end of the way to a name, around each bound. */
const pathEndOf = (next: (end: number) => number): number =>
  START + ([0, 30 * DAY, 90 * DAY, -90 * DAY, 200 * DAY][next(5)] ?? 0) + next(9) - 4;

async function disturb(next: (end: number) => number): Promise<void> {
  const some = [...new Set(Array.from({ length: 1 + next(60) }, () => next(NAMES)))];
  await write(
    tables,
    "domains",
    "chain_id, node",
    some.map((i) => rowOf(i, next)),
  );
  await tables.pool.query("delete from domains where node = any ($1)", [some.slice(0, 3).map(nodeOf)]);
  await tables.pool.query("delete from ensv2_entries");
  await tables.pool.query(
    `insert into ensv2_entries select * from json_populate_recordset(null::ensv2_entries, $1)`,
    [
      JSON.stringify(
        Array.from({ length: NAMES }, (_, i) => i)
          .filter(() => next(2) === 0)
          .map(entryOf),
      ),
    ],
  );
}

const entryOf = (i: number) => ({
  chain_id: CHAIN_ID,
  registry: ETH_REGISTRY,
  storage_id: storageIdOf(labelhashOf(i)),
  labelhash: labelhashOf(i),
  label: `name${i}`,
  token_id: i,
  expiry: 1,
  is_registered: false,
  created_block_number: 1,
  number: i,
});

async function withClient<T>(work: (target: CountsTarget) => Promise<T>): Promise<T> {
  const client = await tables.pool.connect();
  try {
    return await work({ client, schema: "public", ensv2: contracts.ensv2 });
  } finally {
    client.release();
  }
}

/** A row as read for the slow count. */
type Stored = {
  node: string;
  parent_node: string | null;
  labelhash: string;
  registry: string | null;
  expiry_timestamp: string | null;
  effective_owner_address: string | null;
  path_expiry_timestamp: string | null;
};

const isNonOwner = (address: string | null) => address === GRAVEYARD || address === MIGRATOR;

/** The phase of a name, computed without the tested rules. */
function phaseOf(row: Stored, now: number, isUnseen: boolean): string {
  if (row.expiry_timestamp === null) return "unlimited";
  const path = row.path_expiry_timestamp;
  if (path !== null && BigInt(path) <= BigInt(now)) return row.parent_node === ETH_NODE ? "ended" : "over";
  const age = BigInt(now) - BigInt(row.expiry_timestamp);
  if (row.parent_node !== ETH_NODE) return age < 0n ? "registered" : "over";
  if (row.registry === null && isNonOwner(row.effective_owner_address)) return "ended";
  if (age < 0n) return "registered";
  if (row.registry !== null) {
    if (age < GRACE) return "grace";
    return age < GRACE + PREMIUM ? "premium" : "ended";
  }
  if (age <= 90 * DAY) return "grace";
  return age < 111 * DAY && !isUnseen ? "premium" : "ended";
}

/** Counts by phase, one name after another. */
async function countSlowly(now: number): Promise<Record<string, number>> {
  const { rows } = await tables.pool.query<Stored>("select * from domains where node <> $1", [ROOT_NODE]);
  const { rows: entries } = await tables.pool.query<{ id: string }>(
    "select storage_id as id from ensv2_entries",
  );
  const { rowCount } = await tables.pool.query("select from ensv2_phases where phase = 'open'");
  const seen = new Set(entries.map(({ id }) => id));
  const counts: Record<string, number> = {};
  for (const row of rows) {
    const { effective_owner_address: owner, parent_node: parent } = row;
    if (owner === null || isNonOwner(owner) || parent === ADDR_REVERSE_NODE) continue;
    const isUnseen = rowCount === 1 && !seen.has(storageIdOf(row.labelhash as `0x${string}`));
    const key = `${parent === ETH_NODE} ${phaseOf(row, now, isUnseen)}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

async function compare(now: number, chains: Scope = MAIN): Promise<void> {
  await expectExactCounters(tables.db, { chains, now }, searches);
  await comparePhases(now, chains);
}

async function comparePhases(now: number, chains: Scope = MAIN): Promise<void> {
  const phases = (await phaseCounts.fromCounters(tables.db, { chains, now })) ?? [];
  expect(Object.fromEntries(phases.map(({ isEth, phase, names }) => [`${isEth} ${phase}`, names]))).toEqual(
    await countSlowly(now),
  );
}

/** The times at which a name of either system changes, and a second to each side. */
const bounds = [0, GRACE, GRACE + PREMIUM, 90 * DAY, 111 * DAY].flatMap((age) => [age - 1, age, age + 1]);

test("the counters match the rows and a slow count, before and after ENSv2 opens", async () => {
  const next = numbers(11);
  for (let i = 0; i < 5; i++) await disturb(next);
  await withClient((target) => createCountersSoon(target, START));
  expect(await withClient(hasCounters)).toBe(true);
  for (let round = 0; round < (isLong() ? 16 : 2); round++) {
    if (round === 2) await open();
    await disturb(next);
    const now = START + (bounds[round % bounds.length] ?? 0) + next(5) - 2;
    if (round % 3 === 0) await withClient((target) => advanceCounters(target, now));
    await compare(now);
    await compare(START - 40 * DAY + next(80 * DAY), round % 2 === 0 ? MAIN : { ...MAIN, reach: "several" });
  }
});

const open = () =>
  tables.pool.query(
    `insert into ensv2_phases (chain_id, phase, block_number, block_timestamp, transaction_hash)
     values ($1, 'open', 1, 1, '0x01')`,
    [CHAIN_ID],
  );

test("names change on the second", async () => {
  await tables.pool.query("delete from domains");
  const expiry = START - 200 * DAY;
  const row = { ...rowOf(1, numbers(1)), parent_node: ETH_NODE, expiry_timestamp: expiry, is_wrapped: false };
  const owned = { ...row, effective_owner_address: account(10), wrapper_expiry_timestamp: null };
  await write(tables, "domains", "chain_id, node", [
    { ...owned, registry: ETH_REGISTRY },
    { ...owned, registry: null, node: nodeOf(2), labelhash: labelhashOf(2) },
  ]);
  for (const age of bounds) await comparePhases(expiry + age);
});

test("counters of a deployment with ENSv2 are not used by one without, and the tables record whose they are", async () => {
  expect(await totals.fromCounters(tables.db, { chains: WITHOUT_ENSV2, now: START })).toBeNull();
  expect(await withClient(({ client, schema }) => hasCounters({ client, schema }))).toBe(false);
  expect(await withClient(({ client, schema }) => hasCountersOfItsDeployment({ client, schema }))).toBe(true);
  await withClient(({ client, schema }) => createCountersSoon({ client, schema }, START));
  expect(await withClient(hasCounters)).toBe(false);
  expect(await withClient(({ client, schema }) => hasCountersOfItsDeployment({ client, schema }))).toBe(true);
});
