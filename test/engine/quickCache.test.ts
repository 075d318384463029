import { expect, test } from "vitest";
import { nodeFlags } from "../../engine/nodeFlags.ts";
import { runTrial } from "./runTrial.ts";

/** The rows of Ponder's cache after the trial. */
const fill = (flags: string[]) =>
  runTrial<{ isChanged: boolean; stored: object[][] }>("cacheTrial.ts", { flags });

test("the cache has the same rows as by Ponder's own statements", async () => {
  const [its, ours] = await Promise.all([fill([]), fill(nodeFlags())]);
  expect([its.isChanged, ours.isChanged]).toEqual([false, true]);
  expect(ours.stored).toEqual(its.stored);
  expect(ours.stored.map((rows) => rows.length)).toEqual([15, 60, 90]);
});
