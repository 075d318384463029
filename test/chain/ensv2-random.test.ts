import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalChain, startLocalChain } from "../devnet/localChain.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { expectEnsv2AsOnChain } from "./ensv2Judge.ts";
import { playHistory, prepareHistories } from "./ensv2Steps.ts";

const SEED = Number(process.env.FUZZ_SEED ?? 2_026);
const RUNS = Number(process.env.ENSV2_RUNS ?? 20);
const STEPS = 150;

let local: LocalChain;
let stack: Stack;

beforeAll(async () => {
  local = await startLocalChain({ contracts: { ensv2: true }, statesKept: 100_000 });
  await prepareHistories(local.chain, { runs: RUNS });
  stack = await startStack({ rpcUrl: local.anvil.url, deployment: local.deployment });
}, 300_000);
afterAll(async () => {
  await stack?.destroy();
  await local?.anvil.stop();
});

test(`${RUNS} random histories leave the tables as the contracts answer (FUZZ_SEED=${SEED})`, async () => {
  for (let run = 0; run < RUNS; run++) {
    const { mined } = await playHistory(local.chain, { seed: SEED, run, steps: STEPS });
    expect(mined).toBeGreaterThan(STEPS / 4);
    await expectEnsv2AsOnChain({ local, stack });
  }
}, 900_000);
