import { expect, test, vi } from "vitest";
import { generateWorld } from "./api/world.ts";

const NAMES = 500;
const MANY_NAMES = 20_000;

function rowsOf(names: number): [table: string, row: Record<string, unknown>][] {
  const rows: [string, Record<string, unknown>][] = [];
  generateWorld({ names, put: (table, row) => void rows.push([table, row]) });
  return rows;
}

function rowsOn(day: string) {
  vi.useFakeTimers({ now: new Date(day), toFake: ["Date"] });
  try {
    return rowsOf(NAMES);
  } finally {
    vi.useRealTimers();
  }
}

test("a world of the same size has the same rows on every day", () => {
  const rows = rowsOn("2026-11-22T12:00:00Z");
  expect(rows.length).toBeGreaterThan(NAMES);
  expect(rowsOn("2027-03-01T23:59:59Z")).toEqual(rows);
});

test("each log has a place of its own", () => {
  const places = rowsOf(MANY_NAMES)
    .filter(([table]) => table === "events")
    .map(([, row]) => `${row.block_number} ${row.log_index} ${row.ordinal}`);
  expect(new Set(places).size).toBe(places.length);
});
