import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { createPublicClient, http } from "viem";
import type { Deployment } from "../../abis/deployments.ts";
import {
  type IndexedBlock,
  isReady,
  type Ponder,
  type PonderPlan,
  readStatus,
  startPonder,
  until,
} from "../../devnet/ponder.ts";
import { freePort } from "../../devnet/ports.ts";
import { withoutAsOf } from "./asOf.ts";
import { createTestDatabase, openPool } from "./database.ts";
import { bareEnvironment } from "./environment.ts";
import { setHeartbeat } from "./ponderState.ts";

/** The longest time in which no block is indexed. */
const READY_TIMEOUT_MS = 300_000;
const BLOCK_TIMEOUT_MS = 300_000;
const LOG_LINES_KEPT = 400;
const LOG_LINES_SHOWN = 25;

/** Which chain to index; `env` adds to the settings or replaces them. */
export type StackPlan = {
  rpcUrl: string;
  deployment: Deployment;
  env?: Record<string, string>;
  /** Prepares the new database, and gives settings that are known only then. */
  prepare?: (databaseUrl: string) => Promise<Record<string, string>>;
  /** Maintenance URL of the PostgreSQL server; that of the whole run unless told. */
  databaseServer?: string;
};

/** Namedex as it runs in production (`ponder start`), on a database of its own and a free port. */
export type Stack = {
  url: string;
  /** Where its metrics are. */
  metricsUrl: string;
  databaseUrl: string;
  schema: string;
  /** Waits until the backfill is done. */
  ready: () => Promise<void>;
  /** Waits until this block, or a later one, is indexed. */
  waitForBlock: (number: bigint | number) => Promise<void>;
  /** Waits until the newest block of the chain is indexed, by number and time: after a reorganisation too. */
  waitForHead: () => Promise<void>;
  /** One GET request: status and parsed JSON, without the blocks that the answer is of. */
  api: <Body = unknown>(path: string) => Promise<{ status: number; body: Body }>;
  /** Rows of a query that finds the tables without naming their schema. */
  sql: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** Starts `ponder serve` beside the indexer, on a port of its own, and waits until it answers. */
  startReplica: (env?: Record<string, string>) => Promise<Replica>;
  /** Starts an indexer of the same chains beside it, on a port and a schema of its own, and waits until it is ready. */
  startRelease: (schema: string) => Promise<Replica>;
  /** Starts a second indexer on the same tables, and does not wait for it; `env` replaces settings. */
  startRival: (env?: Record<string, string>) => Promise<Rival>;
  /** Process id of the indexer. */
  pid: () => number;
  /** Ends the indexer as an operator would (SIGINT). */
  stop: () => Promise<void>;
  /** Ends it as a power cut would (SIGKILL). Its tables stay locked: the next start waits 25 seconds for its sign of life. */
  kill: () => Promise<void>;
  /** Makes the last sign of life of a killed indexer older than that, as if the time had passed. */
  expireLock: () => Promise<void>;
  /** Starts it again on the same tables and port; `env` replaces settings. */
  restart: (env?: Record<string, string>) => void;
  /** The exit code or signal that ended it; null while it runs. */
  ended: () => number | NodeJS.Signals | null;
  /** The last lines of its log, as text. */
  log: () => string;
  /** Ends everything and drops the database. */
  destroy: () => Promise<void>;
};

/** A process beside the indexer: one that answers and does not index, or the indexer of a release. */
export type Replica = {
  url: string;
  metricsUrl: string;
  /** Everything that it has printed. */
  output: () => string;
  stop: () => Promise<void>;
  kill: () => Promise<void>;
};

/** An indexer that wants the tables of another one. */
export type Rival = {
  url: string;
  /** Everything that it has printed. */
  output: () => string;
  /** Its exit code or signal, once it has ended. */
  exit: Promise<number | NodeJS.Signals | null>;
  stop: () => Promise<void>;
  kill: () => Promise<void>;
};

/** Starts a stack and waits until it is ready. */
export async function startStack(plan: StackPlan): Promise<Stack> {
  const stack = await launchStack(plan);
  await stack.ready().catch(async (error) => {
    await stack.destroy();
    throw error;
  });
  return stack;
}

/** Starts a stack and does not wait: for tests that disturb the backfill. */
export async function launchStack(plan: StackPlan): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), "namedex-stack-"));
  const database = await createTestDatabase(plan.databaseServer);
  const env = {
    ...environmentOf(plan, { folder, databaseUrl: database.url }),
    ...(await plan.prepare?.(database.url)),
  };
  const port = await freePort();
  const lines: string[] = [];
  let done = 0;
  const onLog = ({ msg, text }: { msg: string; text: string }) => {
    if (DONE.has(msg)) done++;
    lines.push(text);
    if (lines.length > LOG_LINES_KEPT) lines.shift();
  };
  const metricsPort = await freePort();
  const indexerEnv = { ...env, METRICS_PORT: String(metricsPort) };
  const start = (more: Record<string, string> = {}) =>
    startPonder({ command: "start", port, env: { ...indexerEnv, ...more }, folder, onLog });
  const running = { ponder: start() };
  const replicas: Replica[] = [];
  const rivals: Rival[] = [];
  const schema = env.DATABASE_SCHEMA ?? "";
  const pool = openPool({ connectionString: database.url, options: `-c search_path=${schema},public` });
  const log = () => lines.slice(-LOG_LINES_SHOWN).join("\n");
  return {
    url: running.ponder.url,
    metricsUrl: `http://127.0.0.1:${metricsPort}`,
    databaseUrl: database.url,
    schema,
    log,
    ...waits(running, { plan, log, done: () => done }),
    api: async <Body>(path: string) => {
      const reply = await fetch(`${running.ponder.url}${path}`);
      return { status: reply.status, body: withoutAsOf((await reply.json()) as Body) };
    },
    sql: async (text, values) => (await pool.query(text, values)).rows,
    startReplica: async (more = {}) => {
      const replica = await launchBeside({ command: "serve", env: { ...env, ...more }, folder });
      replicas.push(replica);
      return replica;
    },
    startRelease: async (own) => {
      const release = await launchBeside({
        command: "start",
        env: { ...env, DATABASE_SCHEMA: own },
        folder,
      });
      replicas.push(release);
      return release;
    },
    startRival: async (more = {}) => {
      const rival = await launchRival({ ...env, ...more }, folder);
      rivals.push(rival);
      return rival;
    },
    pid: () => running.ponder.pid,
    stop: () => running.ponder.stop(),
    kill: () => killPonder(running.ponder),
    expireLock: async () => {
      await setHeartbeat(pool, 0).catch(ignoreMissingTable);
    },
    restart: (more) => {
      running.ponder = start(more);
    },
    ended: () => running.ponder.child.exitCode ?? running.ponder.child.signalCode,
    destroy: async () => {
      await Promise.all([running.ponder, ...replicas, ...rivals].map((one) => one.stop()));
      await pool.end();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function launchBeside({
  command,
  env,
  folder,
}: Pick<PonderPlan, "command" | "env" | "folder">): Promise<Replica> {
  const lines: string[] = [];
  const metricsPort = String(await freePort());
  const ponder = startPonder({
    command,
    port: await freePort(),
    env: { ...env, METRICS_PORT: metricsPort },
    folder,
    onLog: ({ text }) => lines.push(text),
  });
  const output = () => lines.join("\n");
  await until(ponder, {
    look: async () =>
      command === "start"
        ? isReady(ponder.url)
        : (await fetch(`${ponder.url}/health`).catch(() => null))?.status === 200,
    timeout: READY_TIMEOUT_MS,
    describe: () => `waiting for a process beside the indexer; its log:\n${output()}`,
  });
  return {
    url: ponder.url,
    metricsUrl: `http://127.0.0.1:${metricsPort}`,
    output,
    stop: ponder.stop,
    kill: () => killPonder(ponder),
  };
}

async function launchRival(env: PonderPlan["env"], folder: string): Promise<Rival> {
  const lines: string[] = [];
  const ponder = startPonder({
    command: "start" as const,
    port: await freePort(),
    folder,
    env: { ...env, METRICS_PORT: String(await freePort()) },
    onLog: ({ text }) => lines.push(text),
  });
  const exit = new Promise<number | NodeJS.Signals | null>((resolve) =>
    ponder.child.once("exit", (code, signal) => resolve(code ?? signal)),
  );
  const output = () => lines.join("\n");
  return { url: ponder.url, output, exit, stop: ponder.stop, kill: () => killPonder(ponder) };
}

function environmentOf(plan: StackPlan, { folder, databaseUrl }: { folder: string; databaseUrl: string }) {
  const deploymentFile = join(folder, "deployment.json");
  writeFileSync(deploymentFile, JSON.stringify(plan.deployment));
  const env: Record<string, string | undefined> = {
    ...bareEnvironment,
    HOME: process.env.HOME,
    ENS_NETWORK: "devnet",
    ENS_DEPLOYMENT: deploymentFile,
    [`RPC_URL_${plan.deployment.chainId}`]: plan.rpcUrl,
    LIVE_RPC_URL: plan.rpcUrl,
    DATABASE_URL: databaseUrl,
    DATABASE_SCHEMA: "namedex_index",
    ...plan.env,
  };
  return env;
}

type Running = { ponder: Ponder };

/** What Ponder says after blocks of a backfill, and after each of those that come later. */
const DONE = new Set(["Indexed block range", "Indexed block"]);

/** What is seen of a Ponder from outside; `done` counts what it said of blocks that it indexed. */
type Seen = { plan: StackPlan; log: () => string; done: () => number };

/** Many blocks take a slow machine long, so a wait is over only when nothing more is done. */
function waits(running: Running, { plan, log, done }: Seen) {
  const chain = createPublicClient({ transport: http(plan.rpcUrl) });
  const indexed = async (isEnough: (block: IndexedBlock) => boolean) => {
    const block = (await readStatus(running.ponder.url))?.[plan.deployment.name];
    return block !== undefined && isEnough(block);
  };
  const waitFor = (what: string, look: () => Promise<boolean>, timeout: number) =>
    until(running.ponder, {
      look,
      timeout,
      progress: done,
      describe: () => `waiting for ${what}; Ponder's log ends:\n${log()}`,
    });
  return {
    ready: () => waitFor("the end of the backfill", () => isReady(running.ponder.url), READY_TIMEOUT_MS),
    waitForBlock: (number: bigint | number) =>
      waitFor(`block ${number}`, () => indexed((block) => block.number >= Number(number)), BLOCK_TIMEOUT_MS),
    waitForHead: async () => {
      const head = await chain.getBlock({ blockTag: "latest" });
      const isHead = (block: IndexedBlock) =>
        block.number === Number(head.number) && block.timestamp === Number(head.timestamp);
      await waitFor(`block ${head.number} of ${head.timestamp}`, () => indexed(isHead), BLOCK_TIMEOUT_MS);
    },
  };
}

/** An indexer that was killed before it created its tables holds no lock. */
function ignoreMissingTable(error: { code?: string }): void {
  if (error.code !== "42P01") throw error; // undefined_table
}

async function killPonder({ child }: Ponder): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exited;
}
