import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { listWrittenBlocks } from "../../engine/ponderInternals.ts";

// Another caller, in a process of its own, so that what keeps the benchmark busy does not count. It also watches which
// block is mined when, and when it is indexed.

/** The target and its request. */
export type Asking = { url: string; paths: string[]; rpcUrl: string; databaseUrl: string; schema: string };

/** What was seen since the last time it was asked for. Times in milliseconds. */
export type Seen = { longestPause: number; longestBlock: number; answers: number; failed: number };

const PAUSE_MS = 10;

const seen: Seen = { longestPause: 0, longestBlock: 0, answers: 0, failed: 0 };
let current = 0;

async function askOnce(url: string): Promise<void> {
  current = performance.now();
  const reply = await fetch(url).catch(() => null);
  await reply?.arrayBuffer();
  seen.longestPause = Math.max(seen.longestPause, performance.now() - current);
  seen.answers++;
  if (reply?.status !== 200) seen.failed++;
  current = 0;
}

async function askOn({ url, paths }: Asking): Promise<void> {
  for (let next = 0; ; next = (next + 1) % paths.length) {
    await askOnce(`${url}${paths[next]}`);
    await sleep(PAUSE_MS);
  }
}

/** When each block was seen for the first time. */
const mined = new Map<number, number>();
let lastIndexed = { block: -1, at: 0 };

async function watchChain({ rpcUrl }: Asking): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
  const headers = { "content-type": "application/json" };
  for (let head = -1; ; await sleep(PAUSE_MS)) {
    const reply = await fetch(rpcUrl, { method: "POST", headers, body }).catch(() => null);
    const number = reply === null ? head : Number(((await reply.json()) as { result: string }).result);
    if (head === -1) head = number;
    for (; head < number; head++) mined.set(head + 1, performance.now());
  }
}

/** A block takes from its mining, or from the end of the block before it, until it is indexed. */
async function watchIndex({ databaseUrl, schema }: Asking): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const query = async <Row>(text: string) => (await client.query(text)).rows as Row[];
  for (; ; await sleep(PAUSE_MS)) {
    const [written] = await listWrittenBlocks(query, { schema, withinMs: 30_000 });
    if (written === undefined || written.blockNumber <= lastIndexed.block) continue;
    const now = performance.now();
    const begun = Math.max(mined.get(written.blockNumber) ?? now, lastIndexed.at);
    seen.longestBlock = Math.max(seen.longestBlock, now - begun);
    lastIndexed = { block: written.blockNumber, at: now };
  }
}

process.on("message", (message: Asking | "take") => {
  if (message !== "take") {
    void askOn(message);
    void watchChain(message);
    void watchIndex(message);
    return;
  }
  // A question that still waits counts as far as it has waited.
  const waiting = current === 0 ? 0 : performance.now() - current;
  process.send?.({ ...seen, longestPause: Math.max(seen.longestPause, waiting) });
  Object.assign(seen, { longestPause: 0, longestBlock: 0, answers: 0, failed: 0 });
});
