import { expect, test } from "vitest";
import { MAX_ANSWER } from "../../src/api/subgraph/bounds.ts";
import { requireSize } from "../../src/api/subgraph/query/size.ts";

test("an answer has a bound of its characters", () => {
  expect(() => requireSize({ name: "a".repeat(MAX_ANSWER - 20), count: 1 })).not.toThrow();
  expect(() => requireSize({ name: "a".repeat(MAX_ANSWER) })).toThrow(`more than ${MAX_ANSWER} characters`);
});

test("an entity counts at each place where it stands, with its names of fields", () => {
  const parent = { ["a".repeat(1_000)]: "b".repeat(1_000), none: null };
  const children = (count: number) => ({ domains: Array.from({ length: count }, () => ({ parent })) });
  expect(() => requireSize(children(MAX_ANSWER / 4_000))).not.toThrow();
  expect(() => requireSize(children(MAX_ANSWER / 2_000))).toThrow("ask for fewer");
});
