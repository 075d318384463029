// Also runs as: long
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../devnet/ports.ts";
import { escapeControls, onOneLine } from "../../ops/commandLine/foreignText.ts";
import { bareEnvironment } from "../support/environment.ts";
import { isLong } from "../support/size.ts";

/*
 * The operators' programs print texts from a database, a node, an indexer, a snapshot and a folder. None of these texts may move
 * the cursor, change earlier output, or make its own line.
 */

const EVIL = "\u001b[2J\u001b]0;owned\u0007 \u202e\u009b31m\u2028 evil\nAll is well.\r\u001b[K";

/** Characters forbidden in output. */
const OBEYED = /[^\n\t\P{C}]|[\p{Zl}\p{Zp}]/u;
/** A line that looks like one of ours. */
const FAKE = /^\s*All is well/m;

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A PostgreSQL that refuses every connection with this text. */
function refusingDatabase(): Server {
  const field = (kind: string, text: string) => Buffer.from(`${kind}${text}\0`);
  const fields = Buffer.concat([
    field("S", "FATAL"),
    field("C", "XX000"),
    field("M", `refused ${EVIL}`),
    Buffer.from([0]),
  ]);
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  return createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(Buffer.concat([Buffer.from("E"), length, fields])));
  });
}

/** A node whose every answer is an error, and an indexer whose every answer is a status. */
const refusingNode = () =>
  createHttpServer((_, response) =>
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32_000, message: `no ${EVIL}` } })),
  );
const strangeIndexer = () =>
  createHttpServer((_, response) =>
    response.end(
      JSON.stringify({
        ready: false,
        reason: `no ${EVIL}`,
        network: `net ${EVIL}`,
        active: false,
        chains: [{ indexed_block_number: 1, lag_seconds: 1 }],
      }),
    ),
  );

const folder = mkdtempSync(join(tmpdir(), "namedex-foreign-"));
const servers: Server[] = [];
let env: Record<string, string | undefined> = {};

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const manifest = (change: object) =>
  JSON.stringify({
    namedex: "snapshot",
    format: 1,
    created_at: "2026-01-01T00:00:00Z",
    network: "mainnet",
    build_id: "0123456789",
    versions: { namedex: "1", ponder: "1", postgresql: "1" },
    chains: [],
    indexes: [],
    has_cache: false,
    parts: [],
    ...change,
  });

/** A snapshot with these values in its manifest. Returns its folder. */
function snapshotWith(name: string, change: object): string {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, "manifest.json"), manifest(change));
  return path;
}

beforeAll(async () => {
  const database = await listen(refusingDatabase());
  const node = await listen(refusingNode());
  const indexer = await listen(strangeIndexer());
  env = {
    ...bareEnvironment,
    ENS_NETWORK: "mainnet",
    RPC_URL_1: `http://127.0.0.1:${node}`,
    DATABASE_URL: `postgresql://me:word@127.0.0.1:${database}/x`,
    GATEWAY_DRAIN_SECONDS: "0",
    INDEXERS: `http://127.0.0.1:${indexer}`,
    PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
  };
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

type Outcome = { stdout: string; stderr: string };

/** Runs a program until it ends or, if it continues, until a second after it has shown the stranger's text. */
const run = (file: string, args: readonly string[], input = "") =>
  new Promise<Outcome>((resolve) => {
    const options = { cwd: folder, env, timeout: 60_000, killSignal: "SIGTERM" as const };
    const child = execFile(process.execPath, [join(root, file), ...args], options, (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
    const stop = (text: string | Buffer) => {
      if (text.includes("evil")) setTimeout(() => child.kill("SIGTERM"), 1_000);
    };
    child.stdout?.on("data", stop);
    child.stderr?.on("data", stop);
    child.stdin?.end(input);
  });

/** Expects the stranger's text to be there, and harmless. */
function expectHarmless({ stdout, stderr }: Outcome): void {
  for (const text of [stdout, stderr]) {
    expect(text).not.toMatch(OBEYED);
    expect(text).not.toMatch(FAKE);
  }
  expect(stdout + stderr).toContain("evil");
}

const commands: [file: string, ...args: string[]][] = [
  ["ops/backup.ts"],
  ["ops/keys.ts", "list"],
  ["ops/release.ts", "list"],
  ["ops/roles.ts"],
  ["ops/serve.ts"],
  ["ops/start.ts"],
  ["ops/verify.ts", "--samples", "1"],
];

describe("text from a database or a node", () => {
  test.each(commands)("%s %s", async (file, ...args) => {
    expectHarmless(await run(file, args));
  });

  test("ops/restore.ts", async () => {
    expectHarmless(await run("ops/restore.ts", [], `{"namedex":"backup","version":1}\n${EVIL}\n`));
  });

  test("ops/gateway.ts, from an indexer", async () => {
    expectHarmless(await run("ops/gateway.ts", []));
  });
});

describe.runIf(isLong())("text from a snapshot", () => {
  const chain = {
    chain_id: 1,
    chain_name: "mainnet",
    block_number: 1,
    block_timestamp: 1,
    block_hash: `0x${"ab".repeat(32)}`,
    checkpoint: "0".repeat(75),
  };
  test.each([
    ["network", { network: `x ${EVIL}`, chains: [chain] }],
    ["a chain's name", { chains: [{ ...chain, chain_name: `x ${EVIL}` }] }],
    ["a version", { versions: { namedex: `x ${EVIL}`, ponder: "1", postgresql: "1" }, chains: [chain] }],
    ["a key that is not known", { [`x ${EVIL}`]: 1, chains: [chain] }],
    ["the name of a file", { chains: [chain], parts: [{ file: `x ${EVIL}` }] }],
  ])("%s", async (what, change) => {
    const path = snapshotWith(what.replaceAll(" ", "-"), change);
    for (const command of ["inspect", "restore"]) {
      const { stdout, stderr } = await run("ops/snapshot.ts", [command, path]);
      expect(stdout + stderr).toMatch(/manifest\.json is damaged/);
      expect(stdout + stderr).not.toMatch(OBEYED);
      expect(stdout + stderr).not.toMatch(FAKE);
    }
  });

  test("a file in the folder of a new one", async () => {
    const path = join(folder, "foreign");
    mkdirSync(path);
    writeFileSync(join(path, EVIL.replaceAll("/", "_")), "");
    expectHarmless(await run("ops/snapshot.ts", ["create", path]));
  });
});

test("every operators' program runs in the one frame, which escapes its output", () => {
  const programs = readdirSync(join(root, "ops")).filter((file) => file.endsWith(".ts"));
  expect(programs.length).toBeGreaterThan(7);
  for (const file of programs.map((one) => `ops/${one}`)) {
    expect([file, readFileSync(join(root, file), "utf8")]).toEqual([
      file,
      expect.stringMatching(/^await run(Program|Service|Ponder)\(/m),
    ]);
  }
});

test("escaped JSON has the same meaning, and a stranger's text within a line is cut", () => {
  const value = { text: `${EVIL}\u{e0001}` };
  expect(JSON.parse(escapeControls(JSON.stringify(value)))).toEqual(value);
  expect(escapeControls("a\n\tb")).toBe("a\n\tb");
  expect(onOneLine("a\r\n  b\u001b")).toBe("a b\\u001b");
  expect(onOneLine("x".repeat(1_000)).length).toBeLessThan(310);
});
