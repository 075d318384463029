import { describe, expect, test } from "vitest";
import { unlessStored } from "../../engine/commits/failedCommit.ts";
import { type FailedLog, passOver } from "../../engine/failures/failedLog.ts";
import { failures } from "../../engine/failures/failures.ts";
import { Journal } from "../../engine/failures/journal.ts";
import { findComplete, noteUpdate } from "../../engine/rowStore/completeTable.ts";
import { copyIfShared, copyOnWrite } from "../../engine/rowStore/copyOnWrite.ts";
import { noteWritten, type TableCache } from "../../engine/rowStore/keptRows.ts";
import { inPieces, PIECE_LENGTH } from "../../engine/rowStore/pieces.ts";

type Entry = { row: unknown };
const entries = (rows: Record<string, unknown>) =>
  new Map<string, Entry>(Object.entries(rows).map(([key, row]) => [key, { row }]));

describe("a table whose rows are all in memory", () => {
  test("returns the newest version of a row, or null", () => {
    const table = {
      cache: new Map([
        ["a", 1],
        ["b", 1],
        ["c", 1],
      ]),
      diskReads: 0,
      asked: 0,
    };
    const buffers = { inserts: entries({ a: 2, b: 2 }), updates: entries({ a: 3 }) };
    expect(
      ["a", "b", "c", "d"].map((key) => findComplete(table, key, buffers.updates, buffers.inserts)),
    ).toEqual([3, 2, 1, null]);
    expect(table).toMatchObject({ diskReads: 1, asked: 4 });
  });

  test("writes a row once if it is inserted and changed in one batch", () => {
    const buffers = { inserts: entries({ a: 1, b: 1 }), updates: entries({ b: 2 }) };
    for (const key of ["a", "b", "c"]) noteUpdate(key, { row: 9 }, buffers.updates, buffers.inserts);
    expect(buffers.inserts).toEqual(entries({ a: 9, b: 1 }));
    expect(buffers.updates).toEqual(entries({ b: 9, c: 9 }));
  });
});

test("values created by a handler are not copied, but a row of the store is", () => {
  const given = copyIfShared((values) => ({ ...values }));
  const own = { id: 1 };
  const found = copyOnWrite({ id: 2 });
  expect(given(own, true)).toBe(own);
  expect([given(own, false) === own, given(found, true) === found]).toEqual([false, false]);
});

test("row text longer than a V8 string is produced in pieces", () => {
  const text = "x".repeat(100_000);
  let length = 0;
  for (const piece of inPieces((_, [row]: string[]) => row ?? "", {}, Array(6_000).fill(text))) {
    expect(piece.length).toBeLessThanOrEqual(PIECE_LENGTH + 100_001);
    length += piece.length;
  }
  expect(length).toBe(6_000 * 100_001);
  expect(length).toBeGreaterThan(2 ** 29);
});

describe("the journal of an event", () => {
  const start = () => {
    const table = {};
    const inserts = new Map([[table, entries({ a: 1 })]]);
    const updates = new Map([[table, entries({ b: 1 })]]);
    const journal = new Journal(inserts, updates);
    const set = (key: string, row: unknown) => {
      journal.remember(table, key);
      const waiting = inserts.get(table)?.get(key);
      if (waiting === undefined) updates.get(table)?.set(key, { row });
      else waiting.row = row;
    };
    return { journal, set, waiting: () => [inserts.get(table), updates.get(table)] };
  };
  const before = [entries({ a: 1 }), entries({ b: 1 })];

  test("restores what the event replaced, the first values of a row last", () => {
    const { journal, set, waiting } = start();
    for (const [i, key] of ["a", "b", "c", "a", "c"].entries()) set(key, i);
    expect(waiting()).toEqual([entries({ a: 3 }), entries({ b: 1, c: 4 })]);
    expect(journal.undo()).toBe(true);
    expect(waiting()).toEqual(before);
  });

  test("leaves writes of earlier events alone", () => {
    const { journal, set, waiting } = start();
    set("a", 5);
    journal.begin();
    set("b", 6);
    journal.undo();
    expect(waiting()).toEqual([entries({ a: 5 }), entries({ b: 1 })]);
  });

  test("restores nothing for an event that has changed the database, until the next one", () => {
    const { journal, set, waiting } = start();
    set("a", 5);
    journal.reachDatabase();
    expect([journal.undo(), waiting()[0]]).toEqual([false, entries({ a: 5 })]);
    journal.begin();
    expect(journal.undo()).toBe(true);
  });
});

describe("a log whose handler fails", () => {
  const fail = async (how: Partial<FailedLog> = {}) => {
    const seen: string[] = [];
    globalThis.namedexRecordFailedLog = async (_, { eventName, why }) =>
      void seen.push(`${eventName} ${why}`);
    const event = { eventCallback: { name: "Text" }, chain: { id: 1, name: "mainnet" } };
    const isPassed = await passOver({
      event,
      args: {},
      error: new TypeError("first"),
      undo: () => true,
      hasRetryableError: () => false,
      again: () => Promise.reject(new TypeError("second")),
      log: ({ msg }) => void seen.push(String(msg)),
      ...how,
    });
    globalThis.namedexRecordFailedLog = undefined;
    return { isPassed, seen };
  };
  const line = "Passed over a log whose handler failed";

  test("is stored with the reason, counted and logged", async () => {
    const { logs } = failures();
    expect(await fail()).toEqual({ isPassed: true, seen: ["Text TypeError: second", line] });
    expect(failures().logs).toBe(logs + 1);
  });

  test("is not stored if the second attempt succeeds", async () => {
    expect(await fail({ again: async () => {} })).toEqual({ isPassed: true, seen: [line] });
  });

  test.each<[string, Partial<FailedLog>]>([
    ["the error is of the node", { error: new Error("HTTP request failed") }],
    ["what it wrote cannot be taken back", { undo: () => false }],
    ["the second error is another one", { again: () => Promise.reject(new RangeError("other")) }],
  ])("stops the block if %s", async (_, how) => {
    expect(await fail(how)).toEqual({ isPassed: false, seen: [] });
  });

  test("stops the block if the database failed in the meantime", async () => {
    expect(await fail({ hasRetryableError: () => true })).toMatchObject({ isPassed: false });
  });
});

test("a discovered table is bounded too", () => {
  const kept = (rows: number): TableCache => ({
    cache: new Map(Array.from({ length: rows }, (_, i) => [String(i), {}])),
    isCacheComplete: true,
    bytes: 5,
    asked: 20_000,
    written: 0,
    isOnlyWritten: false,
  });
  const [most, tooMany] = [kept(12_000), kept(12_001)];
  for (const table of [most, tooMany]) noteWritten(table, table.cache.size, 12_000);
  expect([most.isCacheComplete, most.cache.size]).toEqual([true, 12_000]);
  expect(tooMany).toMatchObject({ isCacheComplete: false, bytes: 0, isOnlyWritten: false });
  expect(tooMany.cache.size).toBe(0);
});

describe("three attempts of a transaction", () => {
  test.each([
    ["whose work fails do the work again as it is", [true, true], false, "work work work"],
    ["whose commit fails forget the rows of the work first", [true], false, "work work forget work"],
    ["whose work is stored do not do it again", [true], true, "work work"],
  ])("%s", async (_, fails, isStored, expected) => {
    const done: string[] = [];
    const left = [...fails];
    const forget = () => void done.push("forget");
    const transaction = unlessStored({ isStored: async () => isStored, forget }, async () => {
      done.push("work");
      if (left.shift()) throw new Error("refused");
    });
    for (let attempt = 0; attempt < 3; attempt++) await transaction(undefined).catch(() => {});
    expect(done.join(" ")).toBe(expected);
  });
});
