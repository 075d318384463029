import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { chanceOf } from "../../bench/api/chance.ts";
import { expectUndisturbed } from "../chain/undisturbed.ts";
import { launchStack } from "../support/stack.ts";
import { judgeStack } from "../truth/trial.ts";
import { startLoad } from "./load.ts";
import { type FaultChain, startFaultChain } from "./pulse.ts";
import { tell } from "./tell.ts";

const KILLS = Number(process.env.FAULT_RUNS ?? 12);

let chain: FaultChain;

beforeAll(async () => {
  chain = await startFaultChain({ seed: inject("seed"), past: 100 });
});
afterAll(async () => {
  await chain?.stop();
});

test(
  `an indexer killed at ${KILLS} random moments ends up with every row, and never answered with a wrong one`,
  async () => {
    const dice = chanceOf(inject("seed")).next;
    const stack = await launchStack({ rpcUrl: chain.local.anvil.url, deployment: chain.local.deployment });
    const load = startLoad({ url: () => stack.url, timeline: chain.timeline, callers: 2 });
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        // The first third are killed during the backfill, the others while they follow the chain.
        if (kill >= KILLS / 3) await stack.ready();
        const writes = kill >= KILLS / 3 ? Math.floor(dice() * 6) : 0;
        for (let i = 0; i < writes; i++) await chain.beat();
        await sleep(dice() * (kill >= KILLS / 3 ? 400 : 4_000));
        await stack.kill();
        // Each start waits for the lock of the previous one, as after a real power cut.
        if (kill > 0) await stack.expireLock();
        await chain.play(3);
        await chain.beat();
        stack.restart();
      }
      const start = Date.now();
      await stack.ready();
      await load.nextAnswer();
      const normalAfter = Date.now() - start;
      const seen = await load.stop();
      tell(`${KILLS} times kill -9`, seen, normalAfter);
      expect(seen.wrong).toEqual([]);
      expect(Object.keys(seen.refused).filter((code) => code !== "INDEX_NOT_READY")).toEqual([]);
      expect((await judgeStack(stack, chain.local)).differences).toEqual([]);
      await expectUndisturbed(stack, chain.local);
    } finally {
      await stack.destroy();
    }
  },
  180_000 + KILLS * 150_000,
);
