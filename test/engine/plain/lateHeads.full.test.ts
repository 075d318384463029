import { test } from "vitest";
import { runTrial } from "../runTrial.ts";
import { expectFault } from "./fault.ts";

test("a block whose logs come after those of the next one is taken for a reorganisation", async () => {
  const [late] = await runTrial<string[][]>("headsTrial.ts");
  expectFault("lateHeads", late?.includes("reorg 0") ?? false);
});
