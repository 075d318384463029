import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { mainnet } from "../../abis/deployments/mainnet.ts";
import { endChild, trackChild } from "../../devnet/children.ts";
import { freePort } from "../../devnet/ports.ts";
import { openDatabase, openFreshDatabase, type Postgres, startPostgres } from "../../devnet/postgres.ts";
import { metaTable } from "../../engine/ponderInternals.ts";
import { hasCounters, hasCountersOfItsDeployment } from "../../src/api/names/counts/maintain.ts";
import { pretendIndexer } from "../../test/support/ponderState.ts";
import { fillDatabase, SCHEMA, WORLD_MARK } from "./fill.ts";
import { LARGE_ENSV2 } from "./worldContracts.ts";
import { WORLD_TIME } from "./worldTime.ts";

/** What is measured: `ponder serve` on generated tables. */
export type Server = {
  url: string;
  databaseUrl: string;
  /** Where the files of the database are. */
  databaseFiles: string;
  pool: pg.Pool;
  pid: number;
  stop: () => Promise<void>;
};

type Plan = {
  names: number;
  /** How many names of Base there are besides. */
  base?: number;
  /** Folder of the database; one that holds as many names already is used as it is. */
  data: string;
  /** Folder for a profile of the program's processor time, for Chromium's developer tools. */
  profile?: string | undefined;
  /** With ENSv2 contracts, which the network's own deployment lacks. */
  ensv2?: boolean;
  /** The primary, where the program reads a standby of it. */
  primaryUrl?: string;
  say: (text: string) => void;
};

const PREFERRED_PORT = 54_390;
const SHARED_BUFFERS = "2GB";
const START_TIMEOUT_MS = 60_000;
const UPKEEP_TIMEOUT_MS = 1_800_000;

/** Starts the database, fills it where it is not, and starts the program on it. */
export async function startServer(plan: Plan): Promise<Server> {
  mkdirSync(plan.data, { recursive: true });
  const postgres = await startLargePostgres(`${plan.data}/postgres`);
  const databaseUrl = await prepare(postgres, plan);
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    options: `-c search_path=${SCHEMA},public`,
    max: 4,
  });
  pool.on("error", () => {}); // The server goes away at the end.
  // An index answers only while an indexer keeps it current; there is none here.
  await pretendIndexer(pool);
  await releaseCounters(pool);
  await addHead(pool);
  const indexer = setInterval(() => void pretendIndexer(pool).catch(() => {}), 2_000);
  const served = await serveIndex(databaseUrl, plan);
  return {
    ...served,
    databaseUrl,
    databaseFiles: postgres.data,
    pool,
    stop: async () => {
      clearInterval(indexer);
      await endChild(served.child);
      await pool.end();
      await postgres.stop();
    },
  };
}

/**
 * Counters belong to the program that started last. All programs here start at the same second of the clock that they are given:
 * what an earlier one made by the rules of another deployment would stay.
 */
async function releaseCounters(pool: pg.Pool): Promise<void> {
  for (const state of ["figures_state", "figures_days_state"]) {
    const { rows } = await pool.query("select to_regclass($1) as found", [`${SCHEMA}.${state}`]);
    if (rows[0]?.found) await pool.query(`update ${SCHEMA}.${state} set started_at = 0`);
  }
}

/** The block journal has the newest log's block, because answers name their block. */
const addHead = (pool: pg.Pool) =>
  pool.query(
    `insert into ${SCHEMA}.blocks (chain_id, number, hash, parent_hash, timestamp)
      select 1, max(block_number), $1, $1, $2 from ${SCHEMA}.events where chain_id = 1 on conflict do nothing`,
    [`0x${"11".repeat(32)}`, WORLD_TIME],
  );

/** With the memory that a server for a million names is given; PostgreSQL's own default is for the smallest machines. */
async function startLargePostgres(data: string): Promise<Postgres> {
  const start = () => startPostgres({ data, preferredPort: PREFERRED_PORT });
  const first = await start();
  const client = new pg.Client({ connectionString: first.url });
  await client.connect();
  const { rows } = await client.query("show shared_buffers");
  const isLarge = rows[0]?.shared_buffers === SHARED_BUFFERS;
  if (!isLarge) await client.query(`alter system set shared_buffers = '${SHARED_BUFFERS}'`);
  await client.end();
  if (isLarge) return first;
  await first.stop();
  return start();
}

/** Each size has a database of its own; a mark says that it is complete. */
async function prepare(postgres: Postgres, { names, base = 0, say }: Plan): Promise<string> {
  const name = base > 0 ? `names_${names}_base_${base}` : `names_${names}`;
  const url = await openDatabase(postgres.url, name);
  if (await isFilled(url)) return url;
  const fresh = await openFreshDatabase(postgres.url, name);
  const pool = new pg.Pool({ connectionString: fresh, max: 1 });
  await fillDatabase(pool, { names, base, say });
  await pool.end();
  return fresh;
}

async function isFilled(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query("select to_regclass($1) as progress", [`${SCHEMA}.${metaTable}`]);
  const filled = rows[0]?.progress
    ? await client
        .query(`select from ${SCHEMA}.${metaTable} where value ->> 'build_id' = $1`, [WORLD_MARK])
        .then(({ rowCount }) => rowCount === 1)
    : false;
  await client.end();
  return filled;
}

const root = fileURLToPath(new URL("./root", import.meta.url));
const clock = new URL("./worldClock.ts", import.meta.url).href;
const program = fileURLToPath(new URL("./bin/ponder.js", import.meta.resolve("ponder")));

/** Starts a program on a filled database with a simulated indexer. */
export async function serveIndex(databaseUrl: string, plan: Plan) {
  const { base = 0, say, profile, primaryUrl } = plan;
  const port = await freePort();
  const metricsPort = await freePort();
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: String(port),
    ...networkOf(plan),
    DATABASE_URL: databaseUrl,
    DATABASE_SCHEMA: SCHEMA,
    ...(primaryUrl !== undefined && { SERVICE_DATABASE_URL: primaryUrl }),
    // No chain is asked: all requested names are in the index.
    RPC_URL_1: "http://127.0.0.1:9",
    ...(base > 0 && { RPC_URL_8453: "http://127.0.0.1:9" }),
    PONDER_LOG_LEVEL: "warn",
    METRICS_PORT: String(metricsPort),
  };
  const profiler = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const flags = [...profiler, "--import", clock];
  const args = [...flags, program, "serve", "--root", root, "--port", String(port)];
  const child = spawn(process.execPath, args, {
    env,
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  trackChild(child, "SIGINT");
  const url = `http://127.0.0.1:${port}`;
  await untilReady(child, url);
  say(`serving at ${url}`);
  await untilKept(primaryUrl ?? databaseUrl, plan);
  return { url, child, pid: child.pid ?? 0 };
}

function networkOf({ ensv2 = false, data }: Plan): Record<string, string> {
  // The newest block stays the newest.
  if (!ensv2) return { ENS_NETWORK: "mainnet", MAX_LAG_SECONDS: "1000000000" };
  const file = `${data}/ensv2.json`;
  writeFileSync(file, JSON.stringify({ ...mainnet, ensv2: LARGE_ENSV2 }));
  return { ENS_NETWORK: "custom", ENS_DEPLOYMENT: file, MAX_LAG_SECONDS: "off" };
}

/** The program builds what indexes are missing and counts all names before it is at its best. */
async function untilKept(connectionString: string, { ensv2 = false }: Plan): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const deadline = Date.now() + UPKEEP_TIMEOUT_MS;
  // Those of another deployment are dropped meanwhile. The lists of ENSv2's contracts need none.
  const ofIts = ensv2 ? hasCountersOfItsDeployment : hasCounters;
  const isKept = () => ofIts({ client, schema: SCHEMA }).catch(() => false);
  while (!(await isKept()) && Date.now() < deadline) await sleep(200);
  await sleep(200);
  await client.query("vacuum analyze");
  await client.end();
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const ended = once(child, "exit").then(() => true);
  while (Date.now() < deadline) {
    const reply = await fetch(`${url}/ready`).catch(() => null);
    if (reply?.status === 200) return;
    const pause = new Promise<false>((resolve) => setTimeout(() => resolve(false), 100));
    if (await Promise.race([ended, pause])) throw new Error("The server ended before it was ready");
  }
  throw new Error("The server was not ready in time");
}
