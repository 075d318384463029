import { expect, test } from "vitest";
import { runTrial } from "./runTrial.ts";

test("a block whose logs come late takes nothing back, and one that replaces a block does", async () => {
  expect(await runTrial("headsTrial.ts")).toEqual([["block 1", "block 2"], ["reorg 1"], ["block 2"]]);
});
