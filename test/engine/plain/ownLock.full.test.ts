import { test } from "vitest";
import { runTrial } from "../runTrial.ts";
import { expectFault } from "./fault.ts";

test("an indexer that waited for the lock of another one takes it away when it ends", async () => {
  const { afterSecond } = await runTrial<{ afterSecond: { isLocked: number } }>("lockTrial.ts");
  expectFault("ownLock", afterSecond.isLocked === 0);
});
