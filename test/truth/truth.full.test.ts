import { readFileSync } from "node:fs";
import { inject, test } from "vitest";
import { type Deployment, deploymentShape } from "../../abis/deployments.ts";
import { startStack } from "../support/stack.ts";
import { describeHistories } from "./histories.ts";
import { expectTruth } from "./onDemo.ts";
import { judge } from "./oracle.ts";
import type { Step } from "./steps.ts";
import { runTrial, TRIAL_TIMEOUT_MS } from "./trial.ts";

/** `npm run test:truth` sets these; its `--help` explains them. */
const number = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const seed = number("TRUTH_SEED", inject("seed"));
const runs = number("TRUTH_RUNS", 20);
const steps = number("TRUTH_STEPS", 150);
const shrinkSeconds = number("TRUTH_SHRINK_SECONDS", 240);
const { TRUTH_RPC_URL: rpcUrl, TRUTH_DEPLOYMENT: deploymentFile, TRUTH_REPLAY: replayed } = process.env;

if (rpcUrl !== undefined && deploymentFile !== undefined) {
  test("the index of a given chain matches its contracts", async () => {
    const deployment = deploymentShape.parse(JSON.parse(readFileSync(deploymentFile, "utf8")));
    expectTruth(await judgeGivenChain(rpcUrl, deployment));
  }, 600_000);
} else if (replayed !== undefined) {
  test(
    "a given history leads to an index that matches the contracts",
    async () => {
      const outcome = await runTrial([JSON.parse(readFileSync(replayed, "utf8")) as Step[]]);
      console.log(outcome.played.flatMap(({ story }) => story).join("\n"));
      expectTruth(outcome);
    },
    TRIAL_TIMEOUT_MS,
  );
} else {
  describeHistories({ seed, runs, steps, shrinkSeconds });
}

async function judgeGivenChain(url: string, deployment: Deployment) {
  const env = { ENS_NETWORK: "custom", ARCHIVE_READS: "on" };
  const stack = await startStack({ rpcUrl: url, deployment, env });
  try {
    await stack.waitForHead();
    return await judge({ rpcUrl: url, deployment, query: stack.sql, archiveReads: true });
  } finally {
    await stack.destroy();
  }
}
