import { afterAll, beforeAll, expect, test } from "vitest";
import { type Stack, startStack } from "../support/stack.ts";
import { type EdgeChains, playEdges } from "./edges.ts";
import { judgeAnswers } from "./judgeAnswers.ts";

let chains: EdgeChains;
let stack: Stack;
beforeAll(async () => {
  chains = await playEdges();
  const { main, layer2 } = chains;
  const env = { [`RPC_URL_${layer2.deployment.chainId}`]: layer2.anvil.url };
  stack = await startStack({ rpcUrl: main.anvil.url, deployment: main.deployment, env });
  await stack.waitForHead();
});
afterAll(async () => {
  await stack?.destroy();
  await chains?.main.anvil.stop();
  await chains?.layer2.anvil.stop();
});

test("at the edges of days, windows and terms, and of two chains, the API says what the chains logged", async () => {
  const { main, layer2 } = chains;
  const { differences, counts } = await judgeAnswers({
    ...{ rpcUrl: main.anvil.url, deployment: main.deployment, api: stack.api },
    layer2: [{ rpcUrl: layer2.anvil.url, deployment: layer2.deployment }],
  });
  expect(differences).toEqual([]);
  expect(counts.values).toBeGreaterThan(1_000);
});

test("what happened at the edges counts on its side of them", async () => {
  const { body } = await stack.api<{ daily: object[] }>("/ens-stats/registrations");
  expect(body.daily[0]).toEqual({ date: "2099-12-22", registrations: 1, renewals: 1 });
  expect(body.daily.slice(-3)).toEqual([
    { date: "2100-01-18", registrations: 1, renewals: 0 },
    { date: "2100-01-19", registrations: 3, renewals: 3 },
    { date: "2100-01-20", registrations: 4, renewals: 1 },
  ]);
  const figures = { registrations_24h: 6, registrations_7d: 10, renewals_7d: 5 };
  expect((await stack.api("/ens-stats")).body).toMatchObject(figures);
  const adoption = { unique_addresses_with_primary_name: 6, multi_chain_count: 1 };
  expect((await stack.api("/ens-stats/primary-names")).body).toMatchObject(adoption);
});
