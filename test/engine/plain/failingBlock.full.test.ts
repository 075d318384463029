import { expect, test } from "vitest";
import { runTrial } from "../runTrial.ts";
import { expectFault } from "./fault.ts";

type Outcome = { attempts: number; before: unknown; after: unknown; metrics: string[] };

test("neither Ponder's tables nor its metrics tell of blocks that it tries in vain", async () => {
  const { attempts, before, after, metrics } = await runTrial<Outcome>("failingTrial.ts");
  expect(attempts).toBe(3);
  expectFault("failingBlock", metrics.length === 0 && JSON.stringify(after) === JSON.stringify(before));
});
