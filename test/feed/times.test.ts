import { namehash } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
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

test("time brings each end once, at the first block that reaches it", async () => {
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
    ...["new name.expires_in 90", "new name.expires_in 30", "new name.expires_in 7"],
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

test("a renewal before the second takes an end out, and a branch without the second takes it back once", async () => {
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
