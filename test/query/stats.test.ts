import { domain, event, workList } from "ponder:schema";
import { beforeAll, expect, test } from "vitest";
import { createFeedMeters } from "../../src/api/features/feed/metrics.ts";
import { createWebhookMeters } from "../../src/api/features/webhooks/metrics.ts";
import { chainClock } from "../../src/api/server/indexState/clock.ts";
import type { IndexReport, Unfit } from "../../src/api/server/indexState/freshness.ts";
import { indexMetrics } from "../../src/api/server/observe/indexMetrics.ts";
import { createMeters } from "../../src/api/server/observe/meters.ts";
import type { Verification } from "../../src/api/server/serviceDb/verifications.ts";
import { setHeartbeat } from "../support/ponderState.ts";
import { openApi } from "./api.ts";
import { CHAIN_ID, contracts, domainRow, eventRow, NOW } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

const tables = useTables();

beforeAll(async () => {
  await setProgress(tables, { chainId: CHAIN_ID, block: 4_242, time: NOW - 30 });
  await tables.writer
    .insert(domain)
    .values([domainRow("hidden.eth", { isLabelKnown: false, labelLength: null })]);
  await tables.writer
    .insert(event)
    .values([
      ...[1, 2].map((block) =>
        eventRow({ block }, { contract: "NAME_WRAPPER", eventType: "NameWrapped", anomaly: 'name is "odd"' }),
      ),
      eventRow({ block: 3 }, { contract: "REGISTRY", eventType: "NewOwner" }),
    ]);
});

test("GET /stats returns the indexed block, even with an unknown head, and 0 for queues that do not exist", async () => {
  expect((await openApi(tables, NOW).get("/stats")).body).toEqual({
    name: "devnet",
    blocks: { chainHead: 4_242, fetched: 4_242, processed: 4_242 },
    services: {
      fetcher: { running: true, synced: true },
      processor: { running: true, synced: true },
      addressProcessor: { running: true },
    },
    queues: {
      domainsPending: 1,
      domainsReady: 0,
      eventsPending: 0,
      eventsPendingNamehashes: 0,
      eventsDirect: 0,
      cachedMappings: 0,
    },
    addressProcessor: { addressCount: 0, eventsRemaining: 0, lastEventId: 0 },
  });
});

const nodeNumber = (number: number): string => `0x${String(number).padStart(64, "0")}`;

test("GET /stats counts what the indexer still has to write, on all chains", async () => {
  const [label, parent, registry] = [nodeNumber(1), nodeNumber(2), `0x${"ab".repeat(20)}`];
  const lists: [chainId: number, owner: string, node: string, kind: string, nextItem: string | null][] = [
    [1, label, label, "same_label", nodeNumber(3)],
    [2, label, label, "same_label", nodeNumber(3)],
    [1, parent, parent, "children", nodeNumber(4)],
    [1, nodeNumber(5), nodeNumber(5), "children", null],
    [1, registry, nodeNumber(6), "entries", nodeNumber(7)],
    [1, registry, nodeNumber(8), "entries", nodeNumber(7)],
  ];
  for (const list of lists) {
    await tables.pool.query(
      `insert into work_lists (chain_id, owner, node, kind, next_item, depth, is_queued, since_block_number, since_timestamp)
       values ($1, $2, $3, $4, $5, 1, true, 1, 1)`,
      list,
    );
  }
  expect((await openApi(tables, NOW).get("/stats")).body).toMatchObject({
    queues: { domainsReady: 3, eventsPendingNamehashes: 2, eventsPending: 0 },
  });
  await tables.pool.query("delete from work_lists");
});

test("an index behind the chain's head is not synced", async () => {
  const { body } = await openApi(tables, NOW, { chainHead: 4_248 }).get("/stats");
  expect(body).toMatchObject({
    blocks: { chainHead: 4_248, processed: 4_242 },
    services: { processor: { synced: false } },
  });
});

test("an indexer that shows no sign of life is not running", async () => {
  await setHeartbeat(tables.pool, 1);
  expect((await openApi(tables, NOW).get("/stats")).body).toMatchObject({
    services: { fetcher: { running: false } },
  });
});

/** Sets whether the index may answer, or why not. */
const saying = (unfit: Unfit | null) => ({
  report: async () =>
    ({ unfit, isDatabaseAway: unfit === "no_database", chains: [] as IndexReport["chains"] }) as IndexReport,
});

const readMetrics = (verification: Verification | null = null, unfit: Unfit | null = null) => {
  const meters = createMeters();
  return indexMetrics(
    {
      db: tables.db,
      contracts,
      now: NOW,
      lastVerification: async () => verification,
      readHealing: async () => ({ pending: 5, healed: 45, waiting: 2 }),
      noteFeatures: async () => {
        const blocks = [
          { chainId: CHAIN_ID, number: 4_240, hash: "0x" as const, timestamp: 1, finalNumber: 4_200 },
        ];
        const gapSince = Math.floor(Date.now() / 1_000) - 100;
        createFeedMeters(meters, contracts.chainName)({ blocks, gapSince, healed: 8 }, 6);
        const states = { active: 4, failing: 3, unverified: 2, disabled: 1 };
        createWebhookMeters(meters).note({ states, waiting: 7, oldestSeconds: 3.5, leftOut: 1 }, 200);
      },
      freshness: saying(unfit),
    },
    meters,
  );
};

/** Lines of the metrics, without the prefix of all their names. */
const expectLines = (text: string, lines: Record<string, unknown>) => {
  for (const [line, value] of Object.entries(lines)) expect(text).toContain(`namedex_${line} ${value}\n`);
};

test("metrics give blocks, undecodable input, labels, the feed's position and what waits for webhooks", async () => {
  const text = await readMetrics();
  expectLines(text, {
    'indexed_block{chain="devnet"}': 4242,
    'index_lag_seconds{chain="devnet"}': 30,
    'anomalies{reason="name is \\"odd\\""}': 2,
    'index_ready{reason="none"}': 1,
    unknown_labels: 5,
    healed_labels: 45,
    waiting_labels: 2,
    'feed_block{chain="devnet"}': 4240,
    feed_healed_gaps: 8,
    streams: 6,
    webhook_stalled_seconds: 200,
    'webhooks{state="active"}': 4,
    'webhooks{state="failing"}': 3,
    'webhooks{state="unverified"}': 2,
    'webhooks{state="disabled"}': 1,
    webhook_waiting: 7,
    webhook_oldest_waiting_seconds: 3.5,
    webhook_left_out: 1,
  });
  expect(text).toMatch(/namedex_feed_gap_seconds 10\d\n/);
});

test("metrics say whether callers get answers, and why not", async () => {
  expectLines(await readMetrics(null, "late"), { 'index_ready{reason="late"}': 0 });
  const without = { 'index_ready{reason="no_database"}': 0, failed_attempts_total: 0 };
  expectLines(await readMetrics(null, "no_database"), without);
});

test("metrics give what waits to be written, and since when", async () => {
  expect(await readMetrics()).toContain('namedex_waiting_lists{chain="devnet"} 0\n');
  const list = { chainId: CHAIN_ID, kind: "children", depth: 0, restartItem: null, stopItem: null } as const;
  const waiting = { isQueued: true, nextNode: null, sinceBlockNumber: 4_000, sinceTimestamp: NOW - 90 };
  const done = { isQueued: false, nextNode: null, sinceBlockNumber: 1, sinceTimestamp: 1 };
  await tables.writer.insert(workList).values([
    { ...list, ...waiting, owner: "0x01", node: "0x01", nextItem: "0x02" },
    { ...list, ...done, owner: "0x03", node: "0x03", nextItem: null },
  ]);
  const queued = { 'waiting_lists{chain="devnet"}': 1, 'waiting_lists_seconds{chain="devnet"}': 60 };
  expectLines(await readMetrics(), queued);
});

test("metrics give the last comparison with the chain, or 0 if there was none", async () => {
  expect(await readMetrics()).toContain("namedex_verify_timestamp_seconds 0\n");
  const counts = { blockNumber: 4_000, samples: 1_000, values: 6_500, differences: 3 };
  expectLines(await readMetrics({ finishedAt: NOW, ...counts }), {
    verify_timestamp_seconds: NOW,
    verify_block: 4000,
    verify_samples: 1000,
    verify_values: 6500,
    verify_differences: 3,
  });
});

test("metrics count the large indexes that are missing or incomplete", async () => {
  expect(await readMetrics()).toContain("namedex_missing_indexes 0\n");
  await tables.pool.query("drop index events_time");
  await tables.pool.query(
    "update pg_index set indisvalid = false where indexrelid = 'holders_address_block'::regclass",
  );
  await tables.pool.query("create schema elsewhere; create table elsewhere.t (events_time int)");
  await tables.pool.query("create index events_time on elsewhere.t (events_time)");
  expect(await readMetrics()).toContain("namedex_missing_indexes 2\n");
});

test("on a developer's chain, the newest block's time is the clock if it is ahead of the computer's", async () => {
  const ahead = Math.floor(Date.now() / 1_000) + 1_000_000;
  await setProgress(tables, { chainId: CHAIN_ID, block: 4_243, time: ahead });
  expect(await chainClock(tables.db)()).toBe(ahead);
  await setProgress(tables, { chainId: CHAIN_ID, block: 4_244, time: 1 });
  const before = Math.floor(Date.now() / 1_000);
  const clock = await chainClock(tables.db)();
  expect(clock).toBeGreaterThanOrEqual(before);
  expect(clock).toBeLessThanOrEqual(Date.now() / 1_000);
});
