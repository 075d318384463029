// Also runs as: long
import { afterAll, beforeAll, expect, test } from "vitest";
import { rpc } from "../../devnet/acts.ts";
import type { LocalChain } from "../../devnet/localChain.ts";
import { isLong } from "../support/size.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { historiesOf, playSteps, type Step } from "../truth/steps.ts";
import { judgeStack, startHistoryChain } from "../truth/trial.ts";
import { expectUndisturbed } from "./undisturbed.ts";

const SEED = 8_004;
const PREFIX = "fork";
const [common = [], abandoned = [], lasting = []] = historiesOf({ seed: SEED, runs: 3, steps: 150 });

let local: LocalChain;
let stack: Stack;

beforeAll(async () => {
  local = await startHistoryChain();
  await playSteps(local.chain, PREFIX, common.slice(0, isLong() ? 60 : 40));
  stack = await startStack({ rpcUrl: local.anvil.url, deployment: local.deployment });
});

afterAll(async () => {
  await stack?.destroy();
  await local?.anvil.stop();
});

const height = async () => Number(await rpc<string>(local.chain, "eth_blockNumber"));
const hashAt = async (block: number) =>
  (await rpc<{ hash: string }>(local.chain, "eth_getBlockByNumber", [`0x${block.toString(16)}`, false])).hash;

/** Plays on the names of the history until the chain has at least this height. */
async function playUntil(block: number, steps: Step[]): Promise<void> {
  while ((await height()) < block) {
    if (steps.length === 0) throw new Error("The history is too short to reach that block");
    await playSteps(local.chain, PREFIX, steps.splice(0, 1));
  }
}

const oldBranch = [...abandoned];
const newBranch = [...lasting];

for (const depth of isLong() ? [1, 5, 20] : [20]) {
  test(`a reorganisation of ${depth} blocks leaves nothing of the old branch`, async () => {
    const base = await height();
    await playUntil(base + depth, oldBranch);
    await stack.waitForHead();
    const top = await height();
    const [seen] = await stack.sql<{ count: string }>("select count(*) from events where block_number > $1", [
      top - depth,
    ]);
    const hash = await hashAt(top - depth + 1);
    await rpc(local.chain, "anvil_rollback", [depth]);
    expect(await height()).toBe(top - depth);
    await playUntil(top + 1, newBranch);
    expect(await hashAt(top - depth + 1)).not.toBe(hash);
    expect(Number(seen?.count), "the old branch had logs").toBeGreaterThan(0);
    expect((await judgeStack(stack, local)).differences).toEqual([]);
  });
}

test.runIf(isLong())(
  "after all reorganisations every table equals that of an index that saw only the last branch",
  async () => {
    await stack.waitForHead();
    await expectUndisturbed(stack, local);
  },
);
