import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { mineBlocks } from "../../devnet/acts.ts";
import { type LocalChain, startDemoChain } from "../../devnet/localChain.ts";
import { withoutAsOf } from "../support/asOf.ts";
import { operations } from "../support/operations.ts";
import { launchStack, type Stack, startStack } from "../support/stack.ts";
import { startSlowRpc } from "./slowRpc.ts";

/** Logs from this block on arrive late: some of the backfill is done, but far from all of it. */
const LATE_LOGS = 60;
/** Unfinalised blocks at the end of the chain, which a restart removes from the tables. */
const OPEN_BLOCKS = 3;
const PATIENCE = { timeout: 180_000, interval: 20 };

let local: LocalChain;

beforeAll(async () => {
  local = await startDemoChain();
  await mineBlocks(local.chain, { count: OPEN_BLOCKS });
});

afterAll(async () => {
  await local?.anvil.stop();
});

type Answer = { status: number; retryAfter: string | null; body: Record<string, unknown> };

async function get(url: string, path: string): Promise<Answer> {
  const reply = await fetch(`${url}${path}`);
  return {
    status: reply.status,
    retryAfter: reply.headers.get("retry-after"),
    body: bodyOf(reply, await reply.text()),
  };
}

/** An answer in another format than JSON (calendar, lines) without its time and server. */
function bodyOf({ headers }: Response, text: string): Answer["body"] {
  if (headers.get("content-type")?.startsWith("application/json")) return JSON.parse(text);
  const lines = text.replaceAll(/http:\/\/localhost:\d+/g, "").split(/\r?\n/);
  return { lines: lines.filter((line) => !line.startsWith("DTSTAMP")) };
}

test("while past events are missing, the indexer and its replicas answer no names, and report their progress", async () => {
  const rpc = await startSlowRpc(local.anvil.url, { logsFrom: LATE_LOGS });
  const env = { LIVE_RPC_URL: local.anvil.url, MAX_LAG_SECONDS: "1000000000" };
  const stack = await launchStack({ rpcUrl: rpc.url, deployment: local.deployment, env });
  try {
    await vi.waitUntil(() => rpc.held() > 0, PATIENCE);
    const replica = await stack.startReplica();
    for (const url of [stack.url, replica.url]) {
      const refused = await get(url, "/whois/alice.eth");
      expect(refused).toMatchObject({ status: 503, body: { error: { code: "INDEX_NOT_READY" } } });
      expect(Number(refused.retryAfter)).toBeGreaterThanOrEqual(5);
      const { body } = await get(url, "/indexing-status");
      expect(body).toMatchObject({ ready: false, reason: "building", phase: "backfill", running: true });
      expect((await get(url, "/stats")).status).toBe(200);
    }
    rpc.release();
    await stack.ready();
    await stack.waitForHead();
    for (const url of [stack.url, replica.url]) {
      expect(await get(url, "/whois/alice.eth")).toMatchObject({ status: 200, body: { source: "indexed" } });
      const { body } = await get(url, "/indexing-status");
      expect(body).toMatchObject({ ready: true, reason: null, phase: "realtime" });
      expect((body.chains as object[])[0]).toMatchObject({ lag_blocks: 0, lag_seconds: 0 });
    }
  } finally {
    await stack.destroy();
    await rpc.close();
  }
});

const good: Record<string, string> = { name: "alice.eth", key: "url", agentId: "1" };

/** Every operation whose only input is its path, with an existing subject. */
function paths(hash: string, address: string): string[] {
  const values: Record<string, string> = { ...good, hash, address };
  return operations
    .filter(({ method }) => method === "get")
    .map(({ path }) => path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ""));
}

/** Asks again if midnight (UTC) came between the answers, because daily figures then differ. */
async function onOneDay<Answers>(ask: () => Promise<Answers>): Promise<Answers> {
  const today = () => new Date().toISOString().slice(0, 10);
  const [day, answers] = [today(), await ask()];
  return today() === day ? answers : ask();
}

/** Fields that differ between moments or processes. */
const settled = ({ status, body }: Answer) => ({
  status,
  body: JSON.parse(JSON.stringify(body, (key, value) => (key === "generated_at" ? undefined : value))),
});

test("a replica gives the indexer's answers, and never a partial one during the indexer's restart", async () => {
  const rpc = await startSlowRpc(local.anvil.url);
  const stack = await startStack({ rpcUrl: rpc.url, deployment: local.deployment });
  try {
    await stack.waitForHead();
    const [careful, patient] = await Promise.all([
      stack.startReplica(),
      stack.startReplica({ MAX_LAG_SECONDS: "1000000000" }),
    ]);
    const { body: alice } = await get(stack.url, "/whois/alice.eth");
    const owner = (alice.ownership as { owner: string }).owner;
    for (const path of paths(String(alice.namehash), owner)) {
      const [answer, copy] = await onOneDay(async () => [
        await get(stack.url, path),
        await get(careful.url, path),
      ]);
      expect(answer.status, path).toBe(200);
      expect(settled(copy), path).toEqual(settled(answer));
    }
    await stack.kill();
    // No indexer runs, but no answer is known to be old: the chain stands still.
    expect(await get(careful.url, "/whois/alice.eth")).toMatchObject({ status: 200, body: alice });
    rpc.hold("eth_getLogs"); // The restart lasts until both replicas have seen it.
    await stack.expireLock();
    stack.restart();
    await expectWhole(stack, {
      careful: careful.url,
      patient: patient.url,
      whole: alice,
      release: rpc.release,
    });
    await stack.waitForHead();
    await vi.waitUntil(async () => (await get(careful.url, "/whois/alice.eth")).status === 200, PATIENCE);
  } finally {
    await stack.destroy();
    await rpc.close();
  }
});

/** Expects an answer to name a block of the chain, with its own number, hash and time. */
async function expectOfChain({ as_of }: Answer["body"]): Promise<void> {
  const [block, ...others] = as_of as { block_number: number; block_hash: string; block_timestamp: number }[];
  expect(others).toEqual([]);
  const { hash, timestamp } = await local.chain.client.getBlock({
    blockNumber: BigInt(block?.block_number ?? -1),
  });
  expect(block).toMatchObject({ block_hash: hash, block_timestamp: Number(timestamp) });
}

/** A restart that continues when released, next to two replicas that knew the whole answer. */
type Restart = { careful: string; patient: string; whole: object; release: () => void };

/** Asks without a pause until the indexer is ready again: each answer is complete, or a refusal. */
async function expectWhole(stack: Stack, { careful, patient, whole, release }: Restart): Promise<void> {
  const seen = { refusals: 0, phases: new Set<unknown>() };
  const ready = stack.ready().then(() => true);
  while (!(await Promise.race([ready, sleep(5, false)]))) {
    const { status, body } = await get(careful, "/whois/alice.eth");
    if (status === 503) {
      expect(body).toMatchObject({ error: { code: "INDEX_NOT_READY" } });
      seen.refusals++;
    } else {
      // It may take a quarter of a second to notice: its answer is then of the older block, and says so.
      expect(withoutAsOf(body)).toEqual(withoutAsOf(whole));
      await expectOfChain(body);
    }
    // Its operator allows old answers: none is missing, and all belong to a block that the tables held.
    const old = await get(patient, "/whois/alice.eth");
    expect([old.status, withoutAsOf(old.body)]).toEqual([200, withoutAsOf(whole)]);
    await expectOfChain(old.body);
    seen.phases.add((await get(patient, "/indexing-status")).body.phase);
    if (seen.refusals > 0 && seen.phases.has("backfill")) release();
  }
  expect(seen.refusals).toBeGreaterThan(0);
  expect([...seen.phases]).toContain("backfill");
}
