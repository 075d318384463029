import { describe, expect, test } from "vitest";
import { noteWritten, type TableCache } from "../../engine/rowStore/keptRows.ts";
import { runTrial } from "./runTrial.ts";

type Outcome = Record<string, { kept: boolean[]; answers: (string | null)[]; rows: number }>;

const answers = ["row 1", "row 12002", null, "row 500000"];
const whole = { kept: [true, true], answers, rows: 16_001 };
const few = { kept: [true, true], answers, rows: 41 };

describe("Ponder's store, on real tables", () => {
  test("forgets rows that handlers only write, keeps those that they find, and answers the same", async () => {
    const outcome = await runTrial<Outcome>("keptTrial.ts");
    expect(outcome).toEqual({ found: whole, written: { ...whole, kept: [false, false] }, later: whole, few });
  });
});

test("a table that is found has a bound, too", () => {
  const kept = (rows: number): TableCache => ({
    cache: new Map(Array.from({ length: rows }, (_, i) => [String(i), {}])),
    ...{ isCacheComplete: true, bytes: 5, asked: 20_000, written: 0, isOnlyWritten: false },
  });
  const [most, tooMany] = [kept(12_000), kept(12_001)];
  for (const table of [most, tooMany]) noteWritten(table, table.cache.size, 12_000);
  expect([most.isCacheComplete, most.cache.size]).toEqual([true, 12_000]);
  expect(tooMany).toMatchObject({ isCacheComplete: false, bytes: 0, isOnlyWritten: false });
  expect(tooMany.cache.size).toBe(0);
});
