import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Follower, readJudged } from "../feed/follower.ts";
import { openPool } from "../support/database.ts";
import { sizeOf } from "../support/size.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { openFeed } from "./feedOver.ts";
import { type CountedChain, type JournalChains, startJournalChains } from "./journalChains.ts";

/** Ponder takes a block of this chain for final after 65 more. */
const MAIN_CHAIN_ID = 42;
const PATIENCE = { timeout: 90_000, interval: 50 };
const depths = sizeOf({ short: [1, 7, 64], long: [1, 2, 3, 8, 21, 34, 55, 64] });

let chains: JournalChains;
let stack: Stack;
let follower: Follower;
let pool: ReturnType<typeof openPool>;

beforeAll(async () => {
  chains = await startJournalChains({ chainId: MAIN_CHAIN_ID, past: 90 });
  const { local, layer2, onLayer2 } = chains;
  stack = await startStack({
    ...{ rpcUrl: local.anvil.url, deployment: { ...local.deployment, layer2: [layer2] } },
    env: { [`RPC_URL_${layer2.chainId}`]: onLayer2.anvil.url },
  });
  pool = openPool({ connectionString: stack.databaseUrl, options: `-c search_path=${stack.schema},public` });
  await vi.waitFor(async () => expect((await stack.api("/changes?limit=1")).status).toBe(200), PATIENCE);
  await waitForFeed();
  follower = new Follower(openFeed(pool), pool);
  await follower.follow(100);
});
afterAll(async () => {
  await pool?.end();
  await stack?.destroy();
  await chains?.stop();
});

const both = (): CountedChain[] => [chains.main, chains.base];

type Status = { blocks: { chain: string; block_number: number; block_hash: string }[]; has_more: boolean };

/** Waits until the feed is as of the newest block of each chain. */
async function waitForFeed(): Promise<void> {
  for (const chain of both()) {
    const height = await chain.height();
    const [head] = await chain.blocks(height, height);
    await vi.waitFor(async () => {
      const { body } = await stack.api<Status>("/changes?after=newest");
      expect(body.blocks?.map(({ block_hash }) => block_hash)).toContain(head?.hash);
    }, PATIENCE);
  }
}

async function expectTruth(): Promise<void> {
  await follower.follow(13);
  expect(follower.wrong).toEqual([]);
  expect(Object.fromEntries(follower.held)).toEqual(Object.fromEntries(await readJudged(pool)));
}

/** Adds blocks to a chain, while the other one goes on too. */
async function grow(chain: CountedChain, blocks: number): Promise<void> {
  const [other] = both().filter((one) => one !== chain);
  for (let block = 0; block < blocks; block++) {
    if (block % 3 === 1) await chain.mine(1);
    else await chain.log();
    if (block % 4 === 1) await other?.log();
  }
}

test.each(depths)(
  "a follower holds what the index holds after a reorganisation of %i blocks",
  async (depth) => {
    await grow(chains.main, depth + 1);
    await waitForFeed();
    await expectTruth();
    await chains.main.rollback(depth);
    await grow(chains.main, depth + 1);
    await waitForFeed();
    await expectTruth();
  },
);

test.each([
  ["a clean stop", () => stack.stop()],
  ["a kill", () => stack.kill()],
] as const)("%s and a start give nothing but what came meanwhile", async (_, end) => {
  await grow(chains.main, 5);
  await waitForFeed();
  await expectTruth();
  const before = follower.changes;
  await end();
  await stack.expireLock();
  stack.restart();
  await stack.ready();
  await waitForFeed();
  await chains.main.mine(1);
  await waitForFeed();
  await expectTruth();
  expect(follower.changes, "rows went and came back").toBe(before);
  await end();
  await grow(chains.base, 4);
  await stack.expireLock();
  stack.restart();
  await stack.ready();
  await waitForFeed();
  await expectTruth();
  expect(follower.changes).toBeGreaterThan(before);
});

test("a stream gives a change of its block, through a replica as well", async () => {
  const replica = await stack.startReplica();
  for (const url of [stack.url, replica.url]) {
    const leaving = new AbortController();
    const reply = await fetch(`${url}/changes/stream?type=record.text.changed`, { signal: leaving.signal });
    expect(reply.headers.get("content-type")).toBe("text/event-stream");
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    await chains.main.log();
    while (!text.includes("event: change")) text += (await reader?.read())?.value ?? "";
    expect(text).toContain('"type":"record.text.changed"');
    leaving.abort();
  }
});
