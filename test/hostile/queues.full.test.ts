import { type Address, getAddress, type Hex, namehash, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rpc } from "../../devnet/acts.ts";
import { startLocalChain } from "../../devnet/localChain.ts";
import { MAX_WORK_PER_BLOCK } from "../../src/indexing/write/blockQueue.ts";
import { type Emission, type Emit, emitterOn } from "../chain/emittedLogs.ts";
import {
  ALICE,
  BOB,
  deployProxy,
  ETH,
  foundations,
  LATER,
  link,
  numberOf,
  register,
  registeredEntry,
  registryLog,
  withEnsv2,
} from "../chain/ensv2Logs.ts";
import { expectPathEnds } from "../chain/ensv2Paths.ts";
import { lower, type Stage, stageOf } from "../chain/stage.ts";

/*
 * Linking and unlinking a large registry again and again costs the index only the work for the final links, and does not delay
 * others.
 */

const address = (digits: string): Address => getAddress(`0x${digits.repeat(20)}`);
const [BIG, HONEST] = [address("91"), address("92")];
/** More than two blocks' worth. */
const MANY = 1_050;
const HONEST_NAMES = 60;

let stage: Stage;
let emit: Emit;

const entries = (by: Address, count: number): Emission[] =>
  Array.from({ length: count }, (_, number) => registeredEntry(by, { label: `e${number}`, owner: BOB }));

beforeAll(async () => {
  const local = await startLocalChain();
  emit = await emitterOn(local.chain, local);
  const names = ["attack", "honest", "sweep"].flatMap((label) => register(ETH, { label, owner: ALICE }));
  await emit(...foundations(), ...deployProxy(BIG), ...deployProxy(HONEST), ...names);
  for (let first = 0; first < MANY; first += 600) await emit(...entries(BIG, MANY).slice(first, first + 600));
  await emit(...entries(HONEST, HONEST_NAMES));
  stage = await stageOf({ ...local, deployment: withEnsv2(local) });
});
afterAll(() => stage?.close());

const set = (label: string, subregistry: Address) => link(ETH, { label, subregistry });

/** Links and unlinks a registry, ending unlinked. */
const toggle = (label: string, times: number): Emission[] =>
  Array.from({ length: times }, () => [set(label, BIG), set(label, zeroAddress)]).flat();

const anyBlock = () =>
  emit(registryLog(ETH, "URIUpdated", { uri: "", renderer: zeroAddress, sender: ALICE }));

async function countBelow(name: string, registry: Address): Promise<number> {
  await stage.stack.waitForHead();
  const [row] = await stage.sql<{ count: number }>(
    "select count(*)::int as count from domains where parent_node = $1 and registry = $2",
    [namehash(name), lower(registry)],
  );
  return row?.count ?? 0;
}

/** The waiting lists, and since when the first of them waits. */
async function readWaiting() {
  await stage.stack.waitForHead();
  const [row] = await stage.sql<{ lists: number; since: number | null }>(
    "select count(*)::int as lists, min(since_timestamp)::float8 as since from work_lists where next_item is not null",
  );
  return row ?? { lists: 0, since: null };
}

async function finish(): Promise<number> {
  for (let blocks = 0; ; blocks++) {
    if ((await readWaiting()).lists === 0) return blocks;
    if (blocks > 50) throw new Error("names wait for ever");
    await anyBlock();
  }
}

test("an honest registry linked between two attacks is complete a few blocks later", async () => {
  await emit(...toggle("attack", 100));
  await emit(set("honest", HONEST));
  await emit(...toggle("attack", 100));
  for (let block = 0; block < 3; block++) await anyBlock();
  expect(await countBelow("honest.eth", HONEST)).toBe(HONEST_NAMES);
});

describe("a registry that is linked and unlinked 500 times in one transaction", () => {
  test("waits once, and only with the names that it got", async () => {
    await finish();
    await emit(...toggle("attack", 500));
    const { lists, since } = await readWaiting();
    expect(lists).toBeLessThanOrEqual(1);
    if (lists > 0) expect(since).toBeGreaterThan(1_000_000_000);
    expect(await countBelow("attack.eth", BIG)).toBeLessThanOrEqual(MAX_WORK_PER_BLOCK);
    expect(await finish()).toBeLessThanOrEqual(2);
    expect(await countBelow("attack.eth", BIG)).toBe(0);
  });

  test("has all of its names a few blocks later, if it is linked at the end", async () => {
    await emit(...toggle("attack", 500), set("attack", BIG));
    expect((await readWaiting()).lists).toBeLessThanOrEqual(1);
    expect(await finish()).toBeLessThanOrEqual(Math.ceil((2 * MANY) / MAX_WORK_PER_BLOCK) + 1);
    expect(await countBelow("attack.eth", BIG)).toBe(MANY);
  });
});

test("a registry linked at many names in turn no longer waits for those it was unlinked from before its turn", async () => {
  const labels = Array.from({ length: 60 }, (_, number) => `sweep${number}`);
  await emit(set("attack", zeroAddress));
  await finish();
  await emit(...labels.flatMap((label) => register(ETH, { label, owner: ALICE })));
  await emit(...labels.flatMap((label) => [set(label, BIG), set(label, zeroAddress)]));
  expect((await readWaiting()).lists).toBeLessThanOrEqual(1);
  expect(await finish()).toBeLessThanOrEqual(2);
});

test("a parent that is renewed in each block lets every name below it follow", async () => {
  await emit(set("attack", BIG));
  await finish();
  const renewed = (newExpiry: bigint) =>
    registryLog(ETH, "ExpiryUpdated", { tokenId: numberOf("attack"), newExpiry, sender: ALICE });
  for (let block = 0n; block < 6n; block++) await emit(renewed(LATER + block));
  await stage.stack.waitForHead();
  const paths = () =>
    stage.sql<{ path: string; count: number }>(
      "select path_expiry_timestamp::text as path, count(*)::int as count from domains where parent_node = $1 group by 1",
      [namehash("attack.eth")],
    );
  // No name is left behind at the first of the renewals, however often the list was requested.
  expect((await paths()).map(({ path }) => path)).not.toContain(String(LATER));
  await finish();
  expect(await paths()).toEqual([{ path: String(LATER + 5n), count: MANY }]);
  await expectPathEnds(stage.sql);
});

test("a reorganisation reverts the queue with everything else", async () => {
  await emit(set("attack", BIG));
  await finish();
  await emit(set("attack", zeroAddress));
  await stage.stack.waitForHead();
  expect((await readWaiting()).lists).toBe(1);
  await rpc<Hex>(stage.chain, "anvil_rollback", [1]);
  await emit(registryLog(ETH, "URIUpdated", { uri: "a", renderer: zeroAddress, sender: ALICE }));
  await anyBlock();
  expect((await readWaiting()).lists).toBe(0);
  expect(await countBelow("attack.eth", BIG)).toBe(MANY);
});
