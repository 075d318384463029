import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { rpc } from "../devnet/acts.ts";
import type { LocalChain } from "../devnet/localChain.ts";
import { type Replica, type Stack, startStack } from "../support/stack.ts";
import { historiesOf, playSteps, type Step } from "../truth/steps.ts";
import { startHistoryChain } from "../truth/trial.ts";

// The store of names beside a real indexer, held against a replica that has none, while the chain goes on, is reorganised, and the
// indexer ends.

const PREFIX = "store";
const [common = [], abandoned = [], lasting = []] = historiesOf({ seed: 34_001, runs: 3, steps: 150 });
const PATIENCE = { timeout: 60_000, interval: 100 };

let local: LocalChain;
let stack: Stack;
let replica: Replica;

beforeAll(async () => {
  local = await startHistoryChain();
  await playSteps(local.chain, PREFIX, common.slice(0, 60));
  stack = await startStack({
    ...{ rpcUrl: local.anvil.url, deployment: local.deployment, env: { NAME_STORE_MB: "64" } },
  });
  replica = await stack.startReplica({ NAME_STORE_MB: "0" });
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

/** Searches of the indexer's process that its memory counted. */
async function countedByMemory(): Promise<number> {
  const text = await (await fetch(`${stack.metricsUrl}/index-metrics`)).text();
  return Number(/namedex_name_store_searches_total\{by="memory"\} (\d+)/.exec(text)?.[1] ?? 0);
}

const searches = [
  ...["q=e", "q=E&availability_status=registered", "q=o&min_length=4", "q=a&is_wrapped=true"],
  ...["q=0&sort_by=expiry_timestamp", "availability_status=registered&max_length=6&expiry_from=1"],
];

async function expectSame(): Promise<void> {
  await stack.waitForHead();
  const before = await countedByMemory();
  await vi.waitFor(async () => {
    await stack.api("/search-domains?q=st");
    expect(await countedByMemory()).toBeGreaterThan(before);
  }, PATIENCE);
  for (const search of searches) {
    await vi.waitFor(async () => {
      const { body } = await stack.api(`/search-domains?${search}`);
      const other = (await (await fetch(`${replica.url}/search-domains?${search}`)).json()) as object;
      expect({ ...(body as object), as_of: null }, search).toEqual({ ...other, as_of: null });
    }, PATIENCE);
  }
  expect(await countedByMemory()).toBeGreaterThan(before + searches.length / 2);
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
