import { test } from "vitest";
import { runTrial } from "../runTrial.ts";
import { expectFault } from "./fault.ts";

test("a batch before the last block says that the last block is done", async () => {
  const [first] = await runTrial<{ to: number; checkpoint: number }[]>("batchTrial.ts");
  expectFault("lastBatch", first?.to === 2 && first.checkpoint === 3);
});
