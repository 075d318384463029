import type pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { journalChannel } from "../../engine/blocks/sql.ts";
import { followJournal } from "../../src/api/server/indexState/followJournal.ts";
import { createTestDatabase, openPool } from "../support/database.ts";

const SCHEMA = "followed";
/** Longer than any test, so only a notification can trigger a read. */
const NEVER = 600_000;
const QUICK = { timeout: 60_000, interval: 5 };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool({ connectionString: database.url, max: 2 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const tell = () => pool.query("select pg_notify($1, '[]')", [journalChannel(SCHEMA)]);

const listLines = async () =>
  (await pool.query("select pid from pg_stat_activity where application_name = $1", [`${SCHEMA}_journal`]))
    .rows;

function follow({ silentMs = NEVER, databaseUrl = database.url } = {}) {
  const readState = vi.fn(async () => ({}));
  const follower = followJournal({ databaseUrl, schema: SCHEMA, readState, silentMs });
  onTestFinished(() => follower.stop());
  return { follower, readState };
}

test("reads the state when it starts listening and after each change", async () => {
  const { readState } = follow();
  await vi.waitFor(() => expect(readState).toHaveBeenCalledTimes(1), QUICK);
  for (const times of [2, 3]) {
    await tell();
    await vi.waitFor(() => expect(readState).toHaveBeenCalledTimes(times), QUICK);
  }
});

test("listens again after its connection ended, and reads what it may have missed", async () => {
  const { readState } = follow();
  await vi.waitFor(() => expect(readState).toHaveBeenCalledTimes(1), QUICK);
  for (const times of [2, 3]) {
    await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [
      `${SCHEMA}_journal`,
    ]);
    await tell(); // Nobody hears this notification.
    await vi.waitFor(() => expect(readState).toHaveBeenCalledTimes(times), QUICK);
  }
  await tell();
  await vi.waitFor(() => expect(readState).toHaveBeenCalledTimes(4), QUICK);
  expect(await listLines()).toHaveLength(1);
});

test("polls if notifications do not arrive: behind a pooler, or without a free connection", async () => {
  const { readState } = follow({ silentMs: 40, databaseUrl: "postgres://none@127.0.0.1:1/none" });
  await vi.waitFor(() => expect(readState.mock.calls.length).toBeGreaterThan(3), QUICK);
});

test("continues if the state cannot be read", async () => {
  const { readState } = follow({ silentMs: 40 });
  readState.mockRejectedValue(new Error("gone"));
  await vi.waitFor(() => expect(readState.mock.calls.length).toBeGreaterThan(3), QUICK);
});

test("leaves no connection open when it stops, not even one being made", async () => {
  const { follower, readState } = follow();
  await vi.waitFor(() => expect(readState).toHaveBeenCalled(), QUICK);
  await follower.stop();
  const { follower: early } = follow();
  await early.stop();
  await vi.waitFor(async () => expect(await listLines()).toEqual([]), QUICK);
});
