import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { trackChild } from "../../devnet/children.ts";
import { freePort } from "../../devnet/ports.ts";
import { openDatabase } from "../../devnet/postgres.ts";
import { type BreakablePostgres, startBreakablePostgres } from "../faults/breakablePostgres.ts";
import { type FaultChain, startFaultChain } from "../faults/pulse.ts";
import { type RpcProxy, startRpcProxy } from "../live/rpcProxy.ts";
import { bareEnvironment } from "../support/environment.ts";
import { root } from "../support/projectFiles.ts";
import { firing, readSamples } from "./alerts.ts";
import { createPage } from "./page.ts";
import { waitFor } from "./versions.ts";

/*
 * An operator's night, using only the commands of docs/operations.md: restricted roles from the
 * start, a node and a database that die while a replica and a gateway answer, a restore, a
 * snapshot, a new version and the way back.
 */

/** Longer than the gateway and the indexer need to notice a fault. */
const OUTAGE_MS = 15_000;
/**
 * Maximum number of warnings and errors a program logs in that time. Before they were
 * rate-limited, there were eighty a second.
 */
const MOST_LINES = 40;

let folder: string;
let chain: FaultChain;
let node: RpcProxy;
let database: BreakablePostgres;
let owner: string;
let urls: Record<string, string>;
let page: (words: string) => string;
let env: Record<string, string>;
let ports: Record<"indexer" | "next" | "replica" | "gateway", string>;
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "namedex-night-"));
  chain = await startFaultChain({ seed: 3_333, past: 40 });
  node = await startRpcProxy(chain.local.anvil.url);
  database = await startBreakablePostgres();
  owner = await openDatabase(database.url, "namedex");
  const [indexer, next, replica, gateway] = await Promise.all(
    [1, 2, 3, 4].map(async () => String(await freePort())),
  );
  ports = { indexer, next, replica, gateway } as typeof ports;
  writeFileSync(join(folder, "deployment.json"), JSON.stringify(chain.local.deployment));
  page = createPage("docs/operations.md", {
    "postgresql://postgres:secret@localhost:5432/namedex": owner,
    "DATABASE_URL=postgresql://...": "",
    "namedex-$(date +%F).jsonl": join(folder, "backup.jsonl"),
    "namedex-2026-11-21.jsonl": join(folder, "backup.jsonl"),
    "/srv/snapshot": join(folder, "snapshot"),
    42069: ports.indexer,
    42070: ports.next,
    42071: ports.replica,
    42080: ports.gateway,
  });
  env = {
    ...(bareEnvironment as Record<string, string>),
    HOME: folder,
    ENS_NETWORK: "custom",
    ENS_DEPLOYMENT: join(folder, "deployment.json"),
    [`RPC_URL_${chain.local.anvil.chainId}`]: node.url,
    LIVE_RPC_URL: chain.local.anvil.url,
    GATEWAY_MAX_LAG_SECONDS: "1000000000",
    GATEWAY_MAX_LAG_BLOCKS: "1000",
    GATEWAY_DRAIN_SECONDS: "0",
  };
});

afterAll(async () => {
  for (const child of running) if (child.exitCode === null) child.kill("SIGKILL");
  await database?.destroy();
  await node?.kill();
  await chain?.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Ended = { code: number | null; out: string };
type Started = { child: ChildProcess; output: () => string; ended: Promise<Ended> };

/** Runs a command from the page in a shell, as an operator does. */
function begin(words: string, more: Record<string, string> = {}): Started {
  const child = spawn("sh", ["-c", `exec env ${page(words).split(" && ")[0]}`], {
    cwd: root,
    env: { ...env, ...more },
  });
  trackChild(child, "SIGTERM");
  running.push(child);
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (out += text));
  child.stdin.end();
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, out })));
  return { child, output: () => out, ended };
}

async function run(words: string, more: Record<string, string> = {}): Promise<string> {
  const { code, out } = await begin(words, more).ended;
  expect([page(words), code, out]).toEqual([page(words), 0, out]);
  return out;
}

/** A command from another page. */
async function runLine(line: string, more: Record<string, string>): Promise<string> {
  const child = spawn("sh", ["-c", `exec ${line}`], { cwd: root, env: { ...env, ...more } });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (out += text));
  await new Promise((resolve) => child.on("close", resolve));
  return out;
}

const as = (role: string) => ({ DATABASE_URL: urls[role] ?? "" });

/** Warnings and errors since the output had this length. */
const troublesOf = ({ output }: Started, from: number): string[] =>
  output()
    .slice(from)
    .split("\n")
    .filter((line) => /"level":"(warn|error)"/.test(line));

/** Runs something during an outage. Returns how many warnings and errors each program logged. */
async function outage(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const programs = { indexer, replica, gateway };
  const before = Object.entries(programs).map(([name, one]) => [name, one, one.output().length] as const);
  const end = Date.now() + OUTAGE_MS;
  while (Date.now() < end) {
    await work();
    await sleep(100);
  }
  const lines = Object.fromEntries(before.map(([name, one, from]) => [name, troublesOf(one, from).length]));
  console.log(`Lines of trouble in ${OUTAGE_MS / 1_000} s: ${JSON.stringify(lines)}`);
  return lines;
}

/** The local chain has its own clock, so its lag behind the computer's clock means nothing. */
const OF_THE_CLOCK = "NamedexLag";

/** The port of its metrics, as each program chooses it. */
const besides = (port: string) =>
  Number(port) + 1_000 <= 65_535 ? Number(port) + 1_000 : Number(port) - 1_000;

async function alertsNow(): Promise<string[]> {
  const places = [
    ...[ports.indexer, ports.replica].map((port) => `http://127.0.0.1:${besides(port)}/index-metrics`),
    `http://127.0.0.1:${besides(ports.gateway)}/gateway/metrics`,
  ];
  const texts = await Promise.all(
    places.map((url) =>
      fetch(url).then(
        (reply) => reply.text(),
        () => "",
      ),
    ),
  );
  const names = texts.flatMap((text) => firing(readSamples(text)));
  return [...new Set(names.filter((name) => name !== OF_THE_CLOCK))].sort();
}

const untilFiring = (...names: string[]) =>
  waitFor(
    async () => (await alertsNow()).join() === names.sort().join(),
    () =>
      `the alerts are not ${names.join()}: ${[indexer, replica, gateway].map((one) => one?.output().slice(-3_000))}`,
  );

const ask = (path: string) => fetch(`http://127.0.0.1:${ports.gateway}${path}`);
const status = async () => (await (await ask("/gateway/status")).json()) as { synced: number };
const untilSynced = (count: number) =>
  waitFor(
    async () => (await status().catch(() => null))?.synced === count,
    () => `not ${count} synced: ${[indexer, replica, gateway].map((one) => one?.output().slice(-4_000))}`,
  );

let indexer: Started;
let replica: Started;
let gateway: Started;

describe("the evening", () => {
  test("roles are created, and each program starts with no more rights than its own", async () => {
    const out = await run("secret@localhost:5432/namedex npm run roles");
    const found = [...out.matchAll(/DATABASE_URL=(\S+_(indexer|api|analyst):\S+)/g)];
    urls = Object.fromEntries(found.map(([, url = "", role = ""]) => [role, url]));
    expect(Object.keys(urls)).toEqual(["indexer", "api", "analyst"]);
    indexer = begin("DATABASE_SCHEMA=index_a PORT=42069 npm start", as("indexer"));
    const own = `http://127.0.0.1:${ports.indexer}/indexing-status`;
    await waitFor(async () => (await fetch(own).catch(() => null))?.ok === true, indexer.output);
    replica = begin("DATABASE_SCHEMA=index_a PORT=42071 npm run serve", as("api"));
    gateway = begin("npm run gateway", { PORT: ports.gateway });
    await untilSynced(2);
    expect((await ask("/whois/pulse.eth")).status).toBe(200);
    await untilFiring();
  }, 400_000);
});

describe("at three in the morning", () => {
  test("when a node dies, callers get answers, one alert fires, and the log stays short", async () => {
    await node.kill();
    const statuses = new Set<number>();
    const lines = await outage(async () => statuses.add((await ask("/whois/pulse.eth")).status));
    expect([...statuses]).toEqual([200]);
    await untilFiring("NamedexNodeDown");
    expect(Math.max(...Object.values(lines)), JSON.stringify(lines)).toBeLessThan(MOST_LINES);
    await node.start();
    await chain.beat();
    await untilFiring();
  }, 300_000);

  test("when a database dies, callers learn when to retry, the alerts name it, and the log stays short", async () => {
    await database.kill();
    const isRefused = async () => (await ask("/whois/pulse.eth")).status === 503;
    await waitFor(isRefused, gateway.output);
    const refusals: string[] = [];
    const lines = await outage(async () => {
      const { status: code, headers } = await ask("/whois/pulse.eth");
      refusals.push(`${code}, Retry-After: ${headers.get("retry-after") === null ? "none" : "some"}`);
    });
    expect([...new Set(refusals)]).toEqual(["503, Retry-After: some"]);
    await untilFiring("NamedexDatabaseDown", "NamedexGatewayWithoutIndexer");
    expect(Math.max(...Object.values(lines)), JSON.stringify(lines)).toBeLessThan(MOST_LINES);
    await database.start();
    expect(indexer.child.exitCode).toBeNull();
    await untilSynced(2);
    await untilFiring();
  }, 300_000);

  test("when an indexer is stopped, the replica keeps answering, and the alert names it", async () => {
    indexer.child.kill("SIGINT");
    const { code, out } = await indexer.ended;
    expect(code).toBe(0);
    expect(out).not.toContain('"level":"error","program":"indexer","message":"Failed to shutdown');
    await untilFiring("NamedexIndexerDown");
    expect((await ask("/whois/pulse.eth")).status).toBe(200);
    indexer = begin("DATABASE_SCHEMA=index_a PORT=42069 npm start", as("indexer"));
    await untilSynced(2);
    await untilFiring();
  }, 300_000);
});

describe("the morning", () => {
  test("a backup is restored by restricted roles, into a schema they can use", async () => {
    const made = await runLine("npm run keys -- create --label shop", as("api"));
    expect(made).toContain("ens_");
    await run("npm run --silent backup", as("api"));
    expect(readFileSync(join(folder, "backup.jsonl"), "utf8")).toContain('"table":"api_keys"');
    await run("DATABASE_SERVICE_SCHEMA=namedex_restored npm run roles", { DATABASE_URL: owner });
    await run("DATABASE_SERVICE_SCHEMA=namedex_restored npm run restore", as("api"));
    expect(await run("DATABASE_SERVICE_SCHEMA=namedex_restored npm run keys -- list", as("api"))).toContain(
      "shop",
    );
  }, 300_000);

  test("a snapshot is taken while the indexer runs, and restored into another database", async () => {
    const settings = { ...as("indexer"), DATABASE_SCHEMA: "index_a" };
    await run("npm run snapshot -- create", settings);
    expect(await run("npm run snapshot -- inspect", settings)).toMatch(/domains/);
    const second = await openDatabase(database.url, "second");
    const restored = { DATABASE_URL: second, DATABASE_SCHEMA: "index_a" };
    await run("npm run snapshot -- restore", restored);
  }, 300_000);

  test("a new version takes over and is rolled back, and old indexes are dropped", async () => {
    const patient = begin("npm run release -- switch index_b --wait", as("indexer"));
    const next = begin("DATABASE_SCHEMA=index_b PORT=42070 npm start", {
      ...as("indexer"),
      ARCHIVE_READS: "on",
    });
    const switched = await patient.ended;
    expect([switched.code, switched.out], next.output()).toEqual([
      0,
      expect.stringContaining('sent to "index_b"'),
    ]);
    expect(await run("npm run release -- list", as("indexer"))).toMatch(/index_b .* active, views/);
    await run("npm run release -- back", as("indexer"));
    expect(await run("npm run release -- prune", as("indexer"))).toContain('"index_b" stays');
    next.child.kill("SIGINT");
    expect((await next.ended).code).toBe(0);
  }, 400_000);

  test("roles have all rights they need", async () => {
    const out = await run("secret@localhost:5432/namedex npm run roles", { DATABASE_SCHEMA: "index_a" });
    expect(out).toContain("already exist with all their privileges");
  }, 100_000);
});
