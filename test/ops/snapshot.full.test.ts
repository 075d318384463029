import { afterAll, beforeAll, inject } from "vitest";
import { outlivesKills } from "./snapshot/kills.ts";
import { openSnapshotStage, PATIENCE_MS, type SnapshotStage } from "./snapshot/stage.ts";
import { outlivesReorganisations } from "./snapshot/whole.ts";

let stage: SnapshotStage;

beforeAll(async () => {
  stage = await openSnapshotStage();
}, PATIENCE_MS);

afterAll(() => stage?.close());

outlivesReorganisations(() => stage);
outlivesKills(() => stage, { kills: 10, seed: inject("seed") });
