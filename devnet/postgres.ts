import { type ChildProcess, execFile } from "node:child_process";
import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { chmod, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { prepareDatabase } from "../ops/checks/database.ts";
import { endChild, startChild } from "./children.ts";
import { freePort, isFree } from "./ports.ts";
import { choosePlace, type Place } from "./postgresPlace.ts";
import { commandOf, endProcess, markProcess } from "./processes.ts";

const START_TIMEOUT_MS = 120_000;
const DROP_TIMEOUT_MS = 60_000;
const OBJECT_IN_USE = "55006";
const USER = "namedex";
const PASSWORD = "namedex";

/** A running PostgreSQL server of our own; it listens on loopback only. */
export type Postgres = {
  /** Connection string of its maintenance database, for `openDatabase`. */
  url: string;
  /** Where its tables are kept. */
  data: string;
  pid: number;
  /** Fast shutdown: open connections are cut, what was committed stays. */
  stop: () => Promise<void>;
};

/**
 * Starts the PostgreSQL that `npm ci` brought on a data directory, which is created when it is missing and kept
 * afterwards. A server that an earlier, killed run left on it is stopped first.
 * Throws when the server does not come up, with the end of its log.
 */
export async function startPostgres({
  data,
  preferredPort,
  settings = [],
}: {
  data: string;
  preferredPort: number;
  /** More of the server's own arguments; they win over ours. */
  settings?: readonly string[];
}): Promise<Postgres> {
  const place = await choosePlace(data);
  await stopLeftover(place.data);
  await initialise(place);
  return startOnFreePort(place, preferredPort, settings);
}

/** Two starts at the same time may find the same port free: the server that does not get it takes the next. */
async function startOnFreePort(
  place: Place,
  preferredPort: number,
  settings: readonly string[],
  triesLeft = 5,
): Promise<Postgres> {
  const port = await freePort(preferredPort);
  try {
    return await start(place, port, settings);
  } catch (error) {
    if (triesLeft === 0 || (await isFree(port))) throw error;
    return startOnFreePort(place, preferredPort, settings, triesLeft - 1);
  }
}

/** Data of a test is not worth a wait for the disk. */
const withoutWaiting: readonly string[] = ["-c", "fsync=off", "-c", "full_page_writes=off"];

/** Starts a PostgreSQL for one run of tests: temporary data, a free port, and, unless told, no waiting for the disk. */
export async function startTemporaryPostgres(settings = withoutWaiting): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), "namedex-postgres-"));
  await chmod(folder, 0o755);
  const place = await choosePlace(join(folder, "data"));
  await initialise(place);
  const server = await start(place, await freePort(), settings);
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...server, stop };
}

/** Connection string of a database of this server; creates it, fit for Namedex, when it is not there yet. */
export async function openDatabase(serverUrl: string, name: string): Promise<string> {
  await run(serverUrl, `CREATE DATABASE ${quoted(name)}`).catch(ignoreDuplicate);
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  await prepareDatabase(url);
  return url;
}

/** The same, after dropping the database with all that it held and all who use it. */
export async function openFreshDatabase(serverUrl: string, name: string): Promise<string> {
  await dropDatabase(serverUrl, name);
  return openDatabase(serverUrl, name);
}

/** Drops a database of this server with all that it holds and all who use it, if there is one. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  // PostgreSQL waits five seconds for sessions it ended: on a busy machine some need longer.
  for (const deadline = Date.now() + DROP_TIMEOUT_MS; ; ) {
    try {
      await run(serverUrl, `DROP DATABASE IF EXISTS ${quoted(name)} WITH (FORCE)`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== OBJECT_IN_USE || Date.now() > deadline) throw error;
    }
  }
}

async function stopLeftover(data: string): Promise<void> {
  const pidFile = join(data, "postmaster.pid");
  const text = await readFile(pidFile, "utf8").catch(() => null); // A server that ends removes it.
  if (text === null) return;
  const [pid, directory] = text.split("\n");
  const mark = markProcess(Number(pid));
  if (mark && directory === data && isPostgres(mark.pid)) await endProcess(mark, "SIGINT", 10_000);
  await rm(pidFile, { force: true });
}

/** The number in an old pid file may belong to any program by now. Where there is no /proc, it is trusted. */
function isPostgres(pid: number): boolean {
  if (process.platform !== "linux") return true;
  return commandOf(pid) === "postgres";
}

/** Makes the data directory. It gets its name only when it is complete, so that a kill half way leaves no ruin. */
async function initialise({ data, programs, account }: Place): Promise<void> {
  if (existsSync(join(data, "PG_VERSION"))) return;
  const draft = `${data}.draft`;
  await rm(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  if (account) chmodSync(dirname(data), 0o755);
  if (account) chownSync(draft, account.uid, account.gid);
  const locale = process.platform === "darwin" ? "C" : "C.UTF-8";
  const initdb = join(programs, "bin", "initdb");
  const words = [
    "-D",
    draft,
    "-U",
    USER,
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale",
    locale,
    "--no-instructions",
  ];
  const collation = ["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--no-sync"];
  await promisify(execFile)(initdb, [...words, ...collation], { ...account, cwd: "/" });
  await rm(data, { recursive: true, force: true });
  await rename(draft, data);
}

async function start(place: Place, port: number, settings: readonly string[]): Promise<Postgres> {
  const server = spawnServer(place, port, settings);
  const url = `postgresql://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`;
  await untilReady(server, { url, place });
  return { url, data: place.data, pid: server.pid ?? 0, stop: () => endChild(server) };
}

function logFile(place: Place): string {
  return join(dirname(place.data), "postgres.log");
}

function spawnServer(place: Place, port: number, settings: readonly string[]): ChildProcess {
  const log = openSync(logFile(place), "w");
  const network = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="];
  // Without waiting for each commit a power cut may lose the last moments, but never what holds together.
  const limits = ["-c", "max_connections=300", "-c", "synchronous_commit=off"];
  const child = startChild({
    command: join(place.programs, "bin", "postgres"),
    args: ["-D", place.data, "-p", String(port), ...network, ...limits, ...settings],
    signal: "SIGINT",
    options: { ...place.account, cwd: "/", env: {}, stdio: ["ignore", log, log] },
  });
  closeSync(log);
  return child;
}

/** Another server may have the port by now: ours answers with its own data directory. */
async function untilReady(
  server: ChildProcess,
  { url, place }: { url: string; place: Place },
): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && server.exitCode === null && server.signalCode === null) {
    const found = await readDataDirectory(url).catch(() => null);
    if (found === place.data) return;
    if (found !== null) break;
    await sleep(50);
  }
  await endChild(server);
  const tail = (await readFile(logFile(place), "utf8")).split("\n").slice(-8).join("\n");
  throw new Error(`PostgreSQL did not start on ${new URL(url).host}:\n${tail}`);
}

function ignoreDuplicate(error: { code?: string }): void {
  if (error.code !== "42P04") throw error; // duplicate_database
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

async function readDataDirectory(url: string): Promise<string | undefined> {
  const { rows } = await run(url, "SHOW data_directory");
  return (rows[0] as { data_directory?: string } | undefined)?.data_directory;
}

async function run(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {}); // The server may go down while the connection is closing.
  await client.connect();
  return client.query(sql).finally(() => client.end());
}
