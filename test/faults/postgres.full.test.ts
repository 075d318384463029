import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ask } from "../support/database.ts";
import { launchStack, type Stack } from "../support/stack.ts";
import { judge } from "../truth/oracle.ts";
import { judgeStack } from "../truth/trial.ts";
import { type BreakablePostgres, startBreakablePostgres } from "./breakablePostgres.ts";
import { startLoad } from "./load.ts";
import { type FaultChain, startFaultChain } from "./pulse.ts";
import { type Supervision, supervise } from "./supervise.ts";
import { tell } from "./tell.ts";

const OUTAGE_MS = 2_000;
const NORMAL_AGAIN_MS = 240_000;

let chain: FaultChain;
let database: BreakablePostgres;
let stack: Stack;
let supervision: Supervision;

beforeAll(async () => {
  chain = await startFaultChain({ seed: 5_432, past: 100 });
  database = await startBreakablePostgres();
  stack = await launchStack({
    rpcUrl: chain.local.anvil.url,
    deployment: chain.local.deployment,
    databaseServer: database.url,
  });
  supervision = supervise(stack);
});

afterAll(async () => {
  await supervision?.stop();
  await stack?.destroy();
  await database?.destroy();
  await chain?.stop();
});

/** The database dies, blocks come meanwhile, and it comes back; ends when the index is at the head again. */
async function breakDatabase(when: string): Promise<void> {
  const load = startLoad({ url: () => stack.url, timeline: chain.timeline });
  await sleep(300);
  await database.kill();
  await chain.beat();
  await chain.play(2);
  await vi.waitFor(expectToldAway, { timeout: 20_000, interval: 100 });
  await sleep(OUTAGE_MS);
  await chain.beat();
  await database.start();
  const start = Date.now();
  await untilNormal();
  const normalAfter = Date.now() - start;
  await load.nextAnswer();
  const seen = await load.stop();
  tell(`PostgreSQL killed ${when}, indexer ended ${supervision.ends.length} times`, seen, normalAfter);
  expect(seen.wrong).toEqual([]);
  const codes = Object.keys(seen.refused);
  expect(codes.filter((code) => code !== "INDEX_NOT_READY")).toEqual([]);
}

/** Without its database a process still reports its state, and callers learn when to ask again. */
async function expectToldAway(): Promise<void> {
  if (supervision.ends.length > 0) return; // It ended before it was asked.
  const [status, refusal, metrics] = await Promise.all(
    [`${stack.url}/indexing-status`, `${stack.url}/whois/pulse.eth`, `${stack.metricsUrl}/index-metrics`].map(
      (url) => fetch(url),
    ),
  );
  expect(await status?.json()).toMatchObject({
    ready: false,
    reason: "no_database",
    database: "unreachable",
  });
  expect([refusal?.status, refusal?.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await refusal?.text()).toContain("The database does not respond");
  expect(await metrics?.text()).toContain('namedex_index_ready{reason="no_database"} 0\n');
}

async function untilNormal(): Promise<void> {
  const deadline = Date.now() + NORMAL_AGAIN_MS;
  for (;;) {
    const isAtHead = await stack
      .ready()
      .then(() => stack.waitForHead())
      .then(
        () => true,
        () => false,
      );
    if (isAtHead) return;
    if (Date.now() > deadline) throw new Error(`Not normal again\n${stack.log()}`);
    await sleep(200);
  }
}

const countEvents = async (): Promise<number> => {
  const [row] = await stack.sql<{ count: string }>("select count(*) from events").catch(() => []);
  return Number(row?.count ?? 0);
};

test("a database killed while an unlogged table is being created starts again", async () => {
  const server = await startBreakablePostgres();
  const [creator, writer] = [1, 2].map(() => new pg.Client({ connectionString: server.url }));
  for (const client of [creator, writer]) client?.on("error", () => {});
  try {
    await Promise.all([creator?.connect(), writer?.connect()]);
    await creator?.query("begin; create unlogged table half (i int primary key)");
    await writer?.query("create table whole as select 1 as one"); // Its commit flushes the log to the disk.
    await server.kill();
    await server.start();
    expect(await ask(server.url, "select one from whole")).toEqual([{ one: 1 }]);
  } finally {
    await server.destroy();
  }
});

test("a database that dies during the backfill costs no row", async () => {
  while ((await countEvents()) === 0) await sleep(5);
  await breakDatabase("in the backfill");
  const { anvil, deployment } = chain.local;
  const index = { rpcUrl: anvil.url, deployment, query: stack.sql, archiveReads: true };
  expect((await judge(index)).differences).toEqual([]);
});

test("a database that dies while the index follows its chain costs no row and makes no answer wrong", async () => {
  for (let beat = 0; beat < 3; beat++) await chain.beat();
  await breakDatabase("live");
  expect((await judgeStack(stack, chain.local)).differences).toEqual([]);
});
