import { drizzle } from "drizzle-orm/node-postgres";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { chanceOf } from "../../bench/api/chance.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { noteRelease } from "../../src/api/server/serviceDb/releases.ts";
import { openStore } from "../../src/api/server/serviceDb/store.ts";
import { type JournalStage, openJournalStage } from "../chain/journalStage.ts";
import { openReceivedChanges, type ReceivedChanges } from "../chain/webhookOver.ts";
import { type BreakablePostgres, startBreakablePostgres } from "../faults/breakablePostgres.ts";
import { openPool } from "../support/database.ts";
import schema from "../support/ponderSchema.ts";
import { status } from "../webhooks/receiver.ts";
import { Follower, readJudged } from "./follower.ts";
import { DEEPEST, deedsOf, epochOf } from "./longHistory.ts";

// One random history of a whole Namedex with its feed, its webhooks and a release: FAULT_RUNS
// actions.

const DEEDS = Number(process.env.FAULT_RUNS ?? 30);
const NEXT = "namedex_next";

let database: BreakablePostgres;
let stage: JournalStage;
let slow: ReceivedChanges;
let dead: ReceivedChanges;
let epoch: string;

beforeAll(async () => {
  database = await startBreakablePostgres(["-c", "max_connections=250"]);
  stage = await openJournalStage({ databaseServer: database.url });
  let answers = 0;
  slow = await openReceivedChanges(stage.stack, (response) => {
    const isRefused = ++answers % 50 === 0;
    setTimeout(() => status(isRefused ? 500 : 200)(response), 50 + (answers % 7) * 30);
  });
  dead = await openReceivedChanges(stage.stack, (response) => response.destroy());
  epoch = await epochOf(stage);
});
afterAll(async () => {
  await Promise.all([slow?.close(), dead?.close()]);
  await stage?.close();
  await database?.destroy();
});

async function expectTruth(): Promise<void> {
  await stage.waitForHeads();
  await stage.expectJournal();
  await stage.expectFollowed();
  expect(await epochOf(stage), "nothing of this ends an epoch").toBe(epoch);
}

test(`${DEEDS} random actions: after each, the follower holds what the index holds`, async () => {
  const chance = chanceOf(inject("seed"));
  const deeds = deedsOf({ stage, database, chance });
  for (let deed = 0; deed < DEEDS; deed++) {
    // Each kind once first.
    const [name, , happens] =
      deeds[deed] ?? chance.of(deeds.map((one): [number, (typeof deeds)[number]] => [one[1], one]));
    console.log(`deed ${deed + 1}: ${name}`);
    await happens();
    await expectTruth();
  }
  expect(stage.follower.changes).toBeGreaterThan(DEEDS);
}, 3_600_000);

test("handles the shallowest and the deepest reorganisation that Ponder follows", async () => {
  for (const [chain, deepest] of [
    [stage.chains.main, DEEPEST.main],
    [stage.chains.base, DEEPEST.base],
  ] as const) {
    for (const depth of [1, deepest]) {
      await stage.grow(chain, depth + 1);
      await chain.rollback(depth);
      await stage.grow(chain, depth + 1);
      await expectTruth();
    }
  }
}, 600_000);

test("every receiver gets every change in order: a fast one, a slow one, and one that was down throughout", async () => {
  const all = await stage.receiver.expectAll();
  expect(all).toBeGreaterThan(DEEDS);
  await vi.waitFor(() => slow.expectAll(), { timeout: 600_000 });
  await dead.mend();
  await vi.waitFor(() => dead.expectAll(), { timeout: 600_000 });
}, 1_300_000);

test("a release begins an epoch that names the last position, and a follower of it holds what its tables hold", async () => {
  const { stack, chains, grow, receiver } = stage;
  const release = await stack.startRelease(NEXT);
  const store = openStore({ databaseUrl: stack.databaseUrl, schema: "namedex_service" });
  await noteRelease(store, NEXT);
  await stack.stop();
  const pool = openPool({ connectionString: stack.databaseUrl, options: `-c search_path=${NEXT},public` });
  const follower = new Follower(drizzle(pool, { schema, casing: "snake_case" }) as unknown as Db, pool);
  try {
    const ask = async (query: string) =>
      (await (await fetch(`${release.url}/changes?${query}`)).json()) as {
        changes: { type: string; previous_position?: string }[];
        blocks: { block_hash: string }[];
      };
    const atHeads = async () => {
      for (const chain of stage.both) {
        const height = await chain.height();
        const [head] = await chain.blocks(height, height);
        await vi.waitFor(
          async () =>
            expect((await ask("after=newest")).blocks.map(({ block_hash }) => block_hash)).toContain(
              head?.hash,
            ),
          { timeout: 90_000, interval: 100 },
        );
      }
    };
    await vi.waitFor(async () => expect((await ask("limit=1")).changes).toHaveLength(1), {
      timeout: 60_000,
      interval: 200,
    });
    const [started] = (await ask("limit=1")).changes;
    expect(started?.type).toBe("feed.started");
    expect(started?.previous_position).toMatch(new RegExp(`^${epoch}-`));
    await atHeads();
    await follower.follow(100);
    const { arrived } = receiver.receiver;
    const gaps = () => arrived.filter(({ type }) => type === "webhook.gap").map(({ data }) => data.reason);
    await vi.waitFor(() => expect(gaps()).toEqual(["epoch_ended"]), { timeout: 60_000 });
    const before = arrived.length;
    await grow(chains.main, 6);
    await atHeads();
    await chains.main.rollback(4);
    await grow(chains.main, 6);
    await atHeads();
    await follower.follow(13);
    expect(follower.wrong).toEqual([]);
    expect(Object.fromEntries(follower.held)).toEqual(Object.fromEntries(await readJudged(pool)));
    const removals = () => arrived.slice(before).filter(({ data }) => data.state === "removed");
    await vi.waitFor(() => expect(removals()).not.toEqual([]), { timeout: 60_000 });
    expect(gaps()).toEqual(["epoch_ended"]);
  } finally {
    await pool.end();
    await store.close();
    await release.stop();
  }
}, 600_000);
