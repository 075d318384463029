import { expect, test } from "vitest";
import { databaseLocks, pairLocks } from "../../src/api/server/postgres/advisoryLocks.ts";

test.each([databaseLocks, pairLocks])("no two advisory locks have one number", (locks) => {
  const numbers = Object.values<number>(locks);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.length).toBeGreaterThan(1);
});
