// Also runs as: slow
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { startAnvil } from "../../devnet/anvil.ts";
import { trackChild } from "../../devnet/children.ts";
import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import { freePort } from "../../devnet/ports.ts";
import { childrenOf, isRunning, markProcess } from "../../devnet/processes.ts";
import { metaTable } from "../../engine/ponderInternals.ts";
import { ask, createTestDatabase } from "../support/database.ts";
import { bareEnvironment } from "../support/environment.ts";
import { isSlow, partsOf, wasShown } from "../support/size.ts";

const pathOf = (command: string) => fileURLToPath(new URL(`../../ops/${command}.ts`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "namedex-launch-"));
const deploymentFile = join(folder, "deployment.json");
const running: ChildProcess[] = [];

let local: LocalChain;
let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  local = await startLocalChain();
  writeFileSync(deploymentFile, JSON.stringify(local.deployment));
  database = await createTestDatabase();
});

afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await exited;
  }
});

afterAll(async () => {
  await local.anvil.stop();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

type Launch = { child: ChildProcess; url: string; output: () => string; exit: Promise<number | null> };

/** The program as npm's scripts call it, in a folder without settings files. */
async function launch(command: string, settings: Record<string, string> = {}): Promise<Launch> {
  const port = settings.PORT ?? String(await freePort());
  const env = {
    ...bareEnvironment,
    ENS_DEPLOYMENT: deploymentFile,
    RPC_URL_31337: local.anvil.url,
    DATABASE_URL: database.url,
    PORT: port,
    LOG_FORMAT: "text",
    ...settings,
  };
  const child = spawn(process.execPath, [pathOf(command)], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  trackChild(child, "SIGTERM");
  running.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve)); // All its output has been read.
  return { child, url: `http://127.0.0.1:${port}`, output: () => output, exit };
}

async function untilReady({ child, url, output }: Launch): Promise<void> {
  for (;;) {
    const reply = await fetch(`${url}/ready`).catch(() => null);
    if (reply?.status === 200) return;
    if (child.exitCode !== null) throw new Error(output());
    await sleep(50);
  }
}

const faults: [settings: Record<string, string>, message: RegExp][] = [
  [{ DATABASE_URL: "" }, /DATABASE_URL is not set: expected .*, for example DATABASE_URL=postgresql:/],
  [{ PORT: "abc" }, /PORT is "abc": expected a port from 1 to 65535, for example PORT=42069/],
  [{ ACCESS: "close" }, /ACCESS is "close": expected open or metered, for example ACCESS=metered/],
  [{ ENS_NETWORK: "main" }, /ENS_NETWORK is "main": expected devnet, mainnet/],
  [{ ENS_NETWORK: "mainnet" }, /RPC_URL_1 is not set: expected .*, for example RPC_URL_1=https:/],
  [
    { RPC_URL_31337: "localhost" },
    /RPC_URL_31337 contains "localhost": expected comma-separated http\(s\) URLs.*, for example/,
  ],
  [
    { RPC_URL_31337: "localhost:43001" },
    /RPC_URL_31337 contains "localhost:43001": expected comma-separated http\(s\) URLs/,
  ],
  [{ DATABASE_SHEMA: "index_b" }, /Unknown setting DATABASE_SHEMA: did you mean DATABASE_SCHEMA\?/],
];

test.each(partsOf({ first: faults.slice(0, 2), rest: faults.slice(2) }))(
  "%j stops the start, naming the variable, the fault and an example",
  async (settings, message) => {
    const { exit, output } = await launch("start", settings);
    expect(await exit).toBe(1);
    expect(output()).toMatch(message);
    expect(output()).not.toMatch(/hunter2|node:internal|\n {4}at /);
  },
);

test.skipIf(wasShown()).each<[settings: Record<string, string>, message: RegExp]>([
  [{ DATABASE_URL: "postgresql://me:hunter2@127.0.0.1:1/x" }, /DATABASE_URL: cannot use 127.0.0.1:1\/x/],
  [{ RPC_URL_31337: "http://127.0.0.1:1" }, /RPC_URL_31337: no node of devnet answers/],
])("%j may appear later, so the supervisor is told to restart", async (settings, message) => {
  const { exit, output } = await launch("start", settings);
  expect(await exit).toBe(75);
  expect(output()).toMatch(message);
  expect(output()).not.toMatch(/hunter2|\n +at /);
});

test.skipIf(wasShown()).each(["RPC_URL_31337", "LIVE_RPC_URL"])(
  "a node of another chain in %s stops the start",
  async (name) => {
    const other = await startAnvil({ chainId: 4242 });
    const { exit, output } = await launch("start", { [name]: other.url });
    expect(await exit).toBe(1);
    expect(output()).toContain(`${name}: `);
    expect(output()).toMatch(/ serves chain 4242; expected a node of devnet \(31337\)/);
    await other.stop();
  },
);

test.runIf(isSlow())("a payment node of another chain stops the start, and no secret is shown", async () => {
  const { exit, output } = await launch("serve", {
    ACCESS: "metered",
    MPP_SECRET_KEY: "hunter2".repeat(5),
    MPP_REALM: "api.example.org",
    MPP_RECIPIENT: `0x${"11".repeat(20)}`,
    MPP_CURRENCY: `0x20c0${"0".repeat(36)}`,
    MPP_PRICE_PER_CREDIT: "0.001",
    MPP_CHAIN_ID: "4217",
    MPP_RPC_URL: local.anvil.url,
  });
  expect(await exit).toBe(1);
  expect(output()).toMatch(/MPP_RPC_URL: \S+ serves chain 31337; expected a node of MPP_CHAIN_ID, 4217/);
  expect(output()).not.toMatch(/hunter2/);
});

test.runIf(isSlow())("a port in use by another program stops the start", async () => {
  const server = createServer();
  const port = await new Promise<number>((resolve) =>
    server.listen(0, () => resolve((server.address() as { port: number }).port)),
  );
  const { exit, output } = await launch("start", { PORT: String(port) });
  expect(await exit).toBe(1);
  expect(output()).toContain(`PORT is ${port}, but that port cannot be used (EADDRINUSE)`);
  server.close();
});

test.runIf(isSlow()).each(["PORT", "METRICS_PORT"])(
  "a %s that another program takes after the check ends the start, so that the supervisor restarts it",
  async (variable) => {
    const port = await freePort();
    const server = createServer();
    const { child, exit, output } = await launch("start", { [variable]: String(port) });
    child.stdout?.on("data", () => {
      if (output().includes("Access is open") && !server.listening) server.listen(port);
    });
    expect(await exit, output()).toBe(75);
    expect(output()).toMatch(/ERROR indexer: unhandledRejection\n {2}Error: .*EADDRINUSE/);
    expect(output()).toMatch(new RegExp(`Error: .*\\b${port}\\b`));
    server.close();
  },
);

test.skipIf(wasShown())(
  "a database without pg_trgm whose user may not add it gets a message saying what to request",
  async () => {
    const bare = await createTestDatabase();
    const url = new URL(bare.url);
    await ask(
      bare.url,
      `DROP EXTENSION pg_trgm; REVOKE CREATE ON DATABASE "${url.pathname.slice(1)}" FROM PUBLIC`,
    );
    await ask(bare.url, "DROP ROLE IF EXISTS launch_guest; CREATE ROLE launch_guest LOGIN PASSWORD 'guest'");
    const { exit, output } = await launch("start", {
      DATABASE_URL: url.href.replace(/\/\/.*@/, "//launch_guest:guest@"),
    });
    expect(await exit).toBe(1);
    expect(output()).toContain(
      "run as a superuser: CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public",
    );
    await bare.drop();
    await ask(database.url, "DROP ROLE launch_guest");
  },
);

test.runIf(isSlow())(
  "a Universal Resolver that cannot answer is named, and the index still starts",
  async () => {
    const file = join(folder, "wrong.json");
    const registry = local.deployment.contracts.find(({ role }) => role === "registry")?.address;
    writeFileSync(file, JSON.stringify({ ...local.deployment, universalResolver: registry }));
    const own = await createTestDatabase();
    try {
      const launched = await launch("start", { ENS_DEPLOYMENT: file, DATABASE_URL: own.url });
      await untilReady(launched);
      expect(launched.output()).toContain(`${registry} has no function resolveWithGateways`);
      launched.child.kill("SIGTERM");
      await launched.exit;
    } finally {
      await own.drop();
    }
  },
);

test.runIf(isSlow())(
  "SIGTERM releases the lock, and a second start and a replica answer from the same tables",
  async () => {
    const isLocked = async () =>
      (
        await ask(database.url, `SELECT (value->>'is_locked')::int AS locked FROM namedex_index.${metaTable}`)
      )[0]?.locked;
    const first = await launch("start");
    await untilReady(first);
    expect(first.output()).toContain("Access is open: the API answers all requests");
    expect(await isLocked()).toBe(1);
    await vi.waitFor(
      async () =>
        expect(await ask(database.url, "SELECT count(*)::int > 0 AS some FROM namedex.events")).toEqual([
          { some: true },
        ]),
      { timeout: 60_000, interval: 200 },
    );
    first.child.kill("SIGTERM");
    expect(await first.exit).toBe(0);
    expect(await isLocked()).toBe(0);

    const second = await launch("start");
    await untilReady(second);
    const replica = await launch("serve", { ACCESS: "metered" });
    await untilReady(replica);
    expect(replica.output()).toContain("Access is metered. Create keys with: npm run keys -- create");
    const [ours, theirs] = await Promise.all(
      [second, replica].map(async ({ url }) => (await fetch(`${url}/status`)).json()),
    );
    expect(theirs).toEqual(ours);

    // The indexing process is killed, as by a system out of memory.
    const [child] = childrenOf(second.child.pid ?? 0);
    process.kill(child ?? 0, "SIGKILL");
    expect(await second.exit).toBe(75);
    expect(second.output()).toMatch(
      /ERROR indexer: The worker process was killed by SIGKILL, usually because it ran out of memory/,
    );

    // The program in front of a replica is killed: the replica does not outlive it.
    const orphan = markProcess(childrenOf(replica.child.pid ?? 0)[0] ?? 0);
    replica.child.kill("SIGKILL");
    expect(orphan).not.toBeNull();
    await vi.waitFor(() => expect(orphan && isRunning(orphan)).toBe(false), {
      timeout: 20_000,
      interval: 100,
    });
  },
);

test.runIf(isSlow())(
  "all output of a program has one form: lines of JSON with time, level, program and message",
  async () => {
    const { child, url, output, exit } = await launch("serve", { LOG_FORMAT: "" });
    for (;;) {
      const reply = await fetch(`${url}/whois/nothing.eth`).catch(() => null);
      if (reply !== null) break;
      if (child.exitCode !== null) throw new Error(output());
      await sleep(50);
    }
    child.kill("SIGINT");
    expect(await exit).toBe(0);
    const lines = output().trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      expect(JSON.parse(line), line).toMatchObject({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        level: expect.stringMatching(/^(debug|info|warn|error)$/),
        program: "api",
        message: expect.stringMatching(/./),
      });
    }
  },
);
