import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { LocalChain } from "../../devnet/localChain.ts";
import { launchStack, type Stack } from "../support/stack.ts";
import { historiesOf, playSteps } from "../truth/steps.ts";
import { judgeStack, startHistoryChain } from "../truth/trial.ts";
import { startSlowRpc } from "./slowRpc.ts";
import { expectUndisturbed } from "./undisturbed.ts";

const SEED = 1_577;
const PATIENCE = { timeout: 180_000, interval: 20 };
const [past = []] = historiesOf({ seed: SEED, runs: 1, steps: 150 });

let local: LocalChain;

beforeAll(async () => {
  local = await startHistoryChain();
  await playSteps(local.chain, "past", past);
});

afterAll(async () => {
  await local?.anvil.stop();
});

const countEvents = async ({ sql }: Stack): Promise<number> => {
  const rows = await sql<{ count: string }>("select count(*) from events").catch(() => []);
  return Number(rows[0]?.count ?? 0);
};

test("an index killed during the backfill is complete after a restart", async () => {
  // Enough for some of the backfill, but far from all of it.
  const logsFrom = Math.floor(Number(await local.chain.client.getBlockNumber()) / 2);
  const rpc = await startSlowRpc(local.anvil.url, { logsFrom });
  const stack = await launchStack({ rpcUrl: rpc.url, deployment: local.deployment });
  try {
    // While requests are held, earlier blocks are indexed and committed, and the rest does not arrive.
    const isStopped = async () => rpc.held() > 0 && (await countEvents(stack)) > 0;
    await vi.waitUntil(isStopped, PATIENCE);
    await stack.kill();
    const kept = await countEvents(stack);
    rpc.release();
    await stack.expireLock();
    stack.restart();
    await stack.ready();
    expect((await judgeStack(stack, local)).differences).toEqual([]);
    expect(await countEvents(stack)).toBeGreaterThan(kept);
    await expectUndisturbed(stack, local);
  } finally {
    await stack.destroy();
    await rpc.close();
  }
});
