import { afterAll, beforeAll, expect, test } from "vitest";
import { type PaymentMarks, paymentMarksIn } from "../../src/api/server/serviceDb/payments.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { createTestDatabase } from "../support/database.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let stores: Store[];
let marks: PaymentMarks;
/** The marks as two services see them, alternating. */
let replicas: PaymentMarks[];

beforeAll(async () => {
  database = await createTestDatabase();
  stores = [1, 2].map(() => openStore({ databaseUrl: database.url, schema: "service" }));
  replicas = stores.map(paymentMarksIn);
  marks = replicas[0] as PaymentMarks;
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await database.drop();
});

const inMinutes = (minutes: number) => Date.now() + minutes * 60_000;
const countTrue = (answers: boolean[]) => answers.filter((answer) => answer).length;
const claimOften = (key: string, expires: number) =>
  Promise.all(Array.from({ length: 12 }, (_, i) => (replicas[i % 2] as PaymentMarks).tryClaim(key, expires)));

test("of many concurrent claims of a key, exactly one succeeds", async () => {
  expect(countTrue(await claimOften("key", inMinutes(5)))).toBe(1);
  expect(await marks.tryClaim("key", inMinutes(5))).toBe(false);
  expect(await marks.tryClaim("another", inMinutes(5))).toBe(true);
});

test("a released claim can be made again", async () => {
  await marks.tryClaim("given back", inMinutes(5));
  await marks.delete("given back");
  expect(await marks.tryClaim("given back", inMinutes(5))).toBe(true);
});

test("a claim outlasts its date by ten minutes, because clocks differ, and then disappears", async () => {
  for (const [key, minutes] of [
    ["late", -9],
    ["old", -11],
    ["new", 5],
  ] as const) {
    await marks.tryClaim(key, inMinutes(minutes));
  }
  expect(await marks.get("old")).toBeNull();
  expect(countTrue(await claimOften("late", inMinutes(5)))).toBe(0);
  expect(countTrue(await claimOften("old", inMinutes(-11)))).toBe(12);
  await marks.removeOld();
  const rows = await (stores[0] as Store).query(
    "SELECT key FROM payment_marks WHERE key IN ('late', 'old', 'new') ORDER BY key",
  );
  expect(rows).toEqual([{ key: "late" }, { key: "new" }]);
});

test("a claim of a payment that never arrived can be made once more", async () => {
  await marks.tryClaim("unclear", inMinutes(5));
  expect(await marks.isUnclear("unclear")).toBe(false);
  await marks.markUnclear(["unclear", "unknown"]);
  expect([await marks.isUnclear("unclear"), await marks.isUnclear("unknown")]).toEqual([true, false]);
  expect(countTrue(await claimOften("unclear", inMinutes(5)))).toBe(1);
  expect(await marks.isUnclear("unclear")).toBe(false);
});

test("values are kept until removed, and only one caller at a time changes them", async () => {
  await marks.put("value", { a: [1, null] });
  expect(await marks.get("value")).toEqual({ a: [1, null] });
  await marks.delete("value");
  expect(await marks.get("value")).toBeNull();
  const add = (replica: PaymentMarks) =>
    replica.update("count", (current) => ({ op: "set", value: Number(current ?? 0) + 1, result: current }));
  await Promise.all(Array.from({ length: 20 }, (_, i) => add(replicas[i % 2] as PaymentMarks)));
  expect(await marks.get("count")).toBe(20);
  expect(await marks.update("count", (current) => ({ op: "noop", result: current }))).toBe(20);
  expect(await marks.update("count", () => ({ op: "delete", result: "gone" }))).toBe("gone");
  expect(await marks.get("count")).toBeNull();
});
