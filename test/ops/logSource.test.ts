import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Hex, numberToHex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCache } from "../../engine/cache.ts";
import type { Query } from "../../engine/ponderInternals.ts";
import { noteFalseSource } from "../../engine/sources/falseSources.ts";
import { openLogSource } from "../../engine/sources/logSource.ts";
import {
  countSourceBlocks,
  findUncompared,
  noteCompared,
  noteSourceBlocks,
} from "../../engine/sources/sourceBlocks.ts";
import { checkLogSources } from "../../ops/checks/logSource.ts";
import { inTransaction, queriesOf, withClient } from "../../src/api/server/postgres/client.ts";
import { startPortal } from "../engine/portalNode.ts";
import { startProvider } from "../engine/providerNode.ts";
import { createTestDatabase } from "../support/database.ts";

const HEAD = 1_000_000;
type Started = {
  database: Awaited<ReturnType<typeof createTestDatabase>>;
  node: Awaited<ReturnType<typeof startProvider>>;
  portal: Awaited<ReturnType<typeof startPortal>>;
  other: Awaited<ReturnType<typeof startPortal>>;
  folder: string;
};
let started: Started;

beforeAll(async () => {
  const node = await startProvider({ logs: [], head: HEAD });
  const [database, portal, other, folder] = await Promise.all([
    createTestDatabase(),
    startPortal({ head: HEAD - 100 }, node.logsOf),
    startPortal({ head: HEAD - 100, lie: { from: 0, kind: "hash" } }, node.logsOf),
    mkdtemp(join(tmpdir(), "namedex-source-")),
  ]);
  await createCache(database.url);
  started = { database, node, portal, other, folder };
});
afterAll(async () => {
  const { database, node, portal, other, folder } = started;
  for (const one of [node, portal, other]) one.stop();
  await Promise.all([database.drop(), rm(folder, { recursive: true })]);
});

const check = (location?: string, schema = "index") =>
  checkLogSources({
    deployment: { name: "mainnet", chainId: 1, contracts: [{ startBlock: 1 }], layer2: [] } as never,
    databaseUrl: started.database.url,
    schema,
    rpcUrls: { 1: [started.node.url] },
    logSources: location === undefined ? {} : { 1: { variable: "LOG_SOURCE", location } },
    rpcRequestsPerSecond: 50,
  });

test("the start says what a first index costs with each source", async () => {
  expect(await check()).toEqual([
    "mainnet: past logs come from RPC_URL_1. A first index takes 300 to 1,500 requests for logs, or a minute at 50 requests a second.",
  ]);
  const [line] = await check(started.portal.url);
  expect(line).toMatch(
    /^mainnet: past logs up to block 999900 come from 127\.0\.0\.1:\d+ \(trial\), and later ones from RPC_URL_1\./,
  );
  expect(line).toContain(
    "A first index takes 40 requests or more, which take at least a minute, and 190 requests to your node",
  );
});

const faults: [string, () => string, RegExp][] = [
  [
    "a dataset that is not there",
    () => started.portal.url.replace("trial", "none"),
    /^LOG_SOURCE: .*\(none\) refuses the request with status 404: dataset not found/,
  ],
  [
    "a host that does not answer",
    () => "http://127.0.0.1:59999/datasets/trial",
    /^LOG_SOURCE: .*\(trial\) cannot be reached \(ECONNREFUSED\)/,
  ],
  [
    "a dataset of another chain",
    () => started.other.url,
    /^LOG_SOURCE: block 999900 of .* but 0x\w+ at your node: is it of mainnet \(1\)\?/,
  ],
  [
    "a folder that is not there",
    () => join(started.folder, "none"),
    /^LOG_SOURCE: .*manifest\.json does not exist: the folder has no archive/,
  ],
];
test.each(faults)("%s is refused with the variable and the reason", async (_, location, message) => {
  await expect(check(location())).rejects.toThrow(message);
});

test.each<[string, object, RegExp]>([
  ["no manifest", { a: 1 }, /is damaged or of another version/],
  ["another chain's", { chain_id: 8453 }, /is an archive of chain 8453, not of chain 1/],
  ["one whose file is missing", {}, /0000000000\.parquet is missing: copy it again/],
  ["one with a file elsewhere", { file: "../../etc/passwd" }, /is damaged or of another version/],
])("an archive with %s is refused", async (_, changes, message) => {
  const hash: Hex = numberToHex(1, { size: 32 });
  const { file: path, ...rest } = changes as { file?: string };
  const file = (table: string) => ({
    file: path ?? `${table}/0000000000.parquet`,
    rows: 1,
    bytes: 1,
    sha256: "0".repeat(64),
  });
  const part = {
    first_block: 0,
    last_block: 9,
    logs: file("logs"),
    transactions: file("transactions"),
    blocks: file("blocks"),
  };
  const known = {
    namedex: "logs",
    format: 1,
    created_at: "2026-11-28T00:00:00.000Z",
    version: "0.1.0",
    chain_id: 1,
  };
  const ends = { first: { number: 1, hash }, last: { number: 9, hash } };
  await writeFile(
    join(started.folder, "manifest.json"),
    JSON.stringify({ ...known, ...ends, filters: {}, parts: [part], ...rest }),
  );
  await expect(check(started.folder)).rejects.toThrow(message);
});

test("a source that was wrong is not used again, nor is the index built from it", async () => {
  const { name } = await openLogSource(started.portal.url, { chainId: 1 });
  await withClient({ connectionString: started.database.url }, async (client) => {
    const found = {
      location: name,
      schema: "false",
      chainId: 1,
      block: 5,
      what: "log 1 is missing",
    };
    await client.query("begin");
    await noteFalseSource(queriesOf(client).query, found);
    await client.query("commit");
  });
  const message = /^LOG_SOURCE: .* differs from your node at block 5 \(log 1 is missing\).* than "false"/;
  await expect(check(started.portal.url)).rejects.toThrow(message);
  await expect(check(undefined, "false")).rejects.toThrow(message);
  await expect(check(undefined)).resolves.toHaveLength(1);
});

test("every index that read a source's blocks from the cache is invalid too", async () => {
  const [source, other] = [
    { chainId: 1, location: "a source" },
    { chainId: 1, location: "another" },
  ];
  const query = <T>(work: (query: Query) => Promise<T>) =>
    withClient({ connectionString: started.database.url }, (client) =>
      inTransaction(client, () => work(queriesOf(client).query)),
    );
  await query((q) => noteSourceBlocks(q, { ...source, schema: "first", from: 5, to: 90 }));
  await check(undefined, "second");
  await query((q) => noteSourceBlocks(q, { ...other, schema: "third", from: 5, to: 90 }));
  await query((q) => noteFalseSource(q, { ...source, schema: null, block: 7, what: "log 1 is missing" }));
  for (const schema of ["first", "second"])
    await expect(check(undefined, schema)).rejects.toThrow(/block 7 \(log 1 is missing\)/);
  await expect(check(undefined, "third")).resolves.toHaveLength(1);
  // Its blocks are no longer in the cache.
  await expect(check(undefined, "fourth")).resolves.toHaveLength(1);
});

test("refetched blocks are compared again", async () => {
  const source = { chainId: 7, location: "a source" };
  await withClient({ connectionString: started.database.url }, async (client) => {
    const { query } = queriesOf(client);
    const counts = () => countSourceBlocks(query, { chainId: 7, schema: "index" });
    const next = () => findUncompared(query, { chainId: 7, schema: "index" });
    await noteSourceBlocks(query, { ...source, schema: "index", from: 5, to: 90 });
    await noteCompared(query, { ...source, from: 1, to: 100 });
    expect([await counts(), await next()]).toEqual([{ blocks: 86, compared: 86 }, null]);
    await noteSourceBlocks(query, { ...source, schema: "index", from: 80, to: 99 });
    expect(await counts()).toEqual({ blocks: 95, compared: 75 });
    expect(await next()).toEqual({ ...source, from: 80, to: 99 });
  });
});
