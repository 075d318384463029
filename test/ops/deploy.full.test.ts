import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalChain, startDemoChain } from "../../devnet/localChain.ts";
import { freePort } from "../../devnet/ports.ts";
import { createTestDatabase } from "../support/database.ts";
import { projectFiles, root } from "../support/projectFiles.ts";
import { untilUnlocked } from "./versions.ts";

// The steps of the image and the units, in a folder with the image's content: no tests, no
// development packages.

const read = (file: string) => readFileSync(join(root, file), "utf8");

/**
 * An unprivileged account if we are root: the program runs as a user that may write only what
 * Ponder writes.
 */
const stranger = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

let folder: string;
let local: LocalChain;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let env: Record<string, string>;
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "namedex-deploy-"));
  const ignored = read(".dockerignore").split("\n");
  for (const file of projectFiles) {
    if (!ignored.includes(file.split("/")[0] ?? "")) cpSync(join(root, file), join(folder, file));
  }
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  execFileSync(join(folder, "docs/deploy/install.sh"), {
    stdio: "pipe",
    env: { ...process.env, PATH: path },
  });
  local = await startDemoChain();
  database = await createTestDatabase();
  writeFileSync(join(folder, "deployment.json"), JSON.stringify(local.deployment));
  chmodSync(folder, 0o755);
  if (stranger.uid)
    for (const written of ["", "ponder-env.d.ts"])
      chownSync(join(folder, written), stranger.uid, stranger.gid);
  env = {
    PATH: path,
    HOME: "/nonexistent",
    NODE_ENV: "production",
    ENS_NETWORK: "custom",
    ENS_DEPLOYMENT: join(folder, "deployment.json"),
    [`RPC_URL_${local.anvil.chainId}`]: local.anvil.url,
    LIVE_RPC_URL: local.anvil.url,
    DATABASE_URL: database.url,
  };
});

afterAll(async () => {
  for (const child of running) if (child.exitCode === null) child.kill("SIGKILL");
  await local?.anvil.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

type Started = {
  url: string;
  port: number;
  output: () => string;
  ended: Promise<number | null>;
  child: ChildProcess;
};

async function run(program: "start" | "serve"): Promise<Started> {
  const port = await freePort();
  const child = spawn(join(folder, "docs/deploy/run.sh"), [program], {
    cwd: "/",
    env: { ...env, PORT: String(port) },
    ...stranger,
  });
  running.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { url: `http://127.0.0.1:${port}`, port, output: () => output, ended, child };
}

const health = (port: number, ...asked: string[]): boolean => {
  try {
    execFileSync(join(folder, "docs/deploy/health.sh"), asked, {
      env: { ...env, PORT: String(port) },
      stdio: "pipe",
    });
    return true;
  } catch {
    return false;
  }
};

async function untilReady({ url, child, output }: Started): Promise<void> {
  for (const end = Date.now() + 240_000; Date.now() < end; await sleep(200)) {
    if (child.exitCode !== null) throw new Error(`It ended: ${output()}`);
    const reply = await fetch(`${url}/indexing-status`).catch(() => null);
    if (reply?.ok && ((await reply.json()) as { ready: boolean }).ready) return;
  }
  throw new Error(`It is not ready: ${output()}`);
}

describe("with production packages only, as an unprivileged user", () => {
  let indexer: Started;

  test("the indexer indexes and answers, and its health can be queried", async () => {
    expect(existsSync(join(folder, "node_modules/vitest"))).toBe(false);
    indexer = await run("start");
    expect(health(await freePort())).toBe(false);
    expect(health(await freePort(), "ready")).toBe(false);
    await untilReady(indexer);
    expect(health(indexer.port)).toBe(true);
    expect(health(indexer.port, "ready")).toBe(true);
    const reply = await fetch(`${indexer.url}/whois/alice.eth`);
    expect(await reply.json()).toMatchObject({ availability_status: "registered", source: "indexed" });
  }, 300_000);

  test("a replica answers beside it", async () => {
    const replica = await run("serve");
    await untilReady(replica);
    expect((await fetch(`${replica.url}/whois/alice.eth`)).status).toBe(200);
    replica.child.kill("SIGTERM");
    expect(await replica.ended, replica.output()).toBe(0);
  }, 300_000);

  test("the script that started it compares it with the chain and takes a snapshot of it", async () => {
    const compared = await operate("verify", "--samples", "20");
    expect(compared).toMatchObject({ code: 0, stdout: expect.stringMatching(/values match/) });
    const snapshot = join(folder, "snapshot");
    expect(await operate("snapshot", "create", snapshot)).toMatchObject({ code: 0 });
    const inspected = await operate("snapshot", "inspect", snapshot);
    expect(inspected).toMatchObject({ code: 0, stdout: expect.stringMatching(/domains/) });
  }, 300_000);

  test("SIGINT ends it cleanly, and it starts again at once", async () => {
    indexer.child.kill("SIGINT");
    expect(await indexer.ended, indexer.output()).toBe(0);
    await untilUnlocked(indexer.output());
    const again = await run("start");
    await untilReady(again);
    expect(again.output()).not.toMatch(/locked/i);
    again.child.kill("SIGINT");
    expect(await again.ended, again.output()).toBe(0);
    await untilUnlocked(again.output());
  }, 400_000);
});

/** An operator's program with its arguments. */
async function operate(...words: string[]) {
  const script = join(folder, "docs/deploy/run.sh");
  const ended = promisify(execFile)(script, words, { cwd: "/", env, ...stranger });
  return ended.then(
    ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

describe("an operator's programs", () => {
  test.each([
    [["release", "list"], /^namedex_index .* stopped/m],
    [["keys", "create", "--label", "shop"], /ens_[A-Za-z0-9_-]{32}/],
    [["backup"], /^\{"namedex":"end","rows":\d+\}$/m],
  ])("%j is run by the script that starts the others", async (words, expected) => {
    expect(await operate(...words)).toMatchObject({ code: 0, stdout: expect.stringMatching(expected) });
  });

  test("pass on their exit codes and error messages", async () => {
    const refused = await operate("release", "switch", "nowhere");
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/has no index\. Existing indexes/),
    });
    for (const words of [[], ["relese", "list"]]) {
      const { code, stderr } = await operate(...words);
      expect([code, stderr]).toEqual([
        64,
        expect.stringMatching(/expected backup, .* release, .* webhooks, or gateway/),
      ]);
    }
  });
});
