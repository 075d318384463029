// Also runs as: long
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addressOf, ethNode, mineBlocks, registerV3, setResolver } from "../../devnet/acts.ts";
import { trackChild } from "../../devnet/children.ts";
import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import { isReady, type Ponder, startPonder, until } from "../../devnet/ponder.ts";
import { freePort } from "../../devnet/ports.ts";
import { type Fault, type Recorded, type RpcProxy, startRpcProxy } from "../live/rpcProxy.ts";
import { createTestDatabase } from "../support/database.ts";
import { bareEnvironment } from "../support/environment.ts";
import { isLong, partsOf } from "../support/size.ts";

/*
 * Every URL in the settings has a secret in its user, password, path and query. Whatever fails, no
 * line of a program's output and no answer may contain one.
 */
const SECRET = /user-s3cr3t|pass-s3cr3t|path-s3cr3t|query-s3cr3t|dXNlci1zM2NyM3Q/;
const folder = mkdtempSync(join(tmpdir(), "namedex-secrets-"));

let local: LocalChain;
let node: RpcProxy;
let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  local = await startLocalChain();
  const from = local.chain.accounts[1] ?? "0x";
  await registerV3(local.chain, { from, label: "unlisted" });
  const resolver = addressOf(local.chain, "logEmitter"); // Not listed, so its records are requested from the node.
  await setResolver(local.chain, { from, node: ethNode("unlisted"), resolver });
  node = await startRpcProxy(local.anvil.url);
  database = await createTestDatabase();
  writeFileSync(join(folder, "deployment.json"), JSON.stringify(local.deployment));
});
afterAll(async () => {
  await node?.kill();
  await local?.anvil.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** A node URL with secrets in every part that may hold one. */
function secretUrl(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//user-s3cr3t:pass-s3cr3t@${host}/v2/path-s3cr3t?apikey=query-s3cr3t`;
}

/** The same without a login, because Ponder's own client refuses URLs with one. */
function keyUrl(url: string): string {
  return secretUrl(url).replace("user-s3cr3t:pass-s3cr3t@", "");
}

/** The test's database. Its server asks for no password, so any will do. */
function secretDatabase(more: Partial<URL> = {}): string {
  return Object.assign(new URL(database.url), { password: "pass-s3cr3t", ...more }).href;
}

const settings = (): Record<string, string | undefined> => ({
  ...bareEnvironment,
  ENS_DEPLOYMENT: join(folder, "deployment.json"),
  RPC_URL_31337: keyUrl(node.url),
  LIVE_RPC_URL: secretUrl(node.url),
  DATABASE_URL: secretDatabase(),
  DATABASE_SCHEMA: "namedex_index",
  LOG_FORMAT: "text",
});

/** Runs a program to completion and returns all its output. */
async function outputOf(program: string, args: string[], more: Record<string, string>): Promise<string> {
  const path = fileURLToPath(new URL(`../../${program}.ts`, import.meta.url));
  const env = { ...settings(), PORT: String(await freePort()), ...more };
  const child = spawn(process.execPath, [path, ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  trackChild(child, "SIGTERM");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(code, output).not.toBe(0);
  return output;
}

const nowhere = "http://127.0.0.1:1";

const wrongStarts: [what: string, settings: () => Record<string, string>, says: RegExp][] = [
  ["a node that cannot be reached", () => ({ RPC_URL_31337: keyUrl(nowhere) }), /no node of devnet answers/],
  [
    "a node whose URL has user and password",
    () => ({ RPC_URL_31337: secretUrl(node.url) }),
    /RPC_URL_31337 contains "http:\/\/127.0.0.1:\d+": expected comma-separated http\(s\) URLs without user and password/,
  ],
  [
    "a node with a scheme of its own",
    () => ({ RPC_URL_31337: secretUrl(nowhere).replace("http:", "wss:") }),
    /contains "wss:\/\/127.0.0.1:1"/,
  ],
  [
    "a node without a scheme",
    () => ({ LIVE_RPC_URL: "node.example.org/path-s3cr3t" }),
    /contains "node.example.org"/,
  ],
  [
    "a database that cannot be reached",
    () => ({ DATABASE_URL: secretDatabase({ port: "1" }) }),
    /ECONNREFUSED/,
  ],
  [
    "a database that does not know the user",
    () => ({ DATABASE_URL: secretDatabase({ username: "unknown_role" }) }),
    /cannot use/,
  ],
  [
    "a database of another kind",
    () => ({ DATABASE_URL: secretUrl(nowhere) }),
    /DATABASE_URL is "http:\/\/127.0.0.1:1"/,
  ],
];

const isTriedFirst = (_: unknown, i: number): boolean => i % 3 === 0;
const wrong = partsOf({
  first: wrongStarts.filter(isTriedFirst),
  rest: wrongStarts.filter((one, i) => !isTriedFirst(one, i)),
});
test.each(wrong)("npm start with %s", async (_, more, says) => {
  const output = await outputOf("ops/start", [], more());
  expect(output).toMatch(says);
  expect(output).not.toMatch(SECRET);
});

test("npm start with a node of another chain", async () => {
  node.fault = ({ method }) => (method === "eth_chainId" ? { result: "0x1092" } : undefined);
  const output = await outputOf("ops/start", [], {});
  node.fault = () => undefined;
  expect(output).toMatch(/serves chain 4242/);
  expect(output).not.toMatch(SECRET);
});

const programs: [program: string, ...args: string[]][] = [
  ["ops/keys", "list"],
  ["ops/release", "list"],
  ["ops/roles"],
  ["ops/backup"],
  ["ops/restore"],
  ["ops/verify"],
  ["ops/verify", "--logs"],
  ["ops/labels", "import", "/dev/null"],
  ["ops/snapshot", "create", "of-nothing"],
  ["ops/snapshot", "restore", "of-nothing"],
  ["ops/serve"],
];

test.each(partsOf({ first: programs.slice(0, 1), rest: programs.slice(1) }))(
  "%s with an unusable database",
  async (program, ...args) => {
    const unreachable = await outputOf(program, args, { DATABASE_URL: secretDatabase({ port: "1" }) });
    const unknown = await outputOf(program, args, {
      DATABASE_URL: secretDatabase({ username: "unknown_role" }),
    });
    expect(unreachable + unknown).not.toMatch(SECRET);
  },
);

test.runIf(isLong()).each([
  ["ops/verify", () => ({ RPC_URL_31337: keyUrl(nowhere) })],
  ["ops/verify", () => ({ RPC_URL_31337: secretUrl(nowhere) })],
  ["ops/snapshot", () => ({ DATABASE_URL: secretUrl(nowhere) })],
  ["ops/keys", () => ({ DATABASE_URL: `user-s3cr3t:pass-s3cr3t@${new URL(nowhere).host}/path-s3cr3t` })],
  ["ops/gateway", () => ({ INDEXERS: secretUrl(nowhere) })],
  ["ops/gateway", () => ({ INDEXERS: `${nowhere},user-s3cr3t:pass-s3cr3t@example.org` })],
] as const)("%s with wrong settings", async (program, more) => {
  expect(await outputOf(program, ["list"], more())).not.toMatch(SECRET);
});

/**
 * The node's answer in place of the real one. The last two contain what a careless provider might
 * say.
 */
const faults: [what: string, fault: (asked: Recorded) => Fault | undefined][] = [
  ["401", () => ({ status: 401, body: "Unauthorized: query-s3cr3t" })],
  ["429", () => ({ status: 429, body: "Too Many Requests" })],
  ["500", () => ({ status: 500 })],
  ["no JSON", () => ({ status: 200, body: "<html>path-s3cr3t</html>" })],
  ["cut", () => ({ close: true })],
  [
    "no such logs",
    ({ method }) =>
      method === "eth_getLogs"
        ? { error: { code: -32005, message: "query returned more than 10000 results" } }
        : undefined,
  ],
  [
    "an error with the key",
    () => ({
      error: { code: -32000, message: `the key query-s3cr3t is not valid for ${secretUrl(nowhere)}` },
    }),
  ],
  [
    "a block that is none",
    ({ method }) => (method.startsWith("eth_getBlock") ? { result: { url: secretUrl(nowhere) } } : undefined),
  ],
];

/** Waits until the log has more warnings or errors than before: the fault was met and reported. */
const untilTold = (ponder: Ponder, lines: string[], seen: number) =>
  until(ponder, {
    look: async () => lines.slice(seen).some((line) => /"level":[45]0/.test(line)),
    timeout: 60_000,
    describe: () => lines.slice(-20).join("\n"),
  });

test.runIf(isLong())("an indexer and its API, whatever their node does", async () => {
  const lines: string[] = [];
  const metricsPort = String(await freePort());
  const own = { MAX_LAG_SECONDS: "off", REQUEST_LOG: "all", METRICS_PORT: metricsPort };
  const env = { ...settings(), PONDER_LOG_LEVEL: "debug", ...own };
  const ponder = startPonder({
    command: "start",
    port: await freePort(),
    env,
    folder,
    onLog: ({ text }) => lines.push(text),
  });
  const answers: string[] = [];
  const describe = () => lines.slice(-20).join("\n");
  try {
    await until(ponder, { look: () => isReady(ponder.url), timeout: 120_000, describe });
    for (const [, fault] of faults) {
      const seen = lines.length;
      node.fault = fault;
      await mineBlocks(local.chain, { count: 1 });
      const metricsUrl = `http://127.0.0.1:${metricsPort}`;
      const urls = [
        ...["/whois/unlisted.eth", "/indexing-status", "/stats"].map((path) => `${ponder.url}${path}`),
        ...["/metrics", "/index-metrics"].map((path) => `${metricsUrl}${path}`),
      ];
      for (const url of urls) answers.push(await (await fetch(url)).text());
      await untilTold(ponder, lines, seen);
      node.fault = () => undefined;
    }
  } finally {
    await ponder.stop();
  }
  expect(answers.join("\n")).toContain("LIVE_RESOLUTION_FAILED");
  expect(lines.join("\n")).toMatch(/HttpRequestError|Status: 401/);
  expect(lines.filter((line) => SECRET.test(line))).toEqual([]);
  expect(answers.filter((answer) => SECRET.test(answer))).toEqual([]);
});
