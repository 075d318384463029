// Also runs as: long
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toHex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { measureFile } from "../../engine/sources/archiveManifest.ts";
import { openDuckDb } from "../../engine/sources/duckDb.ts";
import { createTestDatabase } from "../support/database.ts";
import { isLong } from "../support/size.ts";
import type { Steps } from "./comparisonSteps.ts";
import type { Lie, PortalPlan } from "./portalNode.ts";
import type { Provider } from "./providerNode.ts";
import { runNode, runTrial } from "./runTrial.ts";

type Cache = Record<"found" | "transactions" | "logs" | "blocks", object[]> & {
  intervals: { blocks: string }[];
};
type Outcome = {
  cache: Cache;
  used: object[];
  failure: string | null;
  refused: { location: string; block: string; what: string }[];
  seen: Provider["seen"];
  compared: Steps | null;
  portal?: { requests: number; refused: string[] };
};

/** The part of each e-mail address in the logs that the cache would have. */
const EMAIL = toHex("@mail.example").slice(2);

async function fill(source: object): Promise<Outcome> {
  const outcome = await runTrial<Outcome>("logSyncTrial.ts", { args: [JSON.stringify({ source })] });
  expect(JSON.stringify(outcome)).not.toContain(EMAIL);
  return outcome;
}

/** The slow tests take every third case. */
const shareOf = <Case>(cases: Case[]): Case[] => (isLong() ? cases : cases.filter((_, i) => i % 3 === 0));

const byNode = fill({});
const HEAD = 60_000;

test.each(
  shareOf<[string, PortalPlan]>([
    ["has all blocks", { head: HEAD }],
    ["has two thirds of the blocks", { head: 40_000 }],
    ["ends each answer after 1,500 blocks", { head: HEAD, endsAfter: 1_500 }],
    [
      "is busy, broken or cut off now and then",
      { head: HEAD, faults: { 1: "429", 3: "503", 5: "500", 7: "204", 9: "empty", 11: "cut", 13: "plain" } },
    ],
  ]),
)("the cache is the same as from the node only, if the Portal %s", async (_, portal) => {
  const [theirs, ours] = await Promise.all([byNode, fill({ portal })]);
  expect(ours.failure).toBeNull();
  expect(ours.portal?.refused).toEqual([]);
  expect(ours.portal?.requests).toBeGreaterThan(20);
  // The node is only asked for samples, and for blocks above.
  const longest = ours.seen.largest;
  if (portal.head === HEAD) expect(longest).toBeLessThan(1_000);
  expect(ours.cache.logs.length).toBeGreaterThan(300);
  expect(ours.cache).toEqual(theirs.cache);
});

test.each(
  shareOf<[Lie["kind"], RegExp]>([
    ["omits", /log \d+ is missing/],
    ["alters", /log \d+ has other content/],
    ["invents", /the node has no log 999/],
    ["time", /its time is 15\d+, not 15\d+/],
    ["hash", /its hash is 0x\w+, not 0x|log \d+ has other content/],
  ]),
)("a Portal that %s is refused before its blocks are stored", async (kind, what) => {
  const outcome = await fill({ portal: { head: HEAD, lie: { from: 20_000, kind } }, isFalse: true });
  expect(outcome.failure).toMatch(what);
  expect(outcome.failure).toContain('start with another DATABASE_SCHEMA than "trial"');
  expect(outcome.refused).toHaveLength(1);
  expect(outcome.refused[0]?.what).toMatch(what);
  const { intervals, ...rows } = outcome.cache;
  expect(rows).toEqual({ found: [], transactions: [], logs: [], blocks: [] });
  expect(intervals.filter(({ blocks }) => blocks !== "{}")).toEqual([]);
});

test("nothing is stored from a source found wrong after a range was compared", async () => {
  const { failure, cache } = await fill({ portal: { head: HEAD }, isRefusedMeanwhile: true });
  expect(failure).toContain("differs from your node at block 5 (found meanwhile)");
  expect(cache).toEqual({ found: [], transactions: [], logs: [], blocks: [], intervals: [] });
});

test("behind the ready index, all logs of a source are compared, and one wrong log is found", async () => {
  const { compared } = await fill({ portal: { head: 40_000 }, isCompared: true });
  const { before, interrupted, forgetful, equal, again, lies } = compared as Steps;
  expect(before).toEqual({ said: [], progress: [], requests: 0, stored: 0 });
  const [first] = interrupted.progress;
  const all = Number(first?.blocks);
  // Logs from the node are not compared.
  expect(all).toBeGreaterThan(30_000);
  expect(all).toBeLessThanOrEqual(40_000);
  expect(interrupted.stored).toBeGreaterThan(0);
  expect(interrupted.stored).toBeLessThan(all);
  expect(forgetful.stored).toBe(interrupted.stored);
  // The receipts prove that the cache is right.
  expect(forgetful.said).toEqual([
    expect.stringMatching(/^failed: the node contradicts itself: by eth_getLogs/),
  ]);
  expect(forgetful.progress[0]?.differingBlock).toBeNull();
  expect(equal).toMatchObject({
    said: ["Chain 1: all past logs of its source equal those of the node."],
    progress: [{ blocks: all, compared: all, differingBlock: null }],
  });
  expect(again).toEqual({ said: [], progress: equal.progress, requests: 0, stored: all });
  expect(
    Object.entries(lies).map(([kind, { progress, block }]) => [kind, progress[0]?.differingBlock === block]),
  ).toEqual([
    ["omits", true],
    ["alters", true],
    ["invents", true],
    ["moves", true],
    ["time", true],
  ]);
  for (const { said, logs, refused, intervals } of Object.values(lies)) {
    expect(said).toEqual([
      expect.stringMatching(
        /differs from your node at block \d+ .*start with another DATABASE_SCHEMA than "trial"/,
      ),
    ]);
    expect(refused).toEqual([expect.objectContaining({ schema: "trial" })]);
    // Blocks that came from the node stay.
    expect(logs).toBeGreaterThan(0);
    expect(intervals).toBeGreaterThan(0);
  }
});

/** Archives of the provider's logs, and copies of them to damage. */
async function openArchives() {
  const root = await mkdtemp(join(tmpdir(), "namedex-logs-"));
  const [whole, part] = [join(root, "whole"), join(root, "part")];
  await Promise.all([fill({ to: whole }), fill({ to: part, isFirstOnly: true })]);
  return { root, whole, part };
}
let archives: Awaited<ReturnType<typeof openArchives>>;
beforeAll(async () => {
  archives = await openArchives();
});
afterAll(() => rm(archives.root, { recursive: true }));

const withoutUnused = ({ cache: { transactions: _, ...cache }, used }: Outcome) => ({ ...cache, used });

test("the cache is the same as from the node only, if an archive has all filters", async () => {
  const [theirs, ours] = await Promise.all([byNode, fill({ archive: archives.whole })]);
  expect(ours.failure).toBeNull();
  expect(withoutUnused(ours)).toEqual(withoutUnused(theirs));
  expect(ours.seen.requests.eth_getLogs).toBeLessThan(Number(theirs.seen.requests.eth_getLogs));
});

test("the node is asked only for the filters that an archive lacks", async () => {
  const [theirs, ours] = await Promise.all([byNode, fill({ archive: archives.part })]);
  expect(ours.failure).toBeNull();
  expect(withoutUnused(ours)).toEqual(withoutUnused(theirs));
  expect(ours.seen.largest).toBeGreaterThan(1_000);
  expect(ours.seen.requests.eth_getLogs).toBeLessThan(Number(theirs.seen.requests.eth_getLogs));
});

test.runIf(isLong())(
  "a backfill that is killed at any moment and continues from any source misses nothing",
  async () => {
    const sources = [{ portal: { head: HEAD, endsAfter: 7_000 } }, { archive: archives.whole }, {}];
    const began = performance.now();
    const theirs = await fill({ portal: { head: HEAD } });
    const whole = performance.now() - began;
    const database = await createTestDatabase();
    const start = (source: object, killAfterMs = 0) =>
      runNode<Outcome>("logSyncTrial.ts", { args: [database.url, JSON.stringify({ source })], killAfterMs });
    const kills: number[] = [];
    try {
      for (let i = 0; i < 6; i++) {
        const after = Math.ceil(whole * (0.2 + 0.7 * Math.random()));
        kills.push(after);
        await start(sources[i % sources.length] as object, after).catch(({ signal }) =>
          expect(signal, `killed after ${after} ms`).toBe("SIGKILL"),
        );
      }
      const ours = await start({ portal: { head: 40_000 } });
      expect(ours.failure).toBeNull();
      expect(ours.cache.logs.length).toBeGreaterThan(300);
      expect(withoutUnused(ours), `killed after ${kills} of ${whole} ms`).toEqual(withoutUnused(theirs));
    } finally {
      await database.drop();
    }
  },
);

/** Defects of an archive copy that has all filters. */
type Damage = { table: "logs" | "transactions" | "blocks"; sql: string; isResummed: boolean };

async function damaged({ table, sql, isResummed }: Damage): Promise<string> {
  const folder = await mkdtemp(join(archives.root, "damaged-"));
  await cp(archives.whole, folder, { recursive: true });
  const path = join(folder, table, "0000000000.parquet");
  const duckDb = await openDuckDb();
  await duckDb.run(`create temp table rows as select * from read_parquet('${path}')`);
  await duckDb.run(sql);
  await duckDb.run(`copy rows to '${path}' (format parquet, compression zstd)`);
  const [[rows]] = (await duckDb.runAndReadAll("select count(*)::integer from rows")).getRows() as [[number]];
  duckDb.closeSync();
  const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
  const { bytes, sha256 } = await measureFile(path);
  Object.assign(manifest.parts[0][table], isResummed ? { rows, bytes, sha256 } : { bytes });
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
  return folder;
}

test.each(
  shareOf<[string, Damage, RegExp]>([
    [
      "omits logs",
      { table: "logs", sql: "delete from rows where block_number > 30000", isResummed: true },
      /log \d+ is missing/,
    ],
    [
      "alters logs",
      { table: "logs", sql: "update rows set data = unhex('00')", isResummed: true },
      /log \d+ has other content/,
    ],
    [
      "invents logs",
      {
        table: "logs",
        sql: "insert into rows select * replace (log_index + 7 as log_index) from rows",
        isResummed: true,
      },
      /the node has no log \d+/,
    ],
    [
      "tells wrong times",
      { table: "blocks", sql: "update rows set timestamp = timestamp + 1", isResummed: true },
      /its time is/,
    ],
    [
      "alters what transactions were sent",
      { table: "transactions", sql: "update rows set input = unhex('00')", isResummed: true },
      /transaction 0x\w+ has other content/,
    ],
    [
      "alters a file after its manifest",
      { table: "blocks", sql: "delete from rows where number > 50000", isResummed: false },
      /another SHA-256/,
    ],
    [
      "has a log without a block",
      { table: "blocks", sql: "delete from rows where number > 50000", isResummed: true },
      /logs without a block/,
    ],
    [
      "has malformed topics",
      { table: "logs", sql: "update rows set topic0 = unhex('00')", isResummed: true },
      /malformed/,
    ],
  ]),
)("an archive that %s is refused", async (_, damage, what) => {
  const outcome = await fill({ archive: await damaged(damage), isFalse: true });
  expect(outcome.failure).toMatch(what);
  expect(outcome.cache.logs).toEqual([]);
});
