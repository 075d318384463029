// Also runs as: long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLong, sizeOf } from "../support/size.ts";
import type { CountedChain } from "./journalChains.ts";
import { type JournalStage, openJournalStage } from "./journalStage.ts";
import { type Watch, watchJournal } from "./journalWatch.ts";

// The journal of blocks, the feed of changes that follows it, and the webhooks that follow the feed, during reorganisations and
// restarts of the indexer.

const depths = {
  main: sizeOf({ short: [9], long: [1, 2, 3, 5, 8, 13, 21, 34, 55, 64] }),
  base: sizeOf({ short: [7], long: [1, 2, 4, 7, 11, 16, 22, 29] }),
};

let stage: JournalStage;
let watch: Watch;

beforeAll(async () => {
  stage = await openJournalStage();
  const { stack, replica, both } = stage;
  watch = await watchJournal(stack, { chains: both, urls: [stack.url, replica.url] });
});
afterAll(() => stage?.close());

async function expectTruth(): Promise<void> {
  await stage.waitForHeads();
  await stage.expectJournal();
  await stage.expectFollowed();
}

async function reorganise(chain: CountedChain, depth: number): Promise<void> {
  await stage.grow(chain, depth + 1);
  await stage.waitForHeads();
  await stage.expectFollowed();
  const height = await chain.height();
  const hashes = (await chain.blocks(height - depth + 1, height)).map(({ hash }) => hash);
  await chain.rollback(depth);
  watch.lost(hashes);
  await stage.grow(chain, depth + 1);
  await expectTruth();
}

test("after the backfill the journal has the last final block, every later block, and every earlier block with logs", () =>
  stage.expectJournal());

test.each(depths.main)("a reorganisation of %i blocks of the main chain", (depth) =>
  reorganise(stage.chains.main, depth),
);

test.each(depths.base)("a reorganisation of %i blocks of the layer 2", (depth) =>
  reorganise(stage.chains.base, depth),
);

test("a chain flaps between branches without logs while the other chain has some", async () => {
  const { main, base } = stage.chains;
  const turns = sizeOf({ short: 3, long: 40 });
  for (let turn = 0; turn < turns; turn++) {
    await base.log();
    await main.mine(2);
    await stage.waitForHeads();
    const height = await main.height();
    const lost = await main.blocks(height - 1, height);
    await main.rollback(2);
    watch.lost(lost.map(({ hash }) => hash));
    await main.mine(3);
    await stage.waitForHeads();
  }
  await expectTruth();
});

test("a fault of the feed stops nothing; delayed changes arrive in the same epoch", async () => {
  const epoch = async () =>
    (await stage.stack.api<{ newest_position: string }>("/changes?after=newest")).body.newest_position.split(
      "-",
    )[0];
  await expectTruth();
  const before = await epoch();
  const changes = stage.follower.changes;
  await stage.stack.sql("alter table feed_touched add constraint refused check (false) not valid");
  await stage.grow(stage.chains.main, 4);
  await expectTruth();
  expect(stage.follower.changes).toBeGreaterThan(changes);
  expect(await epoch()).toBe(before);
  const [state] = await stage.stack.sql<{ healed: number }>("select healed from feed_state");
  expect(state?.healed).toBeGreaterThan(0);
});

test("a stream gives a change with its block, through a replica as well", async () => {
  for (const { url } of [stage.stack, stage.replica]) {
    const leaving = new AbortController();
    const reply = await fetch(`${url}/changes/stream?type=record.text.changed`, { signal: leaving.signal });
    expect(reply.headers.get("content-type")).toBe("text/event-stream");
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    await stage.chains.main.log();
    while (!text.includes("event: change")) text += (await reader?.read())?.value ?? "";
    expect(text).toContain('"type":"record.text.changed"');
    leaving.abort();
  }
});

test("a webhook gets every change of the feed, in order, including those of rolled back branches", async () => {
  expect(await stage.receiver.expectAll()).toBeGreaterThan(20);
});

test("through all of this no state, answer or notification named a block that the tables did not represent", async () => {
  const seen = await watch.stop();
  expect(seen.wrong).toEqual([]);
  expect(seen.samples).toBeGreaterThan(100);
  expect(seen.answers).toBeGreaterThan(100);
  expect(seen.notices).toBeGreaterThan(sizeOf({ short: 30, long: 100 }));
});

describe("an indexer that starts again", () => {
  const ways: [string, () => Promise<void>][] = [
    ["a clean stop", () => stage.stack.stop()],
    ["a kill", () => stage.stack.kill()],
  ];

  /** Ends the indexer, performs an action meanwhile, and starts it. */
  async function restart(end: () => Promise<void>, meanwhile: () => Promise<void>): Promise<void> {
    const { stack, both } = stage;
    await expectTruth();
    watch = await watchJournal(stack, { chains: both, urls: [stack.url] });
    await end();
    await meanwhile();
    await stack.expireLock();
    stack.restart();
    await stack.ready();
    await stage.waitForHeads();
    await stage.chains.base.mine(1);
    await stage.waitForHeads();
    expect((await watch.stop()).wrong).toEqual([]);
    await expectTruth();
  }

  test.each(sizeOf({ short: ways.slice(1), long: ways }))(
    "after %s has every block again, including those that came meanwhile, and gives no change twice",
    async (_, end) => {
      const { chains, follower, grow } = stage;
      await grow(chains.main, 5);
      await expectTruth();
      const before = follower.changes;
      await restart(end, () => chains.main.mine(5));
      expect(follower.changes, "rows went and came back").toBe(before);
    },
  );

  test.runIf(isLong()).each(ways)(
    "after %s has nothing of a branch that was replaced meanwhile",
    async (_, end) => {
      const { chains, follower, grow } = stage;
      await grow(chains.main, 8);
      await expectTruth();
      const before = follower.changes;
      await restart(end, async () => {
        await chains.main.rollback(6);
        await grow(chains.main, 9);
      });
      expect(follower.changes).toBeGreaterThan(before);
    },
  );
});

test("a webhook gets every change, in order, even if the process that sent them ended", async () => {
  expect(await stage.receiver.expectAll()).toBeGreaterThan(40);
});
