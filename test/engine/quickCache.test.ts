import { expect, test } from "vitest";
import { plainEnv } from "./ponders.ts";
import { runTrial } from "./runTrial.ts";

/** The rows of Ponder's cache after the trial. */
const fill = (env: Record<string, string>) =>
  runTrial<{ isPatched: boolean; stored: object[][] }>("cacheTrial.ts", { env });

test("the cache has the same rows as by Ponder's own statements", async () => {
  const [its, ours] = await Promise.all([fill(plainEnv), fill({})]);
  expect([its.isPatched, ours.isPatched]).toEqual([false, true]);
  expect(ours.stored).toEqual(its.stored);
  expect(ours.stored.map((rows) => rows.length)).toEqual([15, 60, 90]);
});
