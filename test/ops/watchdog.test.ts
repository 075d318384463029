import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createStallJudge } from "../../ops/launch/watchdog.ts";
import { mineBlocks } from "../devnet/acts.ts";
import { trackChild } from "../devnet/children.ts";
import { type LocalChain, startLocalChain } from "../devnet/localChain.ts";
import { readStatus } from "../devnet/ponder.ts";
import { freePort } from "../devnet/ports.ts";
import { type RpcProxy, startRpcProxy } from "../live/rpcProxy.ts";
import { createTestDatabase } from "../support/database.ts";
import { bareEnvironment } from "../support/environment.ts";

const program = fileURLToPath(new URL("../../ops/start.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "namedex-watchdog-"));
const PATIENCE_SECONDS = 12;

let local: LocalChain;
let node: RpcProxy;
let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  local = await startLocalChain();
  node = await startRpcProxy(local.anvil.url);
  database = await createTestDatabase();
  writeFileSync(join(folder, "deployment.json"), JSON.stringify(local.deployment));
});

afterAll(async () => {
  await node.kill();
  await local.anvil.stop();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** `npm start`, as a supervisor runs it. */
async function launch() {
  const port = await freePort();
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: {
      ...bareEnvironment,
      ENS_DEPLOYMENT: join(folder, "deployment.json"),
      RPC_URL_31337: node.url,
      DATABASE_URL: database.url,
      PORT: String(port),
      WATCHDOG_SECONDS: String(PATIENCE_SECONDS),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  trackChild(child, "SIGTERM");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const url = `http://127.0.0.1:${port}`;
  return { child, url, exit, output: () => output };
}

async function askNode(method: string, params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const reply = await fetch(local.anvil.url, { method: "POST", headers, body });
  return ((await reply.json()) as { result: unknown }).result;
}

/** Waits until the newest block of the chain is indexed. */
async function untilAtHead({ url, child, output }: Awaited<ReturnType<typeof launch>>): Promise<void> {
  const head = Number(await local.chain.client.getBlockNumber());
  for (const deadline = Date.now() + 240_000; ; await sleep(50)) {
    if ((await readStatus(url))?.[local.deployment.name]?.number === head) return;
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(output());
  }
}

test("an indexer that silently stopped to follow its chain is ended with code 75, and follows it when started again", async () => {
  const first = await launch();
  await untilAtHead(first);

  // A chain that stands still is no fault of its indexer.
  expect(await Promise.race([first.exit, sleep(PATIENCE_SECONDS * 1_500, "alive")])).toBe("alive");

  // The indexer asks for whole blocks, and hears of no new one; the node itself is well.
  const deafAt = await askNode("eth_getBlockByNumber", ["latest", true]);
  node.fault = ({ method, block }) =>
    method === "eth_getBlockByNumber" && block === true ? { result: deafAt } : undefined;
  await mineBlocks(local.chain, { count: 2 });
  expect((await fetch(`${first.url}/health`)).status).toBe(200);
  expect((await fetch(`${first.url}/ready`)).status).toBe(200);
  expect(await first.exit).toBe(75);
  const lines = first.output().split("\n");
  const words = /the index of devnet has stood at block \d+ for (\d+) s while the chain went on to \d+/;
  const said = lines.filter((line) => line.startsWith("Watchdog: "));
  expect(said).toEqual([expect.stringMatching(words)]);
  const seconds = Number(words.exec(said[0] ?? "")?.[1]);
  expect(seconds).toBeGreaterThanOrEqual(PATIENCE_SECONDS);
  expect(seconds).toBeLessThan(60);

  node.fault = () => undefined;
  const second = await launch();
  await untilAtHead(second);
  second.child.kill("SIGTERM");
  expect(await second.exit).toBe(0);
}, 600_000);

describe("what counts as a stall", () => {
  const judging = () => {
    let time = 0;
    const judge = createStallJudge(10_000, () => time);
    return (seconds: number, indexed: number, head: number | null) => {
      time = seconds * 1_000;
      return judge([{ chain: "mainnet", indexed, head }]);
    };
  };

  test("ten seconds at one block while the head is ahead", () => {
    const at = judging();
    expect([at(0, 7, 8), at(9, 7, 9)]).toEqual([null, null]);
    expect(at(10, 7, 9)).toEqual({ chain: "mainnet", indexed: 7, head: 9, seconds: 10 });
  });

  test("no progress is a stall only while the head is ahead", () => {
    const at = judging();
    expect([at(0, 7, 7), at(20, 7, 7), at(21, 7, 8), at(29, 7, 8)]).toEqual([null, null, null, null]);
    expect(at(30, 7, 8)).not.toBe(null);
  });

  test("an indexer that handles the logs of one large block for a long time does not stand still", () => {
    let time = 0;
    const judge = createStallJudge(10_000, () => time);
    const at = (seconds: number, handled: number | null, base = 3) => {
      time = seconds * 1_000;
      const mainnet = { chain: "mainnet", indexed: 7, head: 9 };
      return judge([mainnet, { chain: "base", indexed: base, head: base + 1 }], handled);
    };
    for (let seconds = 0; seconds <= 300; seconds += 5) expect(at(seconds, seconds * 40)).toBe(null);
    expect(at(305, 300 * 40)).toBe(null);
    expect(at(310, 300 * 40)).toMatchObject({ chain: "mainnet", seconds: 10 });
  });

  test("logs of another chain are no progress of this one", () => {
    let time = 0;
    const judge = createStallJudge(10_000, () => time);
    const at = (seconds: number) => {
      time = seconds * 1_000;
      const mainnet = { chain: "mainnet", indexed: 7, head: 9 };
      return judge([mainnet, { chain: "base", indexed: seconds, head: seconds + 1 }], seconds * 40);
    };
    expect([at(0), at(5)]).toEqual([null, null]);
    expect(at(10)).toMatchObject({ chain: "mainnet" });
  });

  test("an indexer that does not tell its logs is judged by its blocks", () => {
    let time = 0;
    const judge = createStallJudge(10_000, () => time);
    const at = (seconds: number, handled: number | null) => {
      time = seconds * 1_000;
      return judge([{ chain: "mainnet", indexed: 7, head: 9 }], handled);
    };
    expect([at(0, 5), at(5, null), at(9, 50)]).toEqual([null, null, null]);
    expect(at(10, null)).not.toBe(null);
  });

  test("an unknown head, and any progress, begin the count again", () => {
    const at = judging();
    expect([at(0, 7, 9), at(9, 7, null), at(11, 7, 9), at(18, 7, 9)]).toEqual([null, null, null, null]);
    expect([at(19, 6, 9), at(28, 6, 9)]).toEqual([null, null]);
    expect(at(29, 6, 9)).not.toBe(null);
  });
});
