import { expect, test, vi } from "vitest";
import { generateWorld } from "../../bench/api/world.ts";
import { blockAt } from "../../bench/api/worldLog.ts";
import { WORLD_TIME } from "../../bench/api/worldTime.ts";

const NAMES = 500;
const MANY_NAMES = 6_000;
/** Some of them are agents. */
const NAMES_WITH_AGENTS = 20_000;

type Rows = [table: string, row: Record<string, unknown>][];

function rowsOf(names: number): Rows {
  const rows: [string, Record<string, unknown>][] = [];
  generateWorld({ names, put: (table, row) => void rows.push([table, row]) });
  return rows;
}

let manyRows: Rows | undefined;
const ofManyNames = (): Rows => {
  manyRows ??= rowsOf(MANY_NAMES);
  return manyRows;
};

test("names of Base are added to those of the main chain, and change none of them", () => {
  const rows: [string, Record<string, unknown>][] = [];
  generateWorld({ names: NAMES, base: 50, put: (table, row) => void rows.push([table, row]) });
  const ofBase = rows.filter(([, row]) => row.chain_id === 8453);
  expect(ofBase.filter(([table]) => table === "domains")).toHaveLength(50);
  const others = rows.filter(([, row]) => row.chain_id !== 8453 && row.full_name !== "base.eth");
  expect(others).toEqual(rowsOf(NAMES));
});

function rowsOn(day: string) {
  vi.useFakeTimers({ now: new Date(day), toFake: ["Date"] });
  try {
    return rowsOf(NAMES);
  } finally {
    vi.useRealTimers();
  }
}

test("a world of one size has the same rows every day", () => {
  const rows = rowsOn("2026-11-22T12:00:00Z");
  expect(rows.length).toBeGreaterThan(NAMES);
  expect(rowsOn("2027-03-01T23:59:59Z")).toEqual(rows);
});

test("each log has its own position", () => {
  const places = ofManyNames()
    .filter(([table]) => table === "events")
    .map(([, row]) => `${row.block_number} ${row.log_index} ${row.ordinal}`);
  expect(new Set(places).size).toBe(places.length);
});

test("each change has its log, and no row has a block after the newest", () => {
  const rows = ofManyNames();
  const placeOf = (row: Record<string, unknown>) => `${row.block_number} ${row.log_index}`;
  const logs = new Set(rows.filter(([table]) => table === "events").map(([, row]) => placeOf(row)));
  const changes = rows.filter(([table]) => table.endsWith("_changes"));
  expect(changes.filter(([, row]) => !logs.has(placeOf(row)))).toEqual([]);
  const last = blockAt(WORLD_TIME);
  expect(rows.filter(([, { block_number }]) => Number(block_number ?? 0) > last)).toEqual([]);
});

test("a block has one time, later blocks have later times, and owners' addresses begin with every digit", () => {
  const rows = ofManyNames();
  const logs = rows.filter(([table]) => table === "events").map(([, row]) => row);
  const times = new Map(logs.map((row) => [Number(row.block_number), Number(row.block_timestamp)]));
  const inOrder = [...times].sort(([a], [b]) => a - b).map(([, time]) => time);
  expect(inOrder).toEqual([...new Set(inOrder)].sort((a, b) => a - b));
  expect(logs.every((row) => times.get(Number(row.block_number)) === row.block_timestamp)).toBe(true);
  const owners = rows.filter(([table]) => table === "domains").map(([, row]) => String(row.registry_owner));
  const digits = new Set(owners.filter((owner) => owner.startsWith("0x")).map((owner) => owner.charAt(2)));
  expect(digits.size).toBe(16);
});

test("each agent is registered and bound in one transaction, in the order of ids", () => {
  const rows = rowsOf(NAMES_WITH_AGENTS);
  const of = (wanted: string) => rows.filter(([table]) => table === wanted).map(([, row]) => row);
  const bindings = of("agent_bindings");
  expect(bindings.length).toBeGreaterThan(10);
  expect(bindings.map(({ agent_id }) => agent_id)).toEqual(bindings.map((_, id) => id));
  expect(of("agents").map(({ agent_id }) => agent_id)).toEqual(bindings.map((_, id) => id));
  const times = bindings.map(({ block_timestamp }) => Number(block_timestamp));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const logs = of("events");
  for (const { transaction_hash, node } of bindings) {
    const ofAgent = logs.filter((log) => log.transaction_hash === transaction_hash);
    expect(ofAgent.map(({ event_type }) => event_type)).toEqual(["Registered", "AgentBound"]);
    expect(ofAgent[1]?.node).toBe(node);
  }
});
