import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect, createServer as createListener, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { mineBlocks, registerV3 } from "../../devnet/acts.ts";
import { trackChild } from "../../devnet/children.ts";
import { type LocalChain, startDemoChain } from "../../devnet/localChain.ts";
import { isReady, readStatus } from "../../devnet/ponder.ts";
import { freePort } from "../../devnet/ports.ts";
import { childrenOf } from "../../devnet/processes.ts";
import { metaTable } from "../../engine/ponderInternals.ts";
import { sendError } from "../../ops/gateway/answers.ts";
import { sendConsoleTo } from "../../ops/log/console.ts";
import { type Entry, errorText, type Level } from "../../ops/log/entry.ts";
import { createLog } from "../../ops/log/log.ts";
import { logOutput } from "../../ops/log/output.ts";
import { ask, createTestDatabase } from "../support/database.ts";
import { bareEnvironment } from "../support/environment.ts";
import { root } from "../support/projectFiles.ts";
import { explainedErrors } from "./explainedErrors.ts";

// Causes each error that docs/when-it-breaks.md quotes, and checks the log.

/** Errors that another test causes, with the reason why this one does not. */
const elsewhere: Record<string, { file: string; says: string }> = {
  "Watchdog: the index of": { file: "ops/watchdog.full.test.ts", says: "has been stuck at block" },
  "Verified the index at block": {
    file: "ops/verify.slow.test.ts",
    says: "Verified the index at block",
  },
  // Ponder reports these for handlers and files that throw, which ours do not; the words are compared with Ponder's source.
  "Error while processing event": { file: "docs/whenItBreaks.test.ts", says: "so is every error of Ponder" },
  "Error while executing file": { file: "docs/whenItBreaks.test.ts", says: "so is every error of Ponder" },
  unhandledRejection: { file: "ops/launch.test.ts", says: "unhandledRejection" },
  Payment: { file: "access/paymentFailures.apart.test.ts", says: "was sent" },
  "Payments on chain": { file: "access/paymentFailures.apart.test.ts", says: "Payments on chain" },
  "Failed to acquire lock on schema": { file: "log/read.test.ts", says: "Failed to acquire lock on schema" },
  "Another indexer took over the schema": {
    file: "faults/twoIndexers.full.test.ts",
    says: "Another indexer took over the schema",
  },
  "cannot be opened (EADDRINUSE)": {
    file: "engine/trials.ts",
    says: "cannot be opened (EADDRINUSE)",
  },
  "Failed to shutdown within 5 seconds": {
    file: "log/read.test.ts",
    says: "Failed to shutdown within 5 seconds",
  },
  // Nothing from strangers or machines makes this page of the gateway fail; the words are compared with its source.
  "The gateway's metrics failed": {
    file: "docs/whenItBreaks.test.ts",
    says: "every error that our programs say",
  },
  // Ponder on an older Node.js cannot load our code; docs/whenItBreaks.test.ts compares the words with Ponder's.
  "Invalid Node.js version": { file: "docs/whenItBreaks.test.ts", says: "so is every error of Ponder" },
};

const folder = mkdtempSync(join(tmpdir(), "namedex-breaks-"));
const deployment = join(folder, "deployment.json");
const played: Entry[] = [];
const children: ChildProcess[] = [];
let local: LocalChain;
let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  local = await startDemoChain();
  database = await createTestDatabase();
  writeFileSync(deployment, JSON.stringify(local.deployment));
});

afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGINT");
    await ended;
  }
  await local?.anvil.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

type Run = { child: ChildProcess; url: string; metricsUrl: string; exit: Promise<number | null> };

/** Runs a program, and keeps its log entries. */
async function run(words: string[], settings: Record<string, string>): Promise<Run> {
  const [port, metricsPort] = [String(await freePort()), String(await freePort())];
  const env = { ...bareEnvironment, PORT: port, METRICS_PORT: metricsPort, LOG_FORMAT: "json", ...settings };
  const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  trackChild(child, "SIGINT");
  children.push(child);
  const log = createLog({
    program: "played",
    format: "json",
    out: { write: (line) => played.push(JSON.parse(line) as Entry) },
  });
  logOutput(child, log);
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, exit, url: `http://127.0.0.1:${port}`, metricsUrl: `http://127.0.0.1:${metricsPort}` };
}

const settings = () => ({
  ENS_DEPLOYMENT: deployment,
  RPC_URL_31337: local.anvil.url,
  DATABASE_URL: database.url,
  WATCHDOG_SECONDS: "off",
});
const program = (file: string) => join(root, file);
const ponder = (command: string) => [
  join(root, "node_modules/ponder/dist/esm/bin/ponder.js"),
  command,
  "--root",
  root,
  "--log-format",
  "json",
];

const isSaid = (words: string) =>
  vi.waitFor(
    () =>
      expect(
        played.find(({ message }) => message.startsWith(words)),
        words,
      ).toBeDefined(),
    {
      timeout: 300_000,
      interval: 200,
    },
  );

/** Runs while a table is missing. */
async function without(table: string, act: () => Promise<unknown>): Promise<void> {
  await ask(database.url, `ALTER TABLE namedex_index.${table} RENAME TO away`);
  await act();
  await ask(database.url, `ALTER TABLE namedex_index.away RENAME TO ${table}`);
}

/** A connection to the database that can be cut. */
async function openLine(
  databaseUrl: string,
): Promise<{ url: string; cut: () => void; mend: () => Promise<void> }> {
  const url = new URL(databaseUrl);
  const target = { host: url.hostname, port: Number(url.port) };
  url.port = String(await freePort());
  const open = new Set<Socket>();
  const server = createListener((socket) => {
    const beyond = connect(target);
    for (const one of [socket, beyond]) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        for (const end of [socket, beyond]) end.destroy();
      });
    }
    socket.pipe(beyond).pipe(socket);
  });
  const mend = () => new Promise<void>((resolve) => server.listen(Number(url.port), "127.0.0.1", resolve));
  await mend();
  onTestFinished(() => void server.close());
  const cut = () => {
    server.close();
    for (const one of open) one.destroy();
    open.clear();
  };
  return { url: url.href, cut, mend };
}

async function register(label: string): Promise<void> {
  const [, from] = local.chain.accounts;
  if (from === undefined) throw new Error("the chain has no accounts");
  await registerV3(local.chain, { from, label });
  await mineBlocks(local.chain, { count: 1 });
}

const callTool = (url: string) =>
  fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "whois", arguments: { name: "alice.eth" } },
    }),
  });

test("each error of the page is logged as the page has it, at its level and with its reason", async () => {
  // Programs that cannot start.
  for (const file of ["ops/start.ts", "ops/gateway.ts"])
    expect(await (await run([program(file)], {})).exit).toBe(1);
  expect(await (await run(ponder("start"), {})).exit).toBe(1);
  expect(await (await run([program("ops/serve.ts")], settings())).exit).toBe(1);

  // An indexer that answers while its tables disappear.
  const line = await openLine(database.url);
  const indexer = await run([program("ops/start.ts")], { ...settings(), DATABASE_URL: line.url });
  // A block indexed while a table is missing ends the indexer.
  const head = Number(await local.chain.client.getBlockNumber());
  await vi.waitFor(
    async () => {
      const status = await readStatus(indexer.url);
      expect(await isReady(indexer.url), JSON.stringify(played.slice(-8))).toBe(true);
      expect(status?.devnet?.number).toBe(head);
    },
    { timeout: 300_000, interval: 500 },
  );
  await without("domains", async () => {
    expect((await fetch(`${indexer.url}/whois/alice.eth`)).status).toBe(500);
    await callTool(indexer.url);
    await fetch(`${indexer.url}/ens-stats`);
    for (const words of ["request failed", "request", "MCP tool", "Statistics could not"])
      await isSaid(words);
  });
  await without(metaTable, async () => {
    await fetch(`${indexer.metricsUrl}/index-metrics`);
    await isSaid("metrics cannot be read");
    await isSaid("Failed to update heartbeat");
  });
  line.cut();
  const away = () => played.some(({ message }) => message === "the database does not answer");
  const look = async () => {
    await fetch(`${indexer.url}/whois/alice.eth`);
    expect(away()).toBe(true);
  };
  await vi.waitFor(look, { timeout: 300_000, interval: 500 });
  await line.mend();

  // Too little memory.
  const replica = await run([program("ops/serve.ts")], settings());
  const [inside] = await vi.waitFor(() => {
    const found = childrenOf(replica.child.pid ?? 0);
    expect(found).toHaveLength(1);
    return found;
  });
  process.kill(inside ?? 0, "SIGKILL");
  expect(await replica.exit).toBe(75);

  // A block whose rows do not fit on the disk: the line is a warning, and says why.
  await ask(
    database.url,
    `CREATE FUNCTION namedex_index.no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'could not extend file: No space left on device'; END $$;
     CREATE TRIGGER no_room BEFORE INSERT ON namedex_index.events FOR EACH ROW EXECUTE FUNCTION namedex_index.no_room()`,
  );
  await register("noroom");
  await vi.waitFor(
    () => expect(played.filter(({ error }) => error?.includes("No space left on device"))).not.toEqual([]),
    { timeout: 300_000, interval: 200 },
  );
  await ask(database.url, "DROP TRIGGER no_room ON namedex_index.events");

  // A table that a handler needs is gone for good.
  await ask(database.url, "ALTER TABLE namedex_index.domains RENAME TO away");
  await register("away");
  expect(await indexer.exit).not.toBe(0);

  // A new build on the old schema.
  await ask(database.url, "ALTER TABLE namedex_index.away RENAME TO domains");
  const release = await run([program("ops/start.ts")], { ...settings(), ARCHIVE_READS: "off" });
  expect(await release.exit).toBe(1);
  expect(played.at(-1)).toBeDefined();

  // The gateway, in this process.
  const own = { ...console };
  const take =
    (level: Level) =>
    ({ error }: Record<string, unknown>, message: string): void => {
      const text = error === undefined ? {} : { error: errorText(error) };
      played.push({ time: "", level, program: "gateway", message, ...text });
    };
  sendConsoleTo({ info: take("info"), warn: take("warn"), error: take("error") });
  const failing = createServer((_, response) => sendError(response, new Error("a fault of the gateway")));
  const port = await freePort();
  await new Promise<void>((resolve) => failing.listen(port, resolve));
  expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(500);
  failing.close();
  Object.assign(console, own);

  const errors = played.filter(({ level }) => level === "error");
  const isPlayed = (words: string) => {
    const other = elsewhere[words];
    if (other !== undefined) return readFileSync(join(root, "test", other.file), "utf8").includes(other.says);
    return errors.some(({ message, error = "" }) => message.startsWith(words) || error.includes(words));
  };
  const messages = [...new Set(errors.map(({ message }) => message))].join("\n");
  expect(
    explainedErrors().filter((words) => !isPlayed(words)),
    messages,
  ).toEqual([]);
  // Every error comes with its reason.
  for (const { message, error } of errors) expect(error?.trim() ?? "none", message).toMatch(/\w/);
  expect(errors.map(({ error = "" }) => error).join("\n")).toContain(
    "was previously used by a different Ponder app",
  );
});
