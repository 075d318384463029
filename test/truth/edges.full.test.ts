import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Stack, startStack } from "../support/stack.ts";
import { type EdgeChains, playEdges, startEdges } from "./edges.ts";
import { judgeAnswers } from "./judgeAnswers.ts";

let chains: EdgeChains;
let stack: Stack;
let replicaUrl: string;
beforeAll(async () => {
  chains = await startEdges();
  const { main, layer2 } = chains;
  const env = { [`RPC_URL_${layer2.deployment.chainId}`]: layer2.anvil.url };
  stack = await startStack({ rpcUrl: main.anvil.url, deployment: main.deployment, env });
  // A replica soon makes the counts, which then follow everything that still happens.
  replicaUrl = (await stack.startReplica()).url;
  await vi.waitUntil(hasCounters, { timeout: 180_000, interval: 200 });
  await playEdges(chains);
  await stack.waitForHead();
});
afterAll(async () => {
  await stack?.destroy();
  await chains?.main.anvil.stop();
  await chains?.layer2.anvil.stop();
});

async function hasCounters(): Promise<boolean> {
  const [row] = await stack.sql("select to_regclass('figures_state') as made");
  if (row?.made === null) return false;
  return (await stack.sql("select from figures_state where counted = 'domains'::regclass::oid")).length > 0;
}

const askReplica = async (path: string) => {
  const reply = await fetch(`${replicaUrl}${path}`);
  return { status: reply.status, body: (await reply.json()) as Record<string, object[]> };
};

const judge = ({ main, layer2 }: EdgeChains, api: Parameters<typeof judgeAnswers>[0]["api"]) =>
  judgeAnswers({
    rpcUrl: main.anvil.url,
    deployment: main.deployment,
    api,
    layer2: [{ rpcUrl: layer2.anvil.url, deployment: layer2.deployment }],
  });

test("at the edges of days, windows and terms, and of two chains, the API matches the chains' logs", async () => {
  expect(await hasCounters()).toBe(true);
  const { differences, counts } = await judge(chains, askReplica);
  expect(differences).toEqual([]);
  expect(counts.values).toBeGreaterThan(1_000);
});

test("and also when rows must be counted", async () => {
  await stack.sql("update figures_state set counted = 0");
  const { differences } = await judge(chains, stack.api);
  expect(differences).toEqual([]);
});

test("events at the edges count on their side of them", async () => {
  const { daily } = (await askReplica("/ens-stats/registrations")).body;
  expect(daily?.[0]).toEqual({ date: "2099-12-22", registrations: 1, renewals: 1 });
  expect(daily?.slice(-3)).toEqual([
    { date: "2100-01-18", registrations: 1, renewals: 0 },
    { date: "2100-01-19", registrations: 3, renewals: 3 },
    { date: "2100-01-20", registrations: 4, renewals: 1 },
  ]);
  const figures = { registrations_24h: 6, registrations_7d: 10, renewals_7d: 5 };
  expect((await askReplica("/ens-stats")).body).toMatchObject(figures);
  const adoption = { unique_addresses_with_primary_name: 6, multi_chain_count: 1 };
  expect((await askReplica("/ens-stats/primary-names")).body).toMatchObject(adoption);
});
