import { expect, test } from "vitest";
import { createNameTable } from "../../src/api/nameStore/nameTable.ts";
import { createRestTable, MOST_REST_BYTES, NO_REST, OTHER_REST } from "../../src/api/nameStore/restTable.ts";
import { countNames } from "../../src/api/nameStore/scan.ts";

const isTrue = { kind: "all", of: [] } as const;
const question = {
  ...{ chainIds: [1], where: isTrue, length: null, resolver: null, times: null },
  sorts: { expired: isTrue, expiring30d: isTrue, expiring90d: isTrue, wrapped: isTrue },
};
const nameOf = (i: number, rest: string) => ({
  ...{ node: `0x${i.toString(16).repeat(64)}`, bits: 1, label: "a", rest, isJoined: true, labelLength: 1 },
  ...{ resolver: null, expiryTimestamp: 0, wrapperExpiryTimestamp: 0, pathExpiryTimestamp: 0 },
});

test("each text has one number, with a label before it or without", () => {
  const { add } = createRestTable();
  expect(["", ".eth", ".eth"].map((text) => add(text, true))).toEqual([1, 2, 2]);
  expect(["", ".eth"].map((text) => add(text, false))).toEqual([NO_REST, 3]);
});

test("where texts after labels take too much, names are counted by labels alone", () => {
  const table = createNameTable(8);
  const long = "x".repeat(MOST_REST_BYTES / 8);
  for (let i = 0; i < 6; i++) table.put(nameOf(i, `.${i}${long}`));
  expect(table.rests.add(`.6${long}`, true)).toBe(OTHER_REST);
  expect(table.rests.bytes()).toBeLessThan(MOST_REST_BYTES);
  expect(countNames(table, { ...question, texts: ["a"], isFullName: true })).toBeNull();
  expect(countNames(table, { ...question, texts: ["a"], isFullName: false })).toMatchObject({ total: 6 });
  expect(countNames(table, { ...question, texts: null, isFullName: true })).toMatchObject({ total: 6 });
});
