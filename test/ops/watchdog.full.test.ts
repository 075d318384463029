import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mineBlocks } from "../../devnet/acts.ts";
import { trackChild } from "../../devnet/children.ts";
import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import { readStatus } from "../../devnet/ponder.ts";
import { freePort } from "../../devnet/ports.ts";
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
      LOG_FORMAT: "text",
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

/** Waits until the chain's newest block is indexed. */
async function untilAtHead({ url, child, output }: Awaited<ReturnType<typeof launch>>): Promise<void> {
  const head = Number(await local.chain.client.getBlockNumber());
  for (const deadline = Date.now() + 240_000; ; await sleep(50)) {
    if ((await readStatus(url))?.[local.deployment.name]?.number === head) return;
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(output());
  }
}

test("an indexer that silently stopped following its chain is ended with code 75, and follows it after a restart", async () => {
  const first = await launch();
  await untilAtHead(first);

  // A chain that stands still is not its indexer's fault.
  expect(await Promise.race([first.exit, sleep(PATIENCE_SECONDS * 1_500, "alive")])).toBe("alive");

  // The indexer asks for whole blocks and hears of no new one. The node itself is fine.
  const deafAt = await askNode("eth_getBlockByNumber", ["latest", true]);
  node.fault = ({ method, block }) =>
    method === "eth_getBlockByNumber" && block === true ? { result: deafAt } : undefined;
  await mineBlocks(local.chain, { count: 2 });
  expect((await fetch(`${first.url}/health`)).status).toBe(200);
  expect((await fetch(`${first.url}/ready`)).status).toBe(200);
  expect(await first.exit).toBe(75);
  const lines = first.output().split("\n");
  const words = /the index of devnet has been stuck at block \d+ for (\d+) s while the chain advanced to \d+/;
  const said = lines.filter((line) => line.includes("Watchdog: "));
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
