import { expect, test } from "vitest";
import { trials } from "./trials.ts";

test.each(trials)("$patch: $does", async ({ run, right }) => {
  expect(await run(false)).toEqual(right);
});
