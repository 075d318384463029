import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { launchStack, type Stack } from "../support/stack.ts";
import { judgeStack } from "../truth/trial.ts";
import { type BreakablePostgres, startBreakablePostgres } from "./breakablePostgres.ts";
import { startLoad } from "./load.ts";
import { type FaultChain, startFaultChain } from "./pulse.ts";
import { tell } from "./tell.ts";

const MAX_CONNECTIONS = 60;
const CROWDED_MS = 5_000;
const CALLERS = 20;

let chain: FaultChain;
let database: BreakablePostgres;
let stack: Stack;

beforeAll(async () => {
  chain = await startFaultChain({ seed: 7_117, past: 60 });
  database = await startBreakablePostgres(["-c", `max_connections=${MAX_CONNECTIONS}`]);
  stack = await launchStack({
    rpcUrl: chain.local.anvil.url,
    deployment: chain.local.deployment,
    databaseServer: database.url,
  });
  await stack.ready();
});

afterAll(async () => {
  await stack?.destroy();
  await database?.destroy();
  await chain?.stop();
});

type Strangers = {
  /** Ends the connections of these programs as soon as they open, to take them. */
  takeFrom: (programs: string) => void;
  /** How many connections the server has, and how many of them do not belong to the strangers. */
  count: () => Promise<{ all: number; others: number }>;
  leave: () => Promise<void>;
};

/** Other programs take every free connection, including those reserved for administrators, and keep them. */
async function startStrangers(): Promise<Strangers> {
  const held = new Set<pg.Client>();
  let isOver = false;
  const connect = async () => {
    const client = new pg.Client({ connectionString: database.url, application_name: "stranger" });
    client.on("error", () => {});
    await client.connect();
    held.add(client);
    return client;
  };
  const administrator = await connect();
  const take = async () => {
    while (!isOver) await connect().catch(() => sleep(2));
  };
  const busy: Promise<void>[] = Array.from({ length: 8 }, take);
  const end = async (programs: string) => {
    while (!isOver) {
      const ended = `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name ~ $1 and backend_type = 'client backend'`;
      await administrator.query(ended, [programs]);
      await sleep(20);
    }
  };
  return {
    takeFrom: (programs) => void busy.push(end(programs)),
    count: async () => {
      const counts = `select count(*)::int as "all", count(*) filter (where application_name <> 'stranger')::int as others
        from pg_stat_activity where backend_type = 'client backend'`;
      return (await administrator.query(counts)).rows[0];
    },
    leave: async () => {
      isOver = true;
      await Promise.all(busy);
      await Promise.all([...held].map((client) => client.end()));
    },
  };
}

test("while other programs hold every database connection each caller gets an error at once, and answers return afterwards", async () => {
  const load = startLoad({ url: () => stack.url, timeline: chain.timeline, callers: CALLERS });
  await load.nextAnswer();
  const strangers = await startStrangers();
  strangers.takeFrom("_readonly$|^$"); // The connections that answer callers; the indexer keeps its own.
  const isCrowded = async () => {
    const { all, others } = await strangers.count();
    expect(all, "none is free").toBe(MAX_CONNECTIONS);
    expect(others, "the indexer's").toBeLessThan(MAX_CONNECTIONS / 2);
  };
  await vi.waitFor(isCrowded, { timeout: 60_000, interval: 50 });
  const before = load.seen().answers;
  const refusals = () => load.seen().refused.INDEX_NOT_READY ?? 0;
  const refusedBefore = refusals();
  await sleep(CROWDED_MS);
  await vi.waitUntil(() => refusals() - refusedBefore > CALLERS, { timeout: 60_000, interval: 50 });
  const answers = load.seen().answers - before;
  expect(answers * 10, "answers without a connection").toBeLessThan(refusals() - refusedBefore);
  await strangers.leave();
  const left = Date.now();
  await load.nextAnswer();
  const normalAfter = Date.now() - left;
  await chain.beat();
  await stack.waitForHead();
  const seen = await load.stop();
  tell(`PostgreSQL's ${MAX_CONNECTIONS} connections taken by others for ${CROWDED_MS} ms`, seen, normalAfter);
  expect(seen.wrong).toEqual([]);
  expect(seen.unanswered).toBe(0);
  expect(Object.keys(seen.refused)).toEqual(["INDEX_NOT_READY"]);
  expect((await judgeStack(stack, chain.local)).differences).toEqual([]);
});
