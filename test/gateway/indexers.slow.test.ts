import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mineBlocks } from "../../devnet/acts.ts";
import { type LocalChain, startDemoChain } from "../../devnet/localChain.ts";
import { type RpcProxy, startRpcProxy } from "../live/rpcProxy.ts";
import { withoutAsOf } from "../support/asOf.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { type GatewayProcess, startGateway } from "./gateway.ts";

let local: LocalChain;
let node: RpcProxy;
let a: Stack;
let b: Stack;
let gateway: GatewayProcess;

beforeAll(async () => {
  local = await startDemoChain();
  node = await startRpcProxy(local.anvil.url);
  const plan = { deployment: local.deployment, env: { LIVE_RPC_URL: local.anvil.url } };
  [a, b] = await Promise.all([
    startStack({ ...plan, rpcUrl: local.anvil.url }),
    startStack({ ...plan, rpcUrl: node.url }),
  ]);
  await Promise.all([a.waitForHead(), b.waitForHead()]);
  gateway = await startGateway([a, b], { GATEWAY_DRAIN_SECONDS: "0", GATEWAY_MAX_LAG_SECONDS: "1000000" });
});

afterAll(async () => {
  await gateway?.stop();
  await Promise.all([a?.destroy(), b?.destroy()]);
  await node?.kill();
  await local?.anvil.stop();
});

async function restart(): Promise<void> {
  await a.expireLock();
  a.restart();
}

const ask = async (path = "/whois/alice.eth") => {
  const reply = await fetch(`${gateway.url}${path}`);
  return { status: reply.status, body: withoutAsOf((await reply.json()) as Record<string, unknown>) };
};

test("answers are those of the indexers, including bulk look-ups", async () => {
  await gateway.until("synced", "synced");
  expect(await ask()).toEqual({ ...(await a.api("/whois/alice.eth")) });
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ names: Array.from({ length: 200 }, (_, i) => `unregistered${i}.eth`) }),
  };
  const [direct, through] = await Promise.all(
    [a.url, gateway.url].map(async (url) => (await fetch(`${url}/whois/bulk`, init)).json()),
  );
  expect(withoutAsOf(through)).toEqual(withoutAsOf(direct));
});

test("an indexer that calls itself fresh while its node stalls is left out until it follows again", async () => {
  const still = await fetch(local.anvil.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", true] }),
  });
  const { result } = (await still.json()) as { result: unknown };
  node.fault = ({ method, to }) =>
    method === "eth_getBlockByNumber" && to === null ? { result } : undefined;
  await mineBlocks(local.chain, { count: 8 });
  await a.waitForHead();
  await gateway.until("synced", "lagging");
  expect((await b.api<{ ready: boolean }>("/indexing-status")).body).toMatchObject({ ready: true });
  node.fault = () => undefined;
  await gateway.until("synced", "synced");
});

/**
 * A single indexer that was held up for three seconds is rightly dropped. Then there is no indexer
 * to ask.
 */
const wasLeftForSilence = () =>
  gateway.output().includes(`${b.url}: synced -> unreachable (did not report its state within 3 s)`);

const unlessHeldUp = { retry: { count: 2, condition: wasLeftForSilence } };

test("an indexer that dies costs no answer", unlessHeldUp, async () => {
  if (a.ended() !== null) await restart();
  await a.ready();
  await gateway.until("synced", "synced");
  const statuses = new Map<number, number>();
  let isLoading = true;
  const load = async () => {
    while (isLoading) {
      const { status } = await ask();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const loads = [load(), load(), load(), load()];
  await sleep(300);
  await a.kill();
  await gateway.until("unreachable", "synced");
  await sleep(300);
  isLoading = false;
  await Promise.all(loads);
  expect([...statuses.keys()]).toEqual([200]);
});

test("without any indexer the answer is a 502, and one that comes back is used automatically", async () => {
  await b.kill();
  expect((await ask()).status).toBe(502);
  await gateway.until("unreachable", "unreachable");
  expect(await ask()).toMatchObject({ status: 502, body: { error: { code: "INDEXER_UNREACHABLE" } } });
  await restart();
  await a.ready();
  await gateway.until("synced", "unreachable");
  expect((await ask()).status).toBe(200);
});
