import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { isReady } from "../../devnet/ponder.ts";
import { metaTable } from "../../engine/ponderInternals.ts";
import type { Rival, Stack } from "../support/stack.ts";
import { judgeStack } from "../truth/trial.ts";
import type { FaultChain } from "./pulse.ts";
import { type FaultStage, openFaultStage } from "./stage.ts";

// Two indexers on one schema. Ponder's own command is used, because `npm start` refuses the second one before Ponder starts.

const TIMEOUT_MS = 300_000;

let stage: FaultStage;
let chain: FaultChain;
let stack: Stack;

beforeAll(async () => {
  stage = await openFaultStage({ seed: inject("seed"), past: 60 });
  ({ chain, stack } = stage);
});
afterAll(() => stage?.close());

const readLock = async () => {
  const [row] = await stack.sql<{ owner: string; locked: number }>(
    `select value ->> 'owner' as owner, (value ->> 'is_locked')::int as locked from ${metaTable} where key = 'app'`,
  );
  return row;
};

const untilIt = (rival: Rival, holds: () => boolean | Promise<boolean>) =>
  vi.waitFor(async () => expect(await holds(), rival.output()).toBe(true), {
    timeout: TIMEOUT_MS,
    interval: 100,
  });

/** Replaces the newest blocks, goes on, and compares the index with the contracts. */
async function reorganise(depth: number): Promise<void> {
  const ends = chain.timeline.slice(-2) as [number, number];
  for (let block = 0; block < depth; block++) await chain.beat();
  await stack.waitForHead();
  await chain.rollback(depth, ends);
  for (let block = 0; block <= depth; block++) await chain.beat();
}

/** Rows of blocks that the chain does not have have transactions without a receipt. */
async function listOrphans(): Promise<string[]> {
  const { client } = chain.local.chain;
  const rows = await stack.sql<{ hash: `0x${string}` }>(
    "select distinct transaction_hash as hash from events",
  );
  const found = await Promise.all(
    rows.map(({ hash }) =>
      client.getTransactionReceipt({ hash }).then(
        () => [],
        () => [hash],
      ),
    ),
  );
  return found.flat();
}

async function expectTruth(): Promise<void> {
  await stack.waitForHead();
  expect(await listOrphans()).toEqual([]);
  expect((await judgeStack(stack, chain.local)).differences).toEqual([]);
}

test.each(["a stop", "a kill", "giving up"])(
  "a second indexer that ends by %s leaves the lock to the first one",
  async (end) => {
    const before = await readLock();
    expect(before?.locked).toBe(1);
    const rival = await stack.startRival();
    if (end === "a stop") await rival.stop();
    if (end === "a kill") await rival.kill();
    if (end === "giving up") {
      expect(await rival.exit).toBe(1);
      expect(rival.output()).toContain("Failed to acquire lock on schema");
    }
    expect(await readLock()).toEqual(before);
    await reorganise(3);
    await expectTruth();
  },
);

test("another build on the schema ends, and leaves the lock to the first one", async () => {
  const before = await readLock();
  const rival = await stack.startRival({ ARCHIVE_READS: "off" });
  expect(await rival.exit).toBe(1);
  expect(rival.output()).toContain("was previously used by a different Ponder app");
  expect(await readLock()).toEqual(before);
  await reorganise(2);
  await expectTruth();
});

test("an indexer that stands still for longer than its lock lives writes nothing when it goes on, and ends with 75", async () => {
  const before = await readLock();
  await chain.beat();
  process.kill(stack.pid(), "SIGSTOP");
  const rival = await stack.startRival();
  await untilIt(rival, () => isReady(rival.url));
  const taken = await readLock();
  expect(taken?.owner).not.toBe(before?.owner);
  for (let block = 0; block < 3; block++) await chain.beat();
  process.kill(stack.pid(), "SIGCONT");
  await vi.waitFor(() => expect(stack.ended()).toBe(75), { timeout: TIMEOUT_MS });
  expect(stack.log()).toContain("Another indexer took over the schema");
  expect(await readLock()).toEqual(taken);
  await rival.stop();
  expect((await readLock())?.locked).toBe(0);
  stack.restart();
  await stack.ready();
  await reorganise(2);
  await expectTruth();
});

test("an indexer that is killed is followed by the one that starts after it and waits for its lock", async () => {
  await chain.beat();
  const before = await readLock();
  await stack.kill();
  const rival = await stack.startRival();
  await untilIt(rival, () => isReady(rival.url));
  const taken = await readLock();
  expect(taken?.locked).toBe(1);
  expect(taken?.owner).not.toBe(before?.owner);
  await rival.stop();
  expect((await readLock())?.locked).toBe(0);
  stack.restart();
  await stack.ready();
  await reorganise(2);
  await expectTruth();
});
