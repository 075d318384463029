import { expect, test } from "vitest";
import type { Stage } from "../chain/stage.ts";
import { judgeStack, type Outcome } from "./trial.ts";

export function expectTruth({ differences, counts }: Pick<Outcome, "differences" | "counts">): void {
  console.log(JSON.stringify(counts));
  expect(counts.logs).toBeGreaterThan(0);
  expect(counts.nodes).toBeGreaterThan(0);
  expect(differences).toEqual([]);
}

export function describeTruth(stageOf: () => Pick<Stage, "stack" | "local">): void {
  test("the index of the demo matches the contracts", async () => {
    const { stack, local } = stageOf();
    expectTruth(await judgeStack(stack, local));
  });
}
