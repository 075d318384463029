import { type ChildProcess, spawn } from "node:child_process";
import { totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { memoryFor } from "../../engine/memory.ts";
import { requirePatchedPonder } from "../../patches/applied.js";
import { readSettings, type Settings } from "../../settings/settings.ts";
import { prepareDatabase } from "../checks/database.ts";
import { requireNoHalfRestore } from "../checks/halfRestored.ts";
import { checkLogSources } from "../checks/logSource.ts";
import { requireNoOtherIndexer } from "../checks/otherIndexer.ts";
import { requireFreePort } from "../checks/port.ts";
import { requireRights } from "../checks/rights.ts";
import { checkLiveUrls, checkPayments, checkRpcUrls } from "../checks/rpc.ts";
import { requireServers } from "../checks/servers.ts";
import { lookAtUniversalResolver } from "../checks/universalResolver.ts";
import { TRY_AGAIN } from "../commandLine/exitCodes.ts";
import { runService } from "../commandLine/runService.ts";
import type { ProgramLog } from "../log/log.ts";
import { logOutput } from "../log/output.ts";
import { keepViews } from "../release/keepViews.ts";
import { compareSources } from "./compareSources.ts";
import { verifyEvery } from "./verifyEvery.ts";
import { describeStall, type Stall, watchIndexer } from "./watchdog.ts";

/** `start` runs the indexer and its API, `serve` the API alone. */
type Command = "start" | "serve";
type Environment = Record<string, string | undefined>;

const programs: Record<Command, string> = { start: "indexer", serve: "api" };

/** Ponder ends within 5 seconds of a signal. One that does not is killed. */
const KILL_AFTER_MS = 10_000;

const accessNotes: Record<Settings["access"], string> = {
  open: "Access is open: the API answers all requests, without limit. Set ACCESS=metered to require keys.",
  metered: "Access is metered. Create keys with: npm run keys -- create",
};

const SEPOLIA_NOTE =
  "ENS_NETWORK=sepolia covers ENSv1 only. The Universal Resolver of Sepolia answers from ENSv2: docs/ensv2.md says how to add it.";

/**
 * Runs Ponder until it ends, and passes signals on to it. Checks settings, database and nodes first: Ponder itself
 * reports what is wrong with them by stack traces.
 */
export async function runPonder(command: Command, env: Environment): Promise<void> {
  const frame = { env, program: programs[command], failure: "Namedex cannot start." };
  requirePatchedPonder();
  await runService(frame, async (_, log) => {
    const settings = readSettings(env);
    await checkBefore(command, settings, log);
    const note = await lookAtUniversalResolver(settings);
    if (note !== null) log.warn(note);
    if (settings.network === "sepolia") log.warn(SEPOLIA_NOTE);
    log.info(accessNotes[settings.access]);
    const child = startPonder(command, settings, env);
    logOutput(child, log);
    if (command === "start") {
      keepViewsOf(child, settings, log);
      verifyOften(child, { settings, env, log });
      child.on("exit", compareSources({ ...settings, log }));
    }
    passSignalsAndEnd(child, watchOf(command, settings), log);
  });
}

async function checkBefore(command: Command, settings: Settings, log: ProgramLog): Promise<void> {
  await requireFreePort(settings.port);
  const { host, port } = settings.metrics;
  await requireFreePort(port, { variable: "METRICS_PORT", host });
  await requireServers(command, settings);
  if (command === "start") {
    await Promise.all([prepareDatabase(settings.databaseUrl), checkRpcUrls(settings)]);
    await requireNoHalfRestore(settings);
    await requireNoOtherIndexer(settings, (line) => log.warn(line));
    for (const line of await checkLogSources(settings)) log.info(line);
  }
  await requireRights(command, settings);
  await Promise.all([checkLiveUrls(settings), checkPayments(settings)]);
}

function startPonder(command: Command, { schema, port }: Settings, env: Environment): ChildProcess {
  const program = fileURLToPath(new URL("./bin/ponder.js", import.meta.resolve("ponder")));
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const places = ["--root", root, "--schema", schema, "--port", String(port)];
  const args = [program, command, ...places, "--log-format", "json"];
  const memory = command === "start" ? memoryFor(memoryHere(), env) : { flags: [], env: {} };
  const endWithUs = new URL("./withParent.ts", import.meta.url).href;
  return spawn(process.execPath, ["--import", endWithUs, ...memory.flags, ...process.execArgv, ...args], {
    // The channel tells the child that we have ended, however we did (withParent.ts).
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...env, ...memory.env },
  });
}

/** Memory of the machine, or of the container if that has less. */
function memoryHere(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/**
 * Ponder releases its lock on the schema after SIGINT only, so every signal to stop is passed on as SIGINT: after
 * SIGTERM the next start would wait 25 seconds. Its exit code is ours: 75 means "start me again", 1 "do not".
 */
function passSignalsAndEnd(child: ChildProcess, watch: Watch | null, log: ProgramLog): void {
  let hasStalled = false;
  const stopWatching = watch?.((stall) => {
    hasStalled = true;
    log.error(describeStall(stall));
    child.kill("SIGINT");
    setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      stopWatching?.();
      child.kill("SIGINT");
    });
  }
  // Once all that it printed is read.
  child.on("close", (code, signal) => {
    if (signal !== null && !hasStalled) log.error(describeKill(signal));
    process.exit(hasStalled ? TRY_AGAIN : (code ?? TRY_AGAIN));
  });
}

/** V8 ends a process whose heap is full by SIGABRT; the system one for which it has no memory by SIGKILL. */
function describeKill(signal: NodeJS.Signals): string {
  const why = signal === "SIGKILL" || signal === "SIGABRT" ? ", usually because it ran out of memory" : "";
  return `The worker process was killed by ${signal}${why}. Exiting with code ${TRY_AGAIN} so that the supervisor restarts it.`;
}

/** Replicas have no right to create views. */
function keepViewsOf(child: ChildProcess, settings: Settings, log: ProgramLog): void {
  child.on("exit", keepViews({ ...settings, log }));
}

function verifyOften(
  child: ChildProcess,
  { settings, env, log }: { settings: Settings; env: Environment; log: ProgramLog },
): void {
  const { verifyEverySeconds: everySeconds } = settings;
  if (everySeconds === null) return;
  child.on("exit", verifyEvery({ ...settings, everySeconds, env, log }));
}

type Watch = (onStall: (stall: Stall) => void) => () => void;

/** Replicas index nothing, so nothing can stall. */
function watchOf(command: Command, settings: Settings): Watch | null {
  const { databaseUrl, schema, rpcUrls, metrics, watchdogSeconds } = settings;
  if (command === "serve" || watchdogSeconds === null) return null;
  return (onStall) =>
    watchIndexer({ databaseUrl, schema, rpcUrls, metrics, patienceSeconds: watchdogSeconds, onStall });
}
