import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { advanceFeed } from "../../src/api/features/feed/advance.ts";
import { readFeed, removeFeed } from "../../src/api/features/feed/install.ts";
import { writePosition } from "../../src/api/features/feed/position.ts";
import { readFeedState } from "../../src/api/features/feed/read.ts";
import type { ChangeRow } from "../../src/api/features/feed/rows.ts";
import { lifeOf } from "../../src/api/names/rules/life.ts";
import { queriesOf } from "../../src/api/server/postgres/client.ts";
import { account, transaction } from "../query/rows.ts";
import type { Chain } from "./engine.ts";
import { openPlay, type Play } from "./histories.ts";
import { domainWrite, nextLog } from "./writes.ts";

// Changes that a fault keeps out of the feed are recovered from what Ponder would undo, within the
// same epoch, or not at all.

let play: Play & { close: () => Promise<void> };
let main: Chain;

beforeAll(async () => {
  play = await openPlay();
  [main] = play.engine.chains as [Chain];
});
afterAll(() => play.close());

/** Each test uses blocks that no other test reverts. */
beforeEach(() => play.catchUp());

const newest = () => play.newest();
const changesAfter = (after: number) => play.changesAfter(after);
const block = (...given: Parameters<Play["block"]>) => play.block(...given);

const named = (rows: readonly ChangeRow[]) =>
  rows.filter(({ source }) => source !== null).map(({ state, type }) => `${state} ${type}`);

const write = (name: string, patch: Record<string, unknown> = {}) => domainWrite(main, name, patch);
const resolverOf = (n: number) => ({ resolver: account(n) });
const break_ = () => play.fail("refused");

test("a fault blocks no write, and readers see that there is a gap", async () => {
  const { epoch, newest: last } = await readFeedState(play.tables.db);
  await break_();
  play.engine.mine(main, { seconds: 12, writes: [write("gap.eth")] });
  await play.engine.index(main);
  expect((await play.tables.pool.query("select from domains where full_name = 'gap.eth'")).rowCount).toBe(1);
  expect(await readFeed(queriesOf(play.client))).toMatchObject({ hasGap: true });
  expect(await advanceFeed(play.client, lifeOf(undefined))).toBe("gap");
  const state = await readFeedState(play.tables.db);
  expect(state, "readers still get what was said before").toMatchObject({ epoch, newest: last });
  expect(state.gapSince).toBeGreaterThan(1_700_000_000);
});

test("a gap is healed from what Ponder would undo: the same changes with their logs, each once", async () => {
  const logged = (name: string, patch: Record<string, unknown>) => [
    write(name, patch),
    nextLog(main, name, "NewResolver"),
  ];
  await block(main, logged("healed.eth", resolverOf(1)));
  const { epoch, healed } = await readFeedState(play.tables.db);
  const before = await newest();
  await break_();
  for (const n of [2, 3]) {
    play.engine.mine(main, { seconds: 12, writes: logged("healed.eth", resolverOf(n)) });
    await play.engine.index(main);
  }
  play.engine.mine(main, { seconds: 12, writes: [...logged("fresh.eth", resolverOf(4))] });
  await play.engine.index(main);
  await play.look();
  const state = await readFeedState(play.tables.db);
  expect(state).toMatchObject({ epoch, gapSince: null, healed: healed + 1 });
  const rows = await changesAfter(before);
  expect(rows.map(({ type, name }) => `${type} ${name}`)).toEqual([
    "feed.healed null",
    "resolver.changed healed.eth",
    "resolver.changed fresh.eth",
    "subname.created fresh.eth",
    "block.ended null",
    "feed.healed null",
    "feed.healed null",
  ]);
  expect(rows[1]).toMatchObject({
    oldValue: { resolver_address: account(1) },
    newValue: { resolver_address: account(3) },
    transactionHash: transaction((main.node.length - 1) * 1_000 + 7),
    blockNumber: main.node.length - 1,
  });
  await block(main, [write("healed.eth", resolverOf(5))]);
  expect(named(await changesAfter(rows.at(-1)?.number ?? 0))).toEqual(["new resolver.changed"]);
  await play.follower.follow(3);
  await play.expectTruth();
});

test("a gap is healed after a reorganisation of changes published before it and inside it: each removal is sent once", async () => {
  await block(main, [write("both.eth", resolverOf(1))]);
  await block(main, [write("both.eth", resolverOf(2)), write("lost.both.eth", resolverOf(2))]);
  const before = await newest();
  await break_();
  play.engine.mine(main, { seconds: 12, writes: [write("both.eth", resolverOf(3))] });
  await play.engine.index(main);
  play.engine.fork(main, 2);
  await play.engine.revert(main, main.node.length);
  await play.look();
  expect(await newest(), "nothing is said before other blocks are there").toBe(before);
  for (const n of [4, 4]) {
    play.engine.mine(main, { seconds: 12, writes: [write("both.eth", resolverOf(n))] });
    await play.engine.index(main);
  }
  await play.look();
  expect(named(await changesAfter(before))).toEqual([
    "removed resolver.changed",
    "removed subname.created",
    "removed resolver.changed",
    "new resolver.changed",
  ]);
  await play.follower.follow(3);
  await play.expectTruth();
});

test("a value that changed and changed back between two looks causes no change after a gap", async () => {
  await block(main, [write("back.eth", resolverOf(1))]);
  for (const n of [2, 1]) {
    play.engine.mine(main, { seconds: 12, writes: [write("back.eth", resolverOf(n))] });
    await play.engine.index(main);
  }
  const between = main.node.length - 1;
  for (let i = 0; i < 4; i++) await block(main, []);
  const before = await newest();
  await break_();
  await block(main, [write("other.back.eth")]);
  expect(main.final, "Ponder has the value of the block between").toBe(between);
  expect(named(await changesAfter(before))).toEqual(["new subname.created"]);
  await play.follower.follow(3);
  await play.expectTruth();
});

test("a feed from an older release with fewer columns ends, and the next one names its last position", async () => {
  const { epoch, newest: last } = await readFeedState(play.tables.db);
  await play.tables.pool.query(
    "alter table feed_state drop column start, drop column healed, drop column gap_at; update feed_state set rules = 'older'",
  );
  await expect(readFeedState(play.tables.db)).rejects.toMatchObject({ code: "INDEX_NOT_READY" });
  await play.look();
  const state = await readFeedState(play.tables.db);
  expect(state.epoch).not.toBe(epoch);
  const [started] = await changesAfter(0);
  expect(started).toMatchObject({
    type: "feed.started",
    details: { previous_position: writePosition({ epoch, number: last }) },
  });
  await play.follower.follow(100);
  await play.expectTruth();
});

test.each(["missing", "withoutTrigger", "disabled"] as const)(
  "a fault (%s) is noticed, and recording starts again",
  async (fault) => {
    const { epoch } = await readFeedState(play.tables.db);
    await play.fail(fault);
    play.engine.mine(main, { seconds: 12, writes: [write(`${fault}.eth`)] });
    await play.engine.index(main);
    await play.look();
    await block(main, [write(`${fault}.eth`, resolverOf(1))]);
    expect((await readFeedState(play.tables.db)).epoch).toBe(epoch);
    await play.follower.follow(3);
    await play.expectTruth();
  },
);

const ends: [string, () => Promise<unknown>][] = [
  [
    "beyond the final block",
    async () => {
      for (let i = 0; i < 9; i++) {
        play.engine.mine(main, { seconds: 12, writes: [] });
        await play.engine.index(main);
      }
    },
  ],
  [
    "into which the indexer starts",
    async () => {
      await play.engine.stop();
      await play.engine.backfill();
      while (main.indexed < main.node.length) await play.engine.index(main);
    },
  ],
];

test.each(ends)("a gap %s ends the epoch, and the next one names the last position", async (_, happens) => {
  await block(main, []);
  const { epoch, newest: last } = await readFeedState(play.tables.db);
  await break_();
  play.engine.mine(main, { seconds: 12, writes: [write("over.eth", resolverOf(last))] });
  await play.engine.index(main);
  await happens();
  await play.look();
  const state = await readFeedState(play.tables.db);
  expect(state.epoch).not.toBe(epoch);
  const [started] = await changesAfter(0);
  const previous = { previous_position: `${epoch}-${last}` };
  expect(started).toMatchObject({ type: "feed.started", details: previous });
  await block(main, [write("after.eth", resolverOf(last))]);
  await play.follower.follow(100);
  await play.expectTruth();
});

test("a feed that is switched off is removed with its triggers, and starts a new epoch when switched on again", async () => {
  await block(main, [write("before.eth")]);
  const { epoch } = await readFeedState(play.tables.db);
  const countOf = async (text: string) => (await play.tables.pool.query(text)).rowCount;
  const triggers = "select from pg_trigger where tgname like 'feed\\_%'";
  expect(await countOf(triggers)).toBeGreaterThan(0);
  expect(await removeFeed(play.client, "public")).toBe(true);
  expect(await countOf(triggers)).toBe(0);
  expect(await countOf("select from pg_proc where proname like 'feed\\_%'")).toBe(0);
  expect(await readFeed(queriesOf(play.client))).toBeNull();
  play.engine.mine(main, { seconds: 12, writes: [write("unseen.eth")] });
  await play.engine.index(main);
  expect(await removeFeed(play.client, "public")).toBe(true);
  await play.look();
  expect((await readFeedState(play.tables.db)).epoch).not.toBe(epoch);
  await block(main, [write("seen.eth")]);
  await play.follower.follow(100);
  await play.expectTruth();
});
