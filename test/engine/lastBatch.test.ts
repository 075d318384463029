import { expect, test } from "vitest";
import { runTrial } from "./runTrial.ts";

test("each batch of a backfill has the checkpoint of its own last block", async () => {
  expect(await runTrial("batchTrial.ts")).toEqual([
    { to: 2, checkpoint: 2 },
    { to: 3, checkpoint: 3 },
  ]);
});
