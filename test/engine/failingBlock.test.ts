import { expect, test } from "vitest";
import type { FailingBlock } from "../../engine/failures/failures.ts";
import { runTrial } from "./runTrial.ts";

test("blocks that Ponder tries in vain are noted for the API, with the reason", async () => {
  const { noted } = await runTrial<{ noted: FailingBlock }>("failingTrial.ts");
  const why = "RetryableError: the node does not answer";
  expect(noted).toMatchObject({ chainId: 1, blockNumber: null, attempts: 3, why });
});
