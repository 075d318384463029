import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { sizeOf } from "../support/size.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { type Block, type CountedChain, type JournalChains, startJournalChains } from "./journalChains.ts";
import { type Watch, watchJournal } from "./journalWatch.ts";

/** Ponder takes a block of this chain for final after 65 more, one of the layer 2 after 30. */
const MAIN_CHAIN_ID = 42;
const PAST = 90;
const depths = {
  main: sizeOf({ short: [1, 2, 9, 64], long: [1, 2, 3, 5, 8, 13, 21, 34, 55, 64] }),
  base: sizeOf({ short: [1, 7, 29], long: [1, 2, 4, 7, 11, 16, 22, 29] }),
};
const PATIENCE = { timeout: 90_000, interval: 30 };

let chains: JournalChains;
let stack: Stack;
let watch: Watch;
/** The block that each chain stood on at the end of the backfill, by chain id. */
const firstLive = new Map<number, number>();

beforeAll(async () => {
  chains = await startJournalChains({ chainId: MAIN_CHAIN_ID, past: PAST });
  const { local, layer2, onLayer2 } = chains;
  stack = await startStack({
    ...{ rpcUrl: local.anvil.url, deployment: { ...local.deployment, layer2: [layer2] } },
    env: { [`RPC_URL_${layer2.chainId}`]: onLayer2.anvil.url },
  });
  const replica = await stack.startReplica();
  await waitForHeads();
  watch = await watchJournal(stack, { chains: both(), urls: [stack.url, replica.url] });
});
afterAll(async () => {
  await stack?.destroy();
  await chains?.stop();
});

const both = (): CountedChain[] => [chains.main, chains.base];

/** The journal of a chain. */
const journalOf = ({ chainId }: CountedChain) =>
  stack.sql<Block>(
    `select number, hash, parent_hash as "parentHash", "timestamp"::int from blocks where chain_id = $1 order by number`,
    [chainId],
  );

async function waitForHeads(): Promise<void> {
  for (const chain of both()) {
    const height = await chain.height();
    const [head] = await chain.blocks(height, height);
    await vi.waitFor(async () => expect((await journalOf(chain)).at(-1)).toEqual(head), PATIENCE);
  }
}

/** Expects that the journal has the chain's own blocks, and from a number on all of them. */
async function expectJournal(chain: CountedChain, from: number): Promise<void> {
  const rows = await journalOf(chain);
  const height = await chain.height();
  const blocks = await chain.blocks(0, height);
  expect(rows.filter(({ number }) => number >= from)).toEqual(blocks.slice(from));
  for (const row of rows) expect(row).toEqual(blocks[row.number]);
}

/** Adds blocks to a chain, some with logs, while the other one goes on too. */
async function grow(chain: CountedChain, blocks: number): Promise<void> {
  const [other] = both().filter((one) => one !== chain);
  for (let block = 0; block < blocks; block++) {
    if (block % 3 === 1) await chain.mine(1);
    else await chain.log();
    if (block % 4 === 1) await other?.log();
    if (block % 4 === 2) await other?.mine(1);
  }
}

async function reorganise(chain: CountedChain, depth: number): Promise<void> {
  await grow(chain, depth + 1);
  await waitForHeads();
  const height = await chain.height();
  const hashes = (await chain.blocks(height - depth + 1, height)).map(({ hash }) => hash);
  await chain.rollback(depth);
  watch.lost(hashes);
  await grow(chain, depth + 1);
  await waitForHeads();
}

test("after the backfill it has the last final block, every block from there on, and those with logs before", async () => {
  for (const chain of both()) {
    const finality = chain === chains.main ? 65 : 30;
    firstLive.set(chain.chainId, (await chain.height()) - finality);
    await expectJournal(chain, firstLive.get(chain.chainId) ?? 0);
  }
});

test.each(depths.main)("a reorganisation of %i blocks of the main chain", async (depth) => {
  await reorganise(chains.main, depth);
  for (const chain of both()) await expectJournal(chain, firstLive.get(chain.chainId) ?? 0);
});

test.each(depths.base)("a reorganisation of %i blocks of the layer 2", async (depth) => {
  await reorganise(chains.base, depth);
  for (const chain of both()) await expectJournal(chain, firstLive.get(chain.chainId) ?? 0);
});

test("a chain that flaps between branches without logs, whose other chain has some", async () => {
  for (let turn = 0; turn < sizeOf({ short: 6, long: 40 }); turn++) {
    await chains.base.log();
    await chains.main.mine(2);
    await waitForHeads();
    const height = await chains.main.height();
    const lost = await chains.main.blocks(height - 1, height);
    await chains.main.rollback(2);
    watch.lost(lost.map(({ hash }) => hash));
    await chains.main.mine(3);
    await waitForHeads();
  }
  for (const chain of both()) await expectJournal(chain, firstLive.get(chain.chainId) ?? 0);
});

test("through all of this no state, answer or notification named a block that the tables did not stand on", async () => {
  const seen = await watch.stop();
  expect(seen.wrong).toEqual([]);
  expect(seen.samples).toBeGreaterThan(100);
  expect(seen.answers).toBeGreaterThan(100);
  expect(seen.notices).toBeGreaterThan(100);
});

test.each([
  ["a clean stop", () => stack.stop()],
  ["a kill", () => stack.kill()],
] as const)("after %s it has every block again, also those that came meanwhile", async (_, end) => {
  watch = await watchJournal(stack, { chains: both(), urls: [stack.url] });
  await end();
  await grow(chains.main, 5);
  await stack.expireLock();
  stack.restart();
  await stack.ready();
  await waitForHeads();
  await grow(chains.base, 3);
  await waitForHeads();
  expect((await watch.stop()).wrong).toEqual([]);
  for (const chain of both()) await expectJournal(chain, firstLive.get(chain.chainId) ?? 0);
});

test("where a branch replaces blocks while no indexer runs, nothing of the old one stays", async () => {
  await grow(chains.main, 8);
  await waitForHeads();
  await stack.stop();
  await chains.main.rollback(6);
  await grow(chains.main, 9);
  stack.restart();
  await stack.ready();
  await waitForHeads();
  for (const chain of both()) await expectJournal(chain, firstLive.get(chain.chainId) ?? 0);
});
