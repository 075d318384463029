import { afterAll, beforeAll } from "vitest";
import { exportsOfAChain } from "./export/onChain.ts";
import { leavesNothingBehind } from "./snapshot/refusals.ts";
import { openSnapshotStage, type SnapshotStage } from "./snapshot/stage.ts";
import { followsRestored } from "./snapshot/whole.ts";

// What snapshot.test.ts leaves out. Exports of the same index come last because they extend the
// chain.

let stage: SnapshotStage;

beforeAll(async () => {
  stage = await openSnapshotStage();
});

afterAll(() => stage?.close());

leavesNothingBehind(() => stage);
followsRestored(() => stage);
exportsOfAChain(() => stage);
