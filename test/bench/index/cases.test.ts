import { expect, test } from "vitest";
import { cases, chooseCases } from "../../../bench/index/cases.ts";
import { patches } from "../../engine/ponders.ts";

test("each case is of a patch", () => {
  const names = patches.map(({ name }) => name);
  expect(Object.keys(cases).filter((name) => !names.includes(name))).toEqual([]);
});

test("a case is chosen by its name, and one that does not exist is refused with the names of all", () => {
  expect(chooseCases("rowStore").map(([name]) => name)).toEqual(["rowStore"]);
  expect(chooseCases("all")).toHaveLength(Object.keys(cases).length);
  expect(() => chooseCases("rows")).toThrow(/There is no case "rows": take all, logSync, /);
});
