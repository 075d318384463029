// Also runs as: long
import pg from "pg";
import { namehash } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type ChangeFilters, isWanted } from "../../src/api/features/feed/filters.ts";
import { beginEpoch } from "../../src/api/features/feed/install.ts";
import { numberAfter, readChanges, readFeedState } from "../../src/api/features/feed/read.ts";
import { removeOld } from "../../src/api/features/feed/retention.ts";
import type { ChangeRow } from "../../src/api/features/feed/rows.ts";
import { account, CHAIN_ID, transaction } from "../query/rows.ts";
import { isLong } from "../support/size.ts";
import type { Chain } from "./engine.ts";
import { openPlay, type Play } from "./histories.ts";
import { domainWrite, nextLog } from "./writes.ts";

let play: Play & { close: () => Promise<void> };
let main: Chain;
let other: Chain;

beforeAll(async () => {
  play = await openPlay();
  [main, other] = play.engine.chains as [Chain, Chain, Chain];
});
afterAll(() => play.close());

/** Each test uses blocks that no other test reverts. */
beforeEach(async () => {
  await play.catchUp();
});

const changesAfter = (after: number, filters?: ChangeFilters) => play.changesAfter(after, filters);
const newest = () => play.newest();
const block = (...given: Parameters<Play["block"]>) => play.block(...given);

const named = (rows: readonly ChangeRow[]) =>
  rows.filter(({ source }) => source !== null).map(({ state, type }) => `${state} ${type}`);

test("a change has its name, block, log and both values", async () => {
  await block(main, [
    domainWrite(main, "one.eth", { registry_owner: account(1), effective_owner_address: account(1) }),
  ]);
  const before = await newest();
  await block(main, [
    domainWrite(main, "one.eth", { registry_owner: account(2), effective_owner_address: account(2) }),
    nextLog(main, "one.eth", "Transfer"),
  ]);
  const [change, end] = await changesAfter(before);
  expect(change).toMatchObject({
    type: "name.transferred",
    state: "new",
    name: "one.eth",
    node: namehash("one.eth"),
    chainId: CHAIN_ID,
    blockNumber: main.node.length,
    blockHash: main.node.at(-1)?.hash,
    logIndex: 7,
    transactionHash: transaction(main.node.length * 1_000 + 7),
    addresses: [account(2)],
    oldValue: { owner_address: account(1) },
    newValue: { owner_address: account(2) },
  });
  expect(end).toMatchObject({ type: "block.ended", blockHash: main.node.at(-1)?.hash });
});

test("a new name for an old node is a change without a log", async () => {
  await block(main, [domainWrite(main, "two.eth", { full_name: "[aa].eth" })]);
  const before = await newest();
  await block(main, [domainWrite(main, "two.eth", {})]);
  const [change] = await changesAfter(before);
  expect(change).toMatchObject({
    type: "name.renamed",
    name: "two.eth",
    transactionHash: null,
    logIndex: null,
    oldValue: { name: "[aa].eth" },
    newValue: { name: "two.eth" },
  });
});

test.each([1, 2, 6])(
  "a reorganisation of %i blocks sends each removal once, and only for changes that stayed away",
  async (depth) => {
    const name = `lost${depth}.eth`;
    const before = await newest();
    for (let i = 0; i < depth; i++)
      await block(main, [domainWrite(main, name, { resolver: account(10 + i) })]);
    const said = named(await changesAfter(before));
    expect(said).toEqual([
      "new subname.created",
      ...Array.from({ length: depth }, () => "new resolver.changed"),
    ]);
    const middle = await newest();
    play.engine.fork(main, depth);
    await play.engine.revert(main, main.node.length);
    await play.look();
    expect(await newest(), "nothing is said before other blocks are there").toBe(middle);
    for (let i = 0; i < depth; i++) await block(main, []);
    const removals = (await changesAfter(middle)).filter(({ source }) => source !== null);
    expect(removals.map(({ state }) => state)).toEqual(said.map(() => "removed"));
    expect(new Set(removals.map(({ takenBack }) => takenBack)).size).toBe(said.length);
    expect(removals.at(-1)?.newValue, "the first one is taken back last").toBeNull();
    await play.follower.follow(10);
    await play.expectTruth();
  },
);

test("a change that reappears on another branch is sent with its new block", async () => {
  const write = () => domainWrite(main, "again.eth", { resolver: account(5) });
  await block(main, [write()]);
  const before = await newest();
  play.engine.fork(main, 1);
  await play.engine.revert(main, main.node.length);
  await block(main, [write()]);
  expect(named(await changesAfter(before))).toEqual([
    "removed resolver.changed",
    "removed subname.created",
    "new subname.created",
    "new resolver.changed",
  ]);
});

test("a reorganisation of one chain does not appear in the feed of another whose rows are undone and restored", async () => {
  play.engine.mine(main, { seconds: 12, writes: [domainWrite(main, "own.eth", { resolver: account(6) })] });
  await play.engine.index(main);
  await block(other, [domainWrite(other, "others.eth", { resolver: account(7) })]);
  const before = await newest();
  play.engine.fork(main, 1);
  await play.engine.revert(main, main.node.length);
  await play.look();
  await block(main, []);
  await block(other, []);
  const rows = (await changesAfter(before)).filter(({ source }) => source !== null);
  expect(rows.length).toBe(2);
  expect(rows.map(({ chainId, state }) => `${chainId} ${state}`)).toEqual(
    rows.map(() => `${main.chainId} removed`),
  );
});

test("a start that reverts rows and restores the same ones publishes nothing", async () => {
  for (let i = 0; i < 4; i++)
    await block(main, [domainWrite(main, "start.eth", { resolver: account(20 + i) })]);
  const before = await newest();
  await play.engine.stop();
  await play.look();
  await play.engine.backfill();
  await play.look();
  while (main.indexed < main.node.length) {
    await play.engine.index(main);
    await play.look();
  }
  for (const chain of play.engine.chains)
    while (chain.indexed < chain.node.length) await play.engine.index(chain);
  await play.look();
  expect(named(await changesAfter(before))).toEqual([]);
});

test("changes made while no indexer ran are published after the start", async () => {
  await play.engine.stop();
  play.engine.mine(main, { seconds: 12, writes: [domainWrite(main, "meanwhile.eth", {})] });
  for (let i = 0; i < 10; i++) play.engine.mine(main, { seconds: 12, writes: [] });
  const before = await newest();
  await play.engine.backfill();
  await play.look();
  expect(named(await changesAfter(before))).toEqual(["new subname.created"]);
});

test("changes become final through one marker", async () => {
  await block(main, [domainWrite(main, "final.eth", {})]);
  const of = main.node.length;
  const before = await newest();
  for (let i = 0; i < 8; i++) await block(main, []);
  const markers = (await changesAfter(before)).filter(({ type }) => type === "chain.finalized");
  expect(markers.map(({ blockNumber }) => blockNumber)).toEqual([of]);
});

test("filters match the same changes in SQL as in memory", async () => {
  const all = await changesAfter(0);
  const some: ChangeFilters[] = [
    { types: ["resolver.changed", "chain.finalized"] },
    { chainIds: [other.chainId] },
    { subtree: "eth" },
    { node: namehash("one.eth") },
    { subtree: "one.eth" },
    { address: account(2) },
    { resolver: account(5) },
    {},
  ];
  for (const filters of some) {
    const found = (await changesAfter(0, filters)).filter(({ type }) => type !== "block.ended");
    expect(found.map(({ number }) => number)).toEqual(
      all.filter((row) => isWanted(row, filters)).map(({ number }) => number),
    );
    expect(found.length).toBeGreaterThan(0);
  }
});

test("a filtering reader gets the end of each block that has matching changes, however short its pages", async () => {
  const before = await newest();
  await block(main, [
    domainWrite(main, "x.pages.eth", { resolver: account(1) }),
    domainWrite(main, "y.eth", {}),
  ]);
  await block(main, [domainWrite(main, "y.eth", { resolver: account(1) })]);
  await block(main, [domainWrite(main, "x.pages.eth", { resolver: account(2) })]);
  const state = await readFeedState(play.tables.db);
  for (const limit of [1, 2, 3, 100]) {
    const types: string[] = [];
    for (let after = before; after < state.newest; ) {
      const page = await readChanges(play.tables.db, {
        after,
        newest: state.newest,
        limit,
        filters: { subtree: "pages.eth" },
      });
      types.push(...page.rows.map(({ type }) => type));
      after = page.next;
    }
    expect(types).toEqual([
      "subname.created",
      "resolver.changed",
      "block.ended",
      "resolver.changed",
      "block.ended",
    ]);
  }
});

const CHANGES = isLong() ? 6_000 : 2_000;
test(`${CHANGES} changes in one block are one block of the feed`, async () => {
  const before = await newest();
  await block(
    main,
    Array.from({ length: CHANGES }, (_, i) => domainWrite(main, `spam${i}.eth`, {})),
  );
  expect((await newest()) - before).toBe(CHANGES + 1);
  expect((await changesAfter(before + CHANGES - 1)).map(({ type }) => type)).toEqual([
    "subname.created",
    "block.ended",
  ]);
});

test("old changes are removed, and readers positioned before them are told so", async () => {
  const { tables, client } = play;
  await tables.pool.query(
    "update feed_changes set written_at = now() - interval '2 hours' where number <= 10",
  );
  while (await removeOld(client, { days: 7, changes: 10 }));
  const state = await readFeedState(tables.db);
  expect(state.oldest).toBe(10);
  expect((await changesAfter(state.oldest))[0]?.number).toBe(11);
  expect(() => numberAfter({ epoch: state.epoch, number: 9 }, state)).toThrow(
    /no longer stored; the oldest is .*-10/,
  );
  expect(numberAfter({ epoch: state.epoch, number: 10 }, state)).toBe(10);
  expect(() => numberAfter({ epoch: "0".repeat(12), number: 10 }, state)).toThrow(/another epoch/);
});

test("while the tables are locked, no epoch begins and nothing waits", async () => {
  const writing = new pg.Client({ connectionString: play.tables.databaseUrl });
  await writing.connect();
  await writing.query("begin; update domains set label = label where false");
  expect(await beginEpoch(play.client, "public")).toBe(false);
  await writing.end();
});
