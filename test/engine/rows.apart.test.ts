import { getTableColumns } from "drizzle-orm";
import { bigint, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { afterEach, describe, expect, test } from "vitest";
import { failures, noteFailedBlock, noteIndexed, notingFailures } from "../../engine/failures/failures.ts";
import { giveMetrics, writePonderMetrics } from "../../engine/ponderMetrics.ts";
import { MAX_KEY_LENGTH, possibleKeys } from "../../engine/predicted/possibleKey.ts";
import { rowFunctions } from "../../engine/rowStore/rows.ts";
import { ponderModule } from "./ponders.ts";

const names = pgTable("names", {
  id: integer().notNull(),
  at: bigint({ mode: "number" }).notNull().default(7),
  label: text(),
  more: jsonb(),
});

describe("the code generated for a table", async () => {
  const [ponderRows, { getCopyText }] = await Promise.all([
    ponderModule("indexing-store/utils.js"),
    ponderModule("indexing-store/cache.js"),
  ]);
  const ours = rowFunctions({ ...ponderRows, getTableColumns, getCopyText });
  const rows = [
    { id: 1, at: 2, label: "plain", more: null },
    { id: 1, at: 2, label: "a\tb\\c\n", more: { a: [1, "\t"] } },
    { id: 1, at: undefined, label: undefined },
    { id: 1, at: 2, label: "nul\0", unknown: 5 },
  ];

  test("turns each row into what Ponder makes of it", () => {
    for (const row of rows) {
      const its = ponderRows.normalizeRow(names, { ...row }, false);
      expect(ours.normalizeRow(names, row, false)).toMatchObject(
        Object.fromEntries(Object.keys(getTableColumns(names)).map((column) => [column, its[column]])),
      );
    }
    expect(() => ours.normalizeRow(names, { at: 1 }, false)).toThrow(/id/);
  });

  test("writes the text that Ponder writes", () => {
    const normal = rows.map((row) => ours.normalizeRow(names, row, false));
    expect(ours.getCopyText(names, normal)).toBe(getCopyText(names, normal));
  });

  test("counts bytes as Ponder does: of texts, numbers, nothing, and objects in objects", () => {
    expect([ours.getBytes("ab"), ours.getBytes(1n), ours.getBytes(null)]).toEqual([4, 48, 8]);
    expect(ours.getBytes({ a: "ab", list: [true] })).toBe(24 + 8 + 4 + 8 + 24 + 8 + 4);
  });
});

describe("a predicted key", () => {
  const columns = [
    { js: "version", column: { columnType: "PgBigInt53" } },
    { js: "node", column: { columnType: "PgHex" } },
  ];
  const isPossible = possibleKeys(() => columns);
  const table = {};

  test.each([
    [true, 7n, "0xab"],
    [true, -(2n ** 63n), "0x".padEnd(MAX_KEY_LENGTH, "a")],
    [false, 2n ** 63n, "0xab"],
    [false, "7", "0xab"],
    [false, 7.5, "0xab"],
    [false, 7n, "0x".padEnd(MAX_KEY_LENGTH + 1, "a")],
    [false, 7n, "0x\0"],
    [false, 7n, undefined],
  ])("is possible: %s, of %s and %j", (expected, version, node) => {
    expect(isPossible(table, { version, node })).toBe(expected);
  });

  test("is not requested if a column has another type", () => {
    const unusual = possibleKeys(() => [{ js: "made", column: { columnType: "PgTimestamp" } }]);
    expect(unusual(table, { made: new Date() })).toBe(false);
  });
});

test("a block that fails again counts as one block, until blocks of its chain are indexed", () => {
  const { attempts } = failures();
  noteFailedBlock(1, 5, new Error("first"));
  noteFailedBlock(1, 5, new Error("second\nline"));
  expect(failures().block).toMatchObject({ chainId: 1, blockNumber: 5, attempts: 2, why: "Error: second" });
  noteFailedBlock(1, 6, "third");
  expect(failures().block).toMatchObject({ blockNumber: 6, attempts: 1, why: "third" });
  expect(failures().attempts).toBe(attempts + 3);
  noteIndexed(2);
  expect(failures().block).not.toBeNull();
  noteIndexed(1);
  expect(failures().block).toBeNull();
});

afterEach(() => {
  globalThis.namedexFailures = undefined;
});

test("each failed attempt of a block's transaction is recorded once, wherever in it the database failed", () => {
  const lines: string[] = [];
  const logger = notingFailures({ warn: ({ msg }) => lines.push(msg), level: "warn" }, 1, 7);
  const error = new Error("could not extend file: No space left on device");
  logger.warn({ msg: "Failed database query", error }); // One statement of the transaction.
  expect(failures().block).toBeNull();
  for (const retry_count of [0, 1]) logger.warn({ msg: "Failed database query", retry_count, error });
  expect(failures().block).toMatchObject({ chainId: 1, blockNumber: 7, attempts: 2, why: String(error) });
  expect([lines.length, logger.level]).toEqual([3, "warn"]);
});

test("if all addresses of a host refuse, the reason is the code", () => {
  const refused = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
  const logger = { warn: (_: { msg: string; retry_count?: number; error?: unknown }) => {} };
  notingFailures(logger, 1, 7).warn({ msg: "x", retry_count: 0, error: refused });
  expect(failures().block?.why).toBe("AggregateError: ECONNREFUSED");
});

test("without a running server nothing is returned", async () => {
  expect(await writePonderMetrics()).toBe(null);
  giveMetrics(async () => "one 1\n");
  expect(await writePonderMetrics()).toBe("one 1\n");
  globalThis.namedexPonderMetrics = undefined;
});
