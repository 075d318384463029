// Also runs as: long
import { afterAll, beforeAll } from "vitest";
import { refusesWhatDoesNotFit } from "./snapshot/refusals.ts";
import { openSnapshotStage, type SnapshotStage } from "./snapshot/stage.ts";
import { restoresWhole } from "./snapshot/whole.ts";

// All share one chain, its index and a snapshot of it.

let stage: SnapshotStage;

beforeAll(async () => {
  stage = await openSnapshotStage();
});

afterAll(() => stage?.close());

restoresWhole(() => stage);
refusesWhatDoesNotFit(() => stage);
