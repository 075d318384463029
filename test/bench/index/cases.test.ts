import { expect, test } from "vitest";
import { cases, chooseCases } from "../../../bench/index/cases.ts";
import { patches } from "../../engine/ponders.ts";

test("each case belongs to a patch", () => {
  const names = patches.map(({ name }) => name);
  expect(Object.keys(cases).filter((name) => !names.includes(name))).toEqual([]);
});

test("a case is chosen by name, and an unknown name is rejected with the list of all", () => {
  expect(chooseCases("rowStore").map(([name]) => name)).toEqual(["rowStore"]);
  expect(chooseCases("all")).toHaveLength(Object.keys(cases).length);
  expect(() => chooseCases("rows")).toThrow(/There is no case "rows": take all, logSync, /);
});
