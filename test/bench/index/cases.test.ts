import { expect, test } from "vitest";
import { changes } from "../../../engine/changes/index.ts";
import { cases, chooseCases } from "./cases.ts";

test("there is a case for each change to Ponder that is there for speed, and for no other", () => {
  const fast = changes.filter(({ group }) => group === "fast").map(({ name }) => name);
  expect(Object.keys(cases).toSorted()).toEqual(fast.toSorted());
});

test("a case is chosen by its name, and one that does not exist is refused with the names of all", () => {
  expect(chooseCases("rowStore").map(([name]) => name)).toEqual(["rowStore"]);
  expect(chooseCases("all")).toHaveLength(Object.keys(cases).length);
  expect(() => chooseCases("rows")).toThrow(/There is no case "rows": take all, linearQueue, /);
});
