import { expect, test } from "vitest";
import { runNode } from "../servePonder.ts";
import { expectFault } from "./fault.ts";

test("Ponder takes the next port where its own is taken", async () => {
  const { away } = await runNode<{ away: number }>("portTrial.ts");
  expect(away).toBeGreaterThanOrEqual(0);
  expectFault("strictPort", away > 0);
});
