import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type CommitCutter, type CommitFault, startCommitCutter } from "../support/commitCutter.ts";
import { launchStack, type Stack } from "../support/stack.ts";
import { judgeStack } from "../truth/trial.ts";
import { type FaultChain, startFaultChain } from "./pulse.ts";
import { type Supervision, supervise } from "./supervise.ts";

/* Connections end at the commit of a batch or of a block: the commit is lost, or it succeeds without a reply. */

/** Its rows are written only if an owner changes. */
const TABLE = "ownership_changes";

let chain: FaultChain;
let cutter: CommitCutter;
let stack: Stack;
let supervision: Supervision;

beforeAll(async () => {
  chain = await startFaultChain({ seed: 5_432, past: 60 });
  cutter = await startCommitCutter(inject("databaseServerUrl"));
  stack = await launchStack({
    rpcUrl: chain.local.anvil.url,
    deployment: chain.local.deployment,
    databaseServer: cutter.url,
  });
  supervision = supervise(stack);
});

afterAll(async () => {
  await supervision?.stop();
  await stack?.destroy();
  await cutter?.close();
  await chain?.stop();
});

/** Cuts one commit after another; `run` is repeated until one was cut. */
async function cutCommits(faults: readonly CommitFault[], run: () => Promise<void>): Promise<void> {
  for (const fault of faults) {
    let isOver = false;
    const isCut = cutter.cutNext(fault, TABLE).then(() => {
      isOver = true;
    });
    while (!isOver) await run();
    await isCut;
  }
}

test("lost commits and lost replies cost no row, and nothing is counted twice", async () => {
  await cutCommits(["lost", "unheard"], () => sleep(50));
  await stack.ready();
  await cutCommits(["lost", "unheard", "lost"], async () => {
    await chain.play(1);
    await sleep(500);
  });
  expect((await judgeStack(stack, chain.local)).differences).toEqual([]);
  expect(supervision.ends).toEqual([]);
});
