import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGateway } from "../gateway/gateway.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { judgeStack } from "../truth/trial.ts";
import { startLoad } from "./load.ts";
import { type FaultChain, startFaultChain } from "./pulse.ts";
import { type FaultyRpc, startFaultyRpc } from "./rpcFaults.ts";
import { tell } from "./tell.ts";

const MAX_LAG_BLOCKS = 2;
const BEAT_PAUSE_MS = 200;
/** The gateway checks every second: this many blocks may come before it notices. */
const BLOCKS_UNSEEN = 10;

let chain: FaultChain;
let node: FaultyRpc;
let honest: Stack;
let liar: Stack;
let gateway: GatewayProcess;

beforeAll(async () => {
  chain = await startFaultChain({ seed: 2_222, past: 60 });
  node = await startFaultyRpc(chain.local.anvil.url);
  const plan = { deployment: chain.local.deployment, env: { LIVE_RPC_URL: chain.local.anvil.url } };
  honest = await startStack({ ...plan, rpcUrl: chain.local.anvil.url });
  liar = await startStack({ ...plan, rpcUrl: node.url });
  await Promise.all([honest.waitForHead(), liar.waitForHead()]);
  gateway = await startGateway([honest, liar], {
    GATEWAY_DRAIN_SECONDS: "0",
    GATEWAY_MAX_LAG_SECONDS: "1000000000",
    GATEWAY_MAX_LAG_BLOCKS: String(MAX_LAG_BLOCKS),
  });
  await gateway.until("synced", "synced");
});

afterAll(async () => {
  await gateway?.stop();
  await Promise.all([honest?.destroy(), liar?.destroy()]);
  await node?.close();
  await chain?.stop();
});

async function beatFor(beats: number): Promise<void> {
  for (let beat = 0; beat < beats; beat++) {
    await chain.beat();
    await sleep(BEAT_PAUSE_MS);
  }
}

test("behind the gateway, an indexer that lies about its head and then the death of the other make no answer wrong", async () => {
  const { timeline } = chain;
  const url = () => gateway.url;
  // Two indexers that follow the chain may be as far apart as the gateway allows, and blocks come while it is not checking.
  const noticing = startLoad({ url, timeline, slack: () => MAX_LAG_BLOCKS + BLOCKS_UNSEEN });
  await beatFor(5);
  await Promise.all([honest.waitForHead(), liar.waitForHead()]);
  node.set("staleHead");
  await beatFor(MAX_LAG_BLOCKS + 6);
  await honest.waitForHead();
  await gateway.until("synced", "lagging");
  const first = await noticing.stop();
  expect(first.wrong).toEqual([]);
  expect(first.unanswered).toBe(0);
  // No indexer could be asked only while the honest one stood still and the gateway had noticed.
  const isHonestAway = (line: string) => line.startsWith(`${honest.url}: `) && line.includes("unreachable");
  const excused = gateway.output().split("\n").some(isHonestAway) ? ["NO_INDEXERS_AVAILABLE"] : [];
  expect(Object.keys(first.refused).filter((code) => !excused.includes(code))).toEqual([]);
  const { ready } = (await liar.api<{ ready: boolean }>("/indexing-status")).body;
  expect(ready, "the liar calls itself fresh").toBe(true);

  // From here on every answer is from the honest one: none goes back by a single block, and none comes from the liar.
  let slack = 0;
  const known = startLoad({ url, timeline, slack: () => slack });
  await known.nextAnswer();
  await beatFor(5);
  await honest.kill();
  await gateway.until("unreachable", "lagging");
  await sleep(1_500);
  expect((await fetch(`${gateway.url}/whois/pulse.eth`)).status).toBe(503);
  // The liar is asked again once it has caught up to within the gateway's limit.
  slack = MAX_LAG_BLOCKS;
  node.set(null);
  const healed = Date.now();
  await gateway.until("unreachable", "synced");
  await known.nextAnswer();
  const outage = await known.stop();
  tell("the honest indexer of two dies, the other stands still", outage, Date.now() - healed);
  expect(outage.wrong).toEqual([]);
  const codes = ["INDEXER_UNREACHABLE", "NO_INDEXERS_AVAILABLE"];
  expect(Object.keys(outage.refused).filter((code) => !codes.includes(code))).toEqual([]);
  await honest.expireLock();
  honest.restart();
  await honest.ready();
  await gateway.until("synced", "synced");
  expect((await judgeStack(honest, chain.local)).differences).toEqual([]);
  expect((await judgeStack(liar, chain.local)).differences).toEqual([]);
}, 600_000);
