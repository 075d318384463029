import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { rpc } from "../devnet/acts.ts";
import type { LocalChain } from "../devnet/localChain.ts";
import { type Replica, type Stack, startStack } from "../support/stack.ts";
import { historiesOf, playSteps, type Step } from "../truth/steps.ts";
import { startHistoryChain } from "../truth/trial.ts";

// Stores of names beside a real indexer, held against a replica that has none, while the chain goes on, is reorganised, the indexer
// ends, and a release takes over: those of the indexer, of a replica and of the release.

const PREFIX = "store";
const [common = [], abandoned = [], lasting = []] = historiesOf({ seed: 34_001, runs: 3, steps: 150 });
const PATIENCE = { timeout: 60_000, interval: 100 };

let local: LocalChain;
let stack: Stack;
let plain: Replica;
let replica: Replica;

beforeAll(async () => {
  local = await startHistoryChain();
  await playSteps(local.chain, PREFIX, common.slice(0, 60));
  stack = await startStack({
    ...{ rpcUrl: local.anvil.url, deployment: local.deployment, env: { NAME_STORE_MB: "64" } },
  });
  plain = await stack.startReplica({ NAME_STORE_MB: "0" });
  replica = await stack.startReplica();
});

afterAll(async () => {
  await stack?.destroy();
  await local?.anvil.stop();
});

const height = async () => Number(await rpc<string>(local.chain, "eth_blockNumber"));

/** Plays until the chain is that high, and asks meanwhile. */
async function playUntil(block: number, steps: Step[]): Promise<void> {
  while ((await height()) < block) {
    await playSteps(local.chain, PREFIX, steps.splice(0, 1));
    await stack.api("/search-domains?q=e");
  }
}

type Process = Pick<Replica, "url" | "metricsUrl">;

/** How many searches of a process its memory counted. */
async function countedByMemory({ metricsUrl }: Process): Promise<number> {
  const text = await (await fetch(`${metricsUrl}/index-metrics`)).text();
  return Number(/namedex_name_store_searches_total\{by="memory"\} (\d+)/.exec(text)?.[1] ?? 0);
}

async function search({ url }: Process, query: string): Promise<object> {
  const reply = await fetch(`${url}/search-domains?${query}`);
  expect(reply.status, query).toBe(200);
  return { ...((await reply.json()) as object), as_of: null };
}

const searches = [
  ...["q=e", "q=E&availability_status=registered", "q=o&min_length=4", "q=a&is_wrapped=true"],
  ...["q=0&sort_by=expiry_timestamp", "availability_status=registered&max_length=6&expiry_from=1"],
];

async function expectSame(processes: Process[] = [stack, replica]): Promise<void> {
  await stack.waitForHead();
  for (const process of processes) {
    const before = await countedByMemory(process);
    await vi.waitFor(async () => {
      await search(process, "q=st");
      expect(await countedByMemory(process)).toBeGreaterThan(before);
    }, PATIENCE);
    for (const query of searches) {
      await vi.waitFor(async () => {
        expect(await search(process, query), query).toEqual(await search(plain, query));
      }, PATIENCE);
    }
    expect(await countedByMemory(process)).toBeGreaterThan(before + 1);
  }
}

test("after the backfill, and while blocks come", async () => {
  await expectSame();
  await playUntil((await height()) + 20, abandoned);
  await expectSame();
});

test("after a reorganisation of 20 blocks", async () => {
  const top = await height();
  await rpc(local.chain, "anvil_rollback", [20]);
  await playUntil(top + 1, lasting);
  await expectSame();
});

test("after the indexer was killed and started again", async () => {
  await stack.kill();
  await stack.expireLock();
  stack.restart();
  await stack.ready();
  await playUntil((await height()) + 3, lasting);
  await expectSame();
});

test("an index that is built beside it has names of its own", async () => {
  const release = await stack.startRelease("released");
  await expectSame([release]);
});
