// Also runs as: slow, long
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { isRunning, type ProcessMark } from "../../devnet/processes.ts";
import { root } from "../support/projectFiles.ts";
import { isLong, isSlow } from "../support/size.ts";
import { copyCheckout, signalGroup, waitUntil } from "./checkout.ts";

const START_TIMEOUT_MS = 300_000;
const END_TIMEOUT_MS = 60_000;

const checkout = copyCheckout();
const home = join(checkout, ".namedex");
const started: ChildProcess[] = [];

afterEach(async () => {
  for (const child of started.splice(0)) signalGroup(child, "SIGTERM");
  await everythingEnded();
});
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

type Dev = { npm: ChildProcess; output: () => string; exit: Promise<number | null> };

/** `npm run dev` in a process group of its own, as a terminal gives it one. */
function startDev(settings: Record<string, string> = {}): Dev {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...settings };
  const npm = spawn("npm", ["run", "dev"], {
    cwd: checkout,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(npm);
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (text) => (output += text));
  const exit = new Promise<number | null>((resolve) => npm.once("close", (code) => resolve(code)));
  return { npm, output: () => output, exit };
}

const logEnd = () => readFileSync(join(home, "ponder.log"), "utf8").slice(-3_000);

const isUp = ({ output }: Dev) =>
  waitUntil(() => output().includes("Ctrl-C ends everything"), {
    timeout: START_TIMEOUT_MS,
    describe: () => `no screen:\n${output()}\n${logEnd()}`,
  });

type RunState = { owner: ProcessMark; children: { mark: ProcessMark }[] };

const state = (): RunState => JSON.parse(readFileSync(join(home, "running.json"), "utf8"));
const membersOf = ({ owner, children }: RunState) => [owner, ...children.map(({ mark }) => mark)];

async function everythingEnded(members = existsSync(join(home, "running.json")) ? membersOf(state()) : []) {
  const left = () => members.filter(isRunning);
  await waitUntil(() => left().length === 0, {
    timeout: END_TIMEOUT_MS,
    describe: () => `still running: ${left().map(({ pid }) => pid)}`,
  });
}

/** Takes a port, unless it is taken already. */
function occupy(port: number): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(server)).listen(port, () => resolve(server));
  });
}

/** The explorer, the reference and the pages worth a look. */
function pagesOn(output: string): string[] {
  const api = /^ {2}API +(\S+)/m.exec(output)?.[1] ?? "";
  expect(output).toContain(`Agents    ${api}/mcp`);
  const pages = [
    ...output.matchAll(/^ {2}(?:Explorer |Reference )? *(http:\S+\/(?:docs|explore\/\S+)?)(?:\s|$)/gm),
  ];
  expect(pages.map(([, url]) => url?.slice(api.length)).slice(0, 2)).toEqual(["/", "/docs"]);
  expect(pages).toHaveLength(6);
  return pages.map(([, url]) => url as string);
}

/** The statement of the README's section on SQL, as it stands there, at the address that the screen shows. */
async function expectReadmeSql(output: string): Promise<void> {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [, sql = ""] = /## SQL[\s\S]*?```sql\n([\s\S]*?)```/.exec(readme) ?? [];
  const [, databaseUrl] = /psql (\S+) {2}\(schema namedex\)/.exec(output) ?? [];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const results = (await client.query(sql)) as unknown as { rows: { full_name: string }[] }[];
    expect(results.at(-1)?.rows.map(({ full_name }) => full_name)).toEqual(["expiring.eth"]);
  } finally {
    await client.end();
  }
}

/** The line that changes something, as it stands on the screen, and the change in the feed. */
async function expectChange(output: string): Promise<void> {
  const [line = ""] = /curl -s .*eth_sendTransaction.*/.exec(output) ?? [];
  const [, feed = ""] = /curl -s (\S+\/changes)$/m.exec(output) ?? [];
  for (let made = 1; made <= 2; made++) {
    const { result } = JSON.parse(execFileSync("sh", ["-c", line], { encoding: "utf8" }));
    await vi.waitUntil(async () => (await (await fetch(feed)).text()).includes(result), 60_000);
  }
}

test.runIf(isSlow())(
  "npm run dev shows what runs and what to ask, every line of it works, and Ctrl-C leaves nothing",
  async () => {
    const [apiPort, chainPort] = [await occupy(42069), await occupy(8545)];
    const dev = startDev();
    await isUp(dev);
    // A port that another program had at first may be free by now.
    if (apiPort.listening) expect(dev.output()).not.toMatch(/localhost:42069/);
    if (chainPort.listening) expect(dev.output()).not.toMatch(/127\.0\.0\.1:8545/);
    const urls = [...dev.output().matchAll(/curl -s (\S+)$/gm)].map(([, url]) => url as string);
    expect(urls).toHaveLength(7);
    for (const url of [...urls, ...pagesOn(dev.output())]) {
      expect((await fetch(url)).status, `${url}\n${logEnd()}`).toBe(200);
    }
    await expectReadmeSql(dev.output());
    await expectChange(dev.output());

    const second = startDev();
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain(`in use by process ${state().owner.pid}`);

    const members = membersOf(state());
    expect(members).toHaveLength(6); // npm's script, PostgreSQL, anvil of each chain, Ponder.
    signalGroup(dev.npm, "SIGINT");
    expect(await dev.exit).toBe(0);
    expect(members.filter(isRunning)).toEqual([]);
    expect(existsSync(join(home, "running.json"))).toBe(false);
    expect(existsSync(join(home, "postgres", "postmaster.pid"))).toBe(false);
    apiPort.close();
    chainPort.close();
  },
);

/** The demo played the change to ENSv2, its names are answered, and Ponder warned of nothing. */
async function expectEnsv2({ output }: Dev): Promise<void> {
  const api = /curl -s (http:\/\/[^/]+)/.exec(output())?.[1];
  const ask = async (path: string) => (await fetch(`${api}${path}`)).json();
  expect(await ask("/indexing-status")).toMatchObject({ ensv2: { phase: "public" } });
  expect(await ask("/whois/moved.eth")).toMatchObject({ protocol: "ensv2", migration: {} });
  expect(await ask("/whois/alice.eth")).toMatchObject({ protocol: "ensv1", reservation: {} });
  expect(output()).not.toContain("Ponder:");
}

test.runIf(isLong())(
  "with the main chain alone: after a kill -9 its children end by themselves, and a second start, now with ENSv2, works at once",
  async () => {
    const alone = { DEVNET_CHAINS: "1" };
    const first = startDev(alone);
    await isUp(first);
    expect(first.output()).not.toMatch(/base|linea/);
    const members = membersOf(state());
    expect(members).toHaveLength(4); // npm's script, PostgreSQL, anvil, Ponder.
    process.kill(state().owner.pid, "SIGKILL");
    const second = startDev({ ...alone, DEVNET_ENSV2: "on" });
    await everythingEnded(members);
    await isUp(second);
    await expectEnsv2(second);

    const later = membersOf(state());
    process.kill(second.npm.pid as number, "SIGKILL"); // npm alone: what it started must notice.
    await everythingEnded(later);
  },
  900_000,
);

test("a port that another program has is named", async () => {
  const server = await occupy(0);
  const { port } = server.address() as { port: number };
  const dev = startDev({ PORT: String(port) });
  expect(await dev.exit).toBe(1);
  expect(dev.output()).toContain(`PORT is ${port}, which another program uses`);
  server.close();
});

test("a number of chains that there is not is named", async () => {
  const dev = startDev({ DEVNET_CHAINS: "2" });
  expect(await dev.exit).toBe(1);
  expect(dev.output()).toContain('DEVNET_CHAINS is "2": expected 1 or 3');
});

test("a wrong setting is named before anything is started", async () => {
  const dev = startDev({ ENS_NETWORK: "mainnet" });
  expect(await dev.exit).toBe(1);
  expect(dev.output()).toMatch(/RPC_URL_1 is not set: expected .*, for example RPC_URL_1=/);
  expect(dev.output()).not.toMatch(/PostgreSQL|node:internal/);
});
