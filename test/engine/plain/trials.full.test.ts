import { test } from "vitest";
import { trials } from "../trials.ts";
import { expectFault } from "./fault.ts";

test.each(trials)("Ponder as published does not do what $patch does", async ({ patch, run, isWrong }) => {
  expectFault(patch, isWrong(await run(true)));
});
