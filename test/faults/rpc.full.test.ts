import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { launchStack, type Stack, startStack } from "../support/stack.ts";
import { judge } from "../truth/oracle.ts";
import { judgeStack } from "../truth/trial.ts";
import { startLoad } from "./load.ts";
import { type FaultChain, startFaultChain } from "./pulse.ts";
import { type FaultyRpc, type RpcFault, startFaultyRpc } from "./rpcFaults.ts";
import { tell } from "./tell.ts";

/** How long each fault lasts in the backfill, in milliseconds. */
const BACKFILL_SPELL_MS = 700;
const LIVE_BEATS = 4;
/**
 * An older head that comes late is a reorganisation to Ponder: it removes the blocks above and indexes them again. Meanwhile
 * answers match a block that is this many beats older, as a whole and correctly.
 */
const TAKEN_BACK = 3 * LIVE_BEATS;

/** Each fault with its share of requests: every nth. */
const faults: [RpcFault, every: number][] = [
  ["drop", 3],
  ["delay", 3],
  ["truncate", 3],
  ["reorder", 1],
  ["status500", 3],
  ["status429", 3],
  ["error", 3],
  ["noBlock", 3],
  ["staleHead", 1],
];

let chain: FaultChain;
let node: FaultyRpc;

beforeAll(async () => {
  chain = await startFaultChain({ seed: 31_337, past: 100 });
  node = await startFaultyRpc(chain.local.anvil.url);
});
afterAll(async () => {
  await node?.close();
  await chain?.stop();
});

const plan = () => ({
  rpcUrl: node.url,
  deployment: chain.local.deployment,
  env: { LIVE_RPC_URL: chain.local.anvil.url },
});

const isBackfilled = async ({ url }: Stack): Promise<boolean> =>
  (await fetch(`${url}/ready`).catch(() => null))?.status === 200;

/** Ponder does not request a head again that it could not fetch: the next block brings it along. */
async function heal(): Promise<void> {
  node.set(null);
  await sleep(300);
  await chain.beat();
}

const expectWhole = async (stack: Stack) =>
  expect((await judgeStack(stack, chain.local)).differences).toEqual([]);

test("a backfill from a node that fails in every way in turn has every row", async () => {
  const stack = await launchStack(plan());
  try {
    for (let turn = 0; turn < faults.length || !(await isBackfilled(stack)); turn++) {
      const [fault, every] = faults[turn % faults.length] as (typeof faults)[number];
      node.set(fault, every);
      await sleep(BACKFILL_SPELL_MS);
      if (stack.ended() !== null) throw new Error(`Ended during "${fault}"\n${stack.log()}`);
      if (turn > 60) break;
    }
    await heal();
    await stack.ready();
    await expectWhole(stack);
  } finally {
    node.set(null);
    await stack.destroy();
  }
}, 600_000);

test("an index that follows such a node misses nothing, and answers correctly meanwhile", async () => {
  const stack = await startStack(plan());
  const load = startLoad({ url: () => stack.url, timeline: chain.timeline, slack: () => TAKEN_BACK });
  try {
    for (const [fault, every] of [...faults, ["noLogs", 2] as const]) {
      const start = Date.now();
      const hits = () => node.counts[fault] ?? 0;
      const before = hits();
      node.set(fault, every);
      for (let beat = 0; beat < LIVE_BEATS; beat++) await chain.beat();
      await chain.play(2);
      await sleep(800);
      await vi.waitUntil(() => hits() > before, { timeout: 60_000, interval: 50 });
      const healed = Date.now();
      await heal();
      await stack.waitForHead();
      tell(`live ${fault}, ${healed - start} ms`, load.seen(), Date.now() - healed);
    }
    await load.nextAnswer();
    const seen = await load.stop();
    expect(seen.wrong).toEqual([]);
    expect(seen).toMatchObject({ unanswered: 0 });
    await expectWhole(stack);
  } finally {
    node.set(null);
    await stack.destroy();
  }
}, 600_000);

test("past logs omitted by a node are missing unnoticed: the node must be trusted", async () => {
  node.set("noLogs", 4);
  const stack = await launchStack(plan());
  try {
    const deadline = Date.now() + 240_000;
    while (!(await isBackfilled(stack))) {
      if (stack.ended() !== null || Date.now() > deadline)
        throw new Error(`${stack.ended()}\n${stack.log()}`);
      await sleep(100);
    }
    await heal();
    await stack.waitForHead();
    const { anvil, deployment } = chain.local;
    const index = { rpcUrl: anvil.url, deployment, query: stack.sql, archiveReads: true };
    const { differences } = await judge(index);
    expect(differences.some((line) => line.includes("0 rows, chain says 1"))).toBe(true);
  } finally {
    node.set(null);
    await stack.destroy();
  }
}, 600_000);
