import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Manifest } from "../../ops/export/manifest.ts";
import { mineBlocks } from "../devnet/acts.ts";
import { type LocalChain, startDemoChain } from "../devnet/localChain.ts";
import { type RpcProxy, startRpcProxy } from "../live/rpcProxy.ts";
import { bareEnvironment } from "../support/environment.ts";
import { historiesOf, playSteps } from "../truth/steps.ts";
import { changeRows } from "./runVerify.ts";
import { type Followed, prepareFollowed } from "./snapshot/followed.ts";
import { type Outcome, runProgram, waitFor } from "./versions.ts";

// The demo's index, its indexer and its chain, exported and checked by the program that operators run.

let local: LocalChain;
let source: Followed;
let node: RpcProxy;
let top: string;
let env: Record<string, string>;

/** Ponder takes a block for final once 30 follow, and looks when twice as many do. */
const SETTLING_BLOCKS = 70;
const PATIENCE_MS = 300_000;

const runExport = (...args: string[]): Promise<Outcome> => runProgram("export.ts", args, env);

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));

beforeAll(async () => {
  top = mkdtempSync(join(tmpdir(), "namedex-exports-"));
  local = await startDemoChain({ balance: 1_000_000_000 });
  node = await startRpcProxy(local.anvil.url);
  source = await prepareFollowed(local);
  source.version.start();
  await source.version.ready();
  await mineBlocks(local.chain, { count: SETTLING_BLOCKS });
  await source.waitForHead();
  const deployment = join(top, "deployment.json");
  writeFileSync(deployment, JSON.stringify(local.deployment));
  env = {
    ...{ ENS_DEPLOYMENT: deployment, RPC_URL_31337: node.url, LIVE_RPC_URL: node.url },
    ...{ DATABASE_URL: source.databaseUrl, LIVE_REQUESTS_PER_SECOND: "1000" },
  };
}, PATIENCE_MS);

afterAll(async () => {
  await source?.close();
  await node?.kill();
  await local?.anvil.stop();
  if (top !== undefined) rmSync(top, { recursive: true, force: true });
});

test(
  "the demo is exported, and equals the index and the contracts",
  async () => {
    const folder = join(top, "demo");
    const written = await runExport("--to", folder, "--tables", "all");
    expect(written.stderr).toMatch(/^Writing rows: [\d,]+ rows in/m);
    expect(written.stdout).toMatch(/has \d+ tables, [\d,]+ rows in \d+ files, .* of block \d+ of \S+\.\n$/);
    expect(written.code).toBe(0);
    const checked = await runExport("--check", folder, "--samples", "5000", "--seed", "1");
    expect(checked.stdout).toMatch(/rows of the index: .*domains/);
    const values = /(\d+) values of \d+ names, records and primary names \(seed 1\)/.exec(
      checked.stdout,
    )?.[1];
    expect(Number(values)).toBeGreaterThan(500);
    expect(checked.stdout).not.toContain("Not compared");
    expect(checked.stdout).toMatch(/is what its manifest says\.\n$/);
    expect(checked.code).toBe(0);
  },
  PATIENCE_MS,
);

test(
  "rows that the contracts contradict are found",
  async () => {
    const where = "full_name = 'alice.eth'";
    const folder = join(top, "wrong");
    const change = (text: string) => changeRows(source, text);
    const [before] = await change(`select registry_owner from domains where ${where}`);
    await change(`update domains set registry_owner = '0x${"ab".repeat(20)}' where ${where}`);
    const written = await runExport("--to", folder);
    await change(`update domains set registry_owner = '${before?.registry_owner}' where ${where}`);
    expect(written.code, written.stderr).toBe(0);
    const checked = await runExport("--check", folder, "--samples", "5000");
    expect(checked.stdout).toMatch(
      /domains\.registry_owner of .*alice\.eth.*: the files have 0xabab\S+, the contracts of/,
    );
    expect(checked.stdout).toMatch(/domains: the index has \d+ rows, and the files \d+, or others/);
    expect(checked.code).toBe(1);
  },
  PATIENCE_MS,
);

test(
  "a node that has not the state of the block, or another block, is not taken for an answer",
  async () => {
    const folder = join(top, "demo");
    node.fault = ({ method }) =>
      method === "eth_call" ? { error: { code: -32000, message: "missing trie node" } } : undefined;
    const pruned = await runExport("--check", folder);
    node.fault = ({ method }) =>
      method === "eth_getBlockByNumber"
        ? { result: { hash: `0x${"cd".repeat(32)}`, timestamp: "0x1" } }
        : undefined;
    const other = await runExport("--check", folder);
    node.fault = () => undefined;
    expect(pruned.stdout).toMatch(/Not compared:\n {2}with the contracts of \S+ at block \d+: /);
    expect(pruned.code).toBe(0);
    expect(other.stdout).toMatch(/block \d+ of \S+ is 0x\S+ in the manifest, and 0xcdcd\S+ at the node/);
    expect(other.code).toBe(1);
  },
  PATIENCE_MS,
);

test(
  "exports beside an indexer that writes are of one block each, and one goes on where another ended",
  async () => {
    const [steps = []] = historiesOf({ seed: 7_041, runs: 1, steps: 60 });
    const playing = playSteps(local.chain, "export", steps).then(() =>
      mineBlocks(local.chain, { count: SETTLING_BLOCKS }),
    );
    const folders: string[] = [];
    let isPlaying = true;
    const end = () => {
      isPlaying = false;
    };
    playing.then(end, end);
    while (isPlaying || folders.length < 2) {
      const folder = join(top, `beside-${folders.length}`);
      const written = await runExport("--to", folder);
      expect(written.code, written.stderr).toBe(0);
      folders.push(folder);
    }
    await playing;
    await source.waitForHead();
    const last = join(top, "last");
    const older = join(top, "demo", "manifest.json");
    const written = await runExport("--to", last, "--since", older);
    expect(written.code, written.stderr).toBe(0);
    expect(manifestOf(last).chains[0]?.block_number).toBeGreaterThan(
      manifestOf(join(top, "demo")).chains[0]?.block_number ?? 0,
    );
    expect(manifestOf(last).tables.find(({ name }) => name === "events")?.rows).toBeGreaterThan(20);
    for (const folder of [...folders, last]) {
      const checked = await runExport("--check", folder, "--samples", "1000");
      expect(checked.code, checked.stdout).toBe(0);
      expect(checked.stdout).toMatch(/the contracts of \S+ at block/);
    }
  },
  PATIENCE_MS,
);

function startExport(folder: string): { child: ChildProcess; ended: Promise<void> } {
  const program = fileURLToPath(new URL("../../ops/export.ts", import.meta.url));
  const child = spawn(process.execPath, [program, "--to", folder], {
    env: { ...bareEnvironment, ...env },
    cwd: top,
    stdio: "ignore",
  });
  return { child, ended: new Promise((resolve) => child.once("close", () => resolve())) };
}

test(
  "an export that is killed goes on",
  async () => {
    const folder = join(top, "killed");
    const { child, ended } = startExport(folder);
    const hasFiles = async () =>
      existsSync(join(folder, "unfinished.json")) &&
      readFileSync(join(folder, "unfinished.json"), "utf8").includes("ownership_changes/");
    await waitFor(hasFiles, () => "The export wrote no file");
    child.kill("SIGKILL");
    await ended;
    expect(existsSync(join(folder, "manifest.json"))).toBe(false);
    const early = await runExport("--check", folder);
    expect(early.stderr).toMatch(
      /manifest\.json cannot be read: there is no such file\. If an export was interrupted, run/,
    );
    const written = await runExport("--to", folder);
    expect(written.code, written.stderr).toBe(0);
    const checked = await runExport("--check", folder);
    expect(checked.code, checked.stdout).toBe(0);
  },
  PATIENCE_MS,
);
