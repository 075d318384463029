import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Stack } from "../support/stack.ts";
import { judgeStack } from "../truth/trial.ts";
import { startLoad } from "./load.ts";
import type { FaultChain } from "./pulse.ts";
import { type FaultStage, openFaultStage } from "./stage.ts";
import { tell } from "./tell.ts";

const ROUNDS = Number(process.env.FAULT_RUNS ?? 24);
/** Ponder treats a local block as final after 30 more. */
const depths = [1, 3, 7, 2, 12, 1, 5, 20];

let stage: FaultStage;
let chain: FaultChain;
let stack: Stack;

beforeAll(async () => {
  stage = await openFaultStage({ seed: inject("seed"), past: 60 });
  ({ chain, stack } = stage);
});
afterAll(() => stage?.close());

test("in a storm of reorganisations every answer matches one block of a branch that was the chain's", async () => {
  const load = startLoad({ url: () => stack.url, timeline: chain.timeline, callers: 4 });
  for (let beat = 0; beat < 2; beat++) await chain.beat();
  for (let round = 0; round < ROUNDS; round++) {
    const depth = depths[round % depths.length] ?? 1;
    const ends = chain.timeline.slice(-2) as [number, number];
    for (let block = 0; block < depth; block++) await chain.beat();
    // Anvil forgets the blocks of a branch at once, and for a minute Ponder asks for the logs of the last one it saw.
    await stack.waitForHead();
    await chain.rollback(depth, ends);
    for (let block = 0; block <= depth; block++) await chain.beat();
  }
  await stack.waitForHead();
  await load.nextAnswer();
  const seen = await load.stop();
  tell(`${ROUNDS} reorganisations`, seen);
  expect(seen.wrong).toEqual([]);
  expect(seen.causes).toEqual([]);
  expect(Object.keys(seen.refused).filter((code) => code !== "INDEX_NOT_READY")).toEqual([]);
  expect(seen.answers).toBeGreaterThan(50);
  await chain.play(10);
  expect((await judgeStack(stack, chain.local)).differences).toEqual([]);
});
