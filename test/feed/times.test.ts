import { namehash } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PARENT_CANNOT_CONTROL } from "../../src/ens/wrapper.ts";
import { account } from "../query/rows.ts";
import type { Chain } from "./engine.ts";
import { openPlay, type Play } from "./histories.ts";
import { domainWrite } from "./writes.ts";

const DAY = 86_400;

let play: Play & { close: () => Promise<void> };
let main: Chain;

beforeAll(async () => {
  play = await openPlay();
  [main] = play.engine.chains as [Chain];
});
afterAll(() => play.close());
beforeEach(() => play.catchUp());

const timeOf = (chain: Chain) => chain.node.at(-1)?.timestamp ?? 0;

const changesAfter = (...given: Parameters<Play["changesAfter"]>) => play.changesAfter(...given);
const newest = () => play.newest();
const block = (...given: Parameters<Play["block"]>) => play.block(...given);

test("each end of a name is published once, at the first block that reaches it", async () => {
  const expiry = timeOf(main) + 100 * DAY;
  const terms = { expiry_timestamp: expiry, registrar_expiry_timestamp: expiry };
  await block(main, [domainWrite(main, "timed.eth", terms)]);
  const before = await newest();
  const times = async () =>
    (await changesAfter(before, { node: namehash("timed.eth") }))
      .filter(({ source }) => source === "time")
      .map(({ type, state, details }) => `${state} ${type} ${details.days ?? ""}`.trim());
  await block(main, [], 5 * DAY);
  expect(await times()).toEqual([]);
  await block(main, [], 6 * DAY);
  expect(await times()).toEqual(["new name.expires_in 90"]);
  await block(main, [], 86 * DAY);
  expect(await times()).toEqual([
    "new name.expires_in 90",
    "new name.expires_in 30",
    "new name.expires_in 7",
  ]);
  await block(main, [], expiry - timeOf(main) - 1);
  expect((await times()).at(-1)).toBe("new name.expires_in 1");
  await block(main, [], 1);
  expect((await times()).at(-1)).toBe("new name.expired");
  await block(main, [], 90 * DAY);
  expect((await times()).at(-1)).toBe("new name.expired");
  await block(main, [], 1);
  expect((await times()).at(-1)).toBe("new name.grace_ended");
  await block(main, [], 21 * DAY);
  expect((await times()).at(-1)).toBe("new name.premium_ended");
  expect((await times()).length).toBe(7);
});

test("a renewal in time cancels an end, and a branch that has not reached the second reverts it once", async () => {
  const expiry = timeOf(main) + 200 * DAY;
  const write = (at: number) =>
    domainWrite(main, "renewed.eth", { expiry_timestamp: at, registrar_expiry_timestamp: at });
  await block(main, [write(expiry)]);
  await block(main, [write(expiry + 365 * DAY)], 199 * DAY);
  const before = await newest();
  await block(main, [], 2 * DAY);
  const ended = async () =>
    (await changesAfter(before, { node: namehash("renewed.eth") })).map(
      ({ type, state }) => `${state} ${type}`,
    );
  expect(await ended()).not.toContain("new name.expired");
  await block(main, [], expiry + 365 * DAY - timeOf(main));
  expect(await ended()).toContain("new name.expired");
  play.engine.fork(main, 1);
  await play.engine.revert(main, main.node.length);
  await block(main, [], 12);
  expect((await ended()).filter((one) => one === "removed name.expired").length).toBe(1);
  await block(main, [], expiry + 365 * DAY - timeOf(main));
  expect((await ended()).filter((one) => one === "new name.expired").length).toBe(2);
  play.engine.fork(main, 1);
  await play.engine.revert(main, main.node.length);
  await block(main, [], expiry + 366 * DAY - timeOf(main));
  expect(
    (await ended()).filter((one) => one.endsWith("name.expired")).length,
    "it holds in both branches",
  ).toBe(3);
});

const renewal = (name: string, at: number) =>
  domainWrite(main, name, { expiry_timestamp: at, registrar_expiry_timestamp: at });

/** What the feed has published since a number about a name's changes by time. */
const timesOf = async (name: string, before: number) =>
  (await changesAfter(before, { node: namehash(name) })).filter(({ source }) => source === "time");

test("an end that holds in both branches has the new branch's block and is published once, even when final", async () => {
  const expiry = timeOf(main) + 300 * DAY;
  await block(main, [renewal("both.eth", expiry)]);
  const before = await newest();
  await block(main, [], 300 * DAY);
  const [first] = (await timesOf("both.eth", before)).filter(({ type }) => type === "name.expired");
  play.engine.fork(main, 1);
  await play.engine.revert(main, main.node.length);
  // The other branch reaches it five blocks later.
  for (let i = 0; i < 4; i++) await block(main, [], 12);
  await block(main, [], expiry - timeOf(main));
  const reached = main.node.at(-1);
  const expired = () =>
    timesOf("both.eth", before).then((all) => all.filter(({ type }) => type === "name.expired"));
  const [, removed, again] = await expired();
  expect([removed?.state, again?.state]).toEqual(["removed", "new"]);
  expect(again?.blockHash).toBe(reached?.hash);
  play.engine.fork(main, 1);
  await play.engine.revert(main, main.node.length);
  for (let i = 0; i < 3; i++)
    play.engine.mine(main, { seconds: i === 2 ? expiry - timeOf(main) : 12, writes: [] });
  while (main.indexed < main.node.length) await play.engine.index(main);
  await play.look();
  const held = (await expired()).at(-1);
  expect([held?.state, held?.blockHash]).toEqual(["new", main.node.at(-1)?.hash]);
  expect(await expired()).toHaveLength(3);
  expect(first?.blockHash).not.toBe(held?.blockHash);
});

test("a branch without the renewal publishes the name's end, even at a time the previous branch had passed", async () => {
  const expiry = timeOf(main) + 400 * DAY;
  await block(main, [renewal("unrenewed.eth", expiry)]);
  await block(main, [], 400 * DAY - 100);
  const before = await newest();
  await block(main, [renewal("unrenewed.eth", expiry + 365 * DAY)], 12);
  await block(main, [], 100);
  const types = async () =>
    (await timesOf("unrenewed.eth", before)).map(({ type, state }) => `${state} ${type}`);
  expect(await types()).toEqual([]);
  play.engine.fork(main, 2);
  await play.engine.revert(main, main.node.length);
  for (const seconds of [12, 100, 12]) play.engine.mine(main, { seconds, writes: [] });
  while (main.indexed < main.node.length) await play.engine.index(main);
  await play.look();
  expect(await types()).toEqual(["new name.expired"]);
});

test("an end left by a start whose branch has not reached it is reverted, and published again once reached", async () => {
  const expiry = timeOf(main) + 500 * DAY;
  await block(main, [renewal("started.eth", expiry)]);
  for (let i = 0; i < 8; i++) await block(main, []);
  const before = await newest();
  await block(main, [], 500 * DAY);
  const expired = async () =>
    (await timesOf("started.eth", before))
      .filter(({ type }) => type === "name.expired")
      .map(({ state }) => state);
  expect(await expired()).toEqual(["new"]);
  await play.engine.stop();
  play.engine.fork(main, 1);
  // After a start, past blocks without logs are not in the journal.
  for (let i = 0; i < 10; i++) play.engine.mine(main, { seconds: 12, writes: [] });
  await play.engine.backfill();
  while (main.indexed < main.node.length) await play.engine.index(main);
  await play.look();
  expect(await expired()).toEqual(["new", "removed"]);
  await block(main, [], expiry - timeOf(main));
  expect(await expired()).toEqual(["new", "removed", "new"]);
});

test("time ends an emancipated subname with its token, but changes nothing for a name whose parent keeps control", async () => {
  const expiry = timeOf(main) + 100 * DAY;
  const before = await newest();
  const wrapped = (name: string, fuses: number) =>
    domainWrite(main, name, {
      is_wrapped: true,
      wrapper_fuses: fuses,
      effective_owner_address: account(1),
      expiry_timestamp: expiry,
      wrapper_expiry_timestamp: expiry,
    });
  await block(main, [wrapped("ends.boxed.eth", PARENT_CANNOT_CONTROL), wrapped("lasts.boxed.eth", 1)]);
  await block(main, [], expiry - timeOf(main));
  const types = async (name: string) => (await timesOf(name, before)).map(({ type }) => type);
  const notices = Array.from({ length: 4 }, () => "name.expires_in");
  expect(await types("ends.boxed.eth"), "the owner has it in the second of the expiry").toEqual(notices);
  await block(main, [], 1);
  expect((await types("ends.boxed.eth")).toSorted()).toEqual(["name.expired", ...notices, "wrapper.expired"]);
  await block(main, [], 400 * DAY);
  expect(await types("lasts.boxed.eth")).toEqual([]);
});
