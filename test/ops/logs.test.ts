import { cp, mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCache } from "../../engine/cache.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";
import { createTestDatabase } from "../support/database.ts";
import { runProgram } from "./programs.ts";

// `npm run logs` as an operator sees it: its output, its exit code, and the files it leaves.

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let root: string;

const run = (...args: string[]) =>
  runProgram("logs.ts", args, {
    DATABASE_URL: database.url,
    ENS_NETWORK: "mainnet",
    RPC_URL_1: "http://127.0.0.1:1",
  });
const inFolder = (name: string) => join(root, name);

/** Logs in the first two parts of an archive. */
const rows = `
  insert into namedex_cache.logs (chain_id, block_number, log_index, transaction_index, block_hash, transaction_hash, address, topic0, data)
    select 1, n, 0, 0, '0x' || lpad(to_hex(n), 64, '0'), '0x' || lpad(to_hex(n + 7), 64, '0'), '0x' || lpad('a', 40, '0'), '0x' || lpad('b', 64, '0'), '0x'
    from unnest(array[10, 499999, 500000, 700000]) as n;
  insert into namedex_cache.blocks (chain_id, number, timestamp, hash, parent_hash, logs_bloom, miner, gas_used, gas_limit, extra_data,
      state_root, receipts_root, transactions_root, size, difficulty)
    select 1, block_number, 1500000000, block_hash, '0x', '0x', '0x', 0, 0, '0x', '0x', '0x', '0x', 0, 0 from namedex_cache.logs;
  insert into namedex_cache.intervals (fragment_id, chain_id, blocks)
    values ('log_1_0x000000000000000000000000000000000000000a_null_null_null_null_0', 1, '{[1,800001]}');`;

beforeAll(async () => {
  database = await createTestDatabase();
  root = await mkdtemp(join(tmpdir(), "namedex-logs-"));
  await createCache(database.url);
  await withClient({ connectionString: database.url }, (client) => client.query(rows));
  expect(await run("export", "--to", inFolder("whole"))).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await database?.drop();
  await rm(root, { recursive: true });
});

async function copied(name: string): Promise<string> {
  await cp(inFolder("whole"), inFolder(name), { recursive: true });
  return inFolder(name);
}

const LOGS = "logs/0000500000.parquet";

test("an archive is described and matches its manifest", async () => {
  const what = `${inFolder("whole")} has 4 logs in 4 transactions and 4 blocks of chain 1, blocks 10 to 700000, for 1 filter: `;
  const inspected = await run("inspect", inFolder("whole"));
  expect(inspected).toMatchObject({ code: 0, stdout: expect.stringContaining(what), stderr: "" });
  expect(await run("check", inFolder("whole"))).toMatchObject({
    code: 0,
    stdout: `${inspected.stdout.trim()} All files match the manifest.\n`,
    stderr: expect.stringMatching(/^Checking: [\d.]+ kB in 1 s, [\d.]+ [kM]B\/s\n$/),
  });
});

const damages: [string, (path: string) => Promise<unknown>, string][] = [
  ["cut off", (path) => truncate(path, 100), "has 100 bytes, not "],
  [
    "altered in one bit",
    async (path) => {
      const bytes = await readFile(path);
      bytes[50] = Number(bytes[50]) ^ 1;
      await writeFile(path, bytes);
    },
    "has another SHA-256 than the manifest says: copy it again.",
  ],
  ["removed", (path) => rm(path), "is missing: copy it again."],
];
test.each(damages)("a file that was %s is named", async (what, damage, message) => {
  const folder = await copied(what);
  await damage(join(folder, LOGS));
  const { code, stdout, stderr } = await run("check", folder);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(`${join(folder, LOGS)} ${message}`);
});

/** A copy in the state of an export that ended within its second part. */
async function interrupted(name: string): Promise<string> {
  const folder = await copied(name);
  const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
  await rm(join(folder, "manifest.json"));
  const unfinished = { ...manifest, parts: manifest.parts.slice(0, 1) };
  await writeFile(join(folder, "unfinished.json"), JSON.stringify(unfinished));
  return folder;
}

test("blocks that the cache has since lost are not reported as complete", async () => {
  const folder = await interrupted("lost");
  const setBlocks = (blocks: string) =>
    withClient({ connectionString: database.url }, (client) =>
      client.query(`update namedex_cache.intervals set blocks = '${blocks}'`),
    );
  await setBlocks("{[1,600001]}");
  const { code, stderr } = await run("export", "--to", folder);
  await setBlocks("{[1,800001]}");
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      `The cache lost blocks while ${folder} was written: remove the folder and export again.`,
    ),
  ]);
  expect(await run("check", folder)).toMatchObject({ code: 1 });
});

test("an interrupted export is not an archive, and the same command continues it", async () => {
  const folder = await interrupted("interrupted");
  await writeFile(join(folder, LOGS), "half of a file");
  const before = await stat(join(folder, "logs/0000000000.parquet"));
  expect(await run("check", folder)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("the folder has no archive, or its export is not finished."),
  });
  // A disk that refuses a file, whatever the user's permissions.
  await rm(join(folder, LOGS));
  await mkdir(join(folder, LOGS, "x"), { recursive: true });
  const refused = await run("export", "--to", folder);
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toContain(join(folder, LOGS));
  await rm(join(folder, LOGS), { recursive: true });

  expect(await run("export", "--to", folder)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Writing: 200,001 blocks in 1 s, [\d,]+ blocks\/s\n$/),
  });
  expect((await stat(join(folder, "logs/0000000000.parquet"))).mtimeMs).toBe(before.mtimeMs);
  expect(await run("check", folder)).toMatchObject({ code: 0 });
});

const refusals: [string[], string][] = [
  [["export", "--to", "whole"], "already has an archive: use a new folder.\n"],
  [["export", "--to", "file"], "Cannot use the folder "],
  [
    ["export", "--to", "new", "--chain", "8453"],
    "--chain is 8453: expected an indexed chain: 1 (mainnet).\n",
  ],
  [["export", "--to", "new", "--chain", "x"], '--chain is "x": expected a whole number from 1 to '],
  [["export", "new"], "export takes --to DIR and --chain ID.\n"],
  [["export"], "export takes --to DIR and --chain ID.\n"],
  [["check"], "check needs a folder.\n"],
  [["check", "whole", "other"], "check takes one folder and nothing else.\n"],
  [["check", "whole", "--fast"], "Unknown option '--fast'."],
  [["check", "none"], "manifest.json does not exist: the folder has no archive"],
  [["inspect", "none"], "manifest.json does not exist: the folder has no archive"],
  [["chekc", "whole"], 'Unknown command "chekc".\n'],
];
test.each(refusals)("%j is refused with the reason", async (args, message) => {
  await writeFile(inFolder("file"), "x");
  const isFolder = (arg: string, i: number) => i > 0 && /^(whole|file|new|none|other)$/.test(arg);
  const { code, stdout, stderr } = await run(
    ...args.map((arg, i) => (isFolder(arg, i) ? inFolder(arg) : arg)),
  );
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(message);
});
