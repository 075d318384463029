import { type ChildProcess, spawn } from "node:child_process";
import { totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { changes } from "../../engine/changes/index.ts";
import { memoryFor, nodeFlags } from "../../engine/nodeFlags.ts";
import { readSettings, type Settings } from "../../settings/settings.ts";
import { prepareDatabase } from "../checks/database.ts";
import { requireNoHalfRestore } from "../checks/halfRestored.ts";
import { requireFreePort } from "../checks/port.ts";
import { checkLiveUrls, checkPayments, checkRpcUrls } from "../checks/rpc.ts";
import { lookAtUniversalResolver } from "../checks/universalResolver.ts";
import { runProgram } from "../commandLine/runProgram.ts";
import { keepViews } from "../release/keepViews.ts";
import { verifyEvery } from "./verifyEvery.ts";
import { describeStall, type Stall, watchIndexer } from "./watchdog.ts";

/** `start` runs the indexer and its API, `serve` the API alone. */
type Command = "start" | "serve";
type Environment = Record<string, string | undefined>;

/** Exit code of a process that its supervisor should start again. */
const START_AGAIN = 75;
/** Ponder ends within 5 seconds of a signal. One that does not is killed. */
const KILL_AFTER_MS = 10_000;

const accessNotes: Record<Settings["access"], string> = {
  open: "Access is open: the API answers every request that reaches the port, without limit. ACCESS=metered requires keys.",
  metered: "Access is metered: npm run keys -- create makes keys.",
};

/**
 * Runs Ponder until it ends, and passes signals on to it. Checks settings, database and nodes first: Ponder itself
 * reports what is wrong with them by stack traces.
 */
export async function runPonder(command: Command, env: Environment): Promise<void> {
  const frame = { env, failure: "Namedex cannot start.", hideIn: [process.stdout, process.stderr] };
  await runProgram(frame, async () => {
    const settings = readSettings(env);
    await checkBefore(command, settings);
    const note = await lookAtUniversalResolver(settings);
    if (note !== null) console.warn(note);
    console.log(accessNotes[settings.access]);
    const child = startPonder(command, settings, env);
    if (command === "start") {
      keepViewsOf(child, settings);
      verifyOften(child, settings, env);
    }
    passSignalsAndEnd(child, watchOf(command, settings));
    return {};
  });
}

async function checkBefore(command: Command, settings: Settings): Promise<void> {
  await requireFreePort(settings.port);
  const { host, port } = settings.metrics;
  await requireFreePort(port, { variable: "METRICS_PORT", host });
  if (command === "start") {
    await Promise.all([prepareDatabase(settings.databaseUrl), checkRpcUrls(settings)]);
    await requireNoHalfRestore(settings);
  }
  await Promise.all([checkLiveUrls(settings), checkPayments(settings)]);
}

function startPonder(command: Command, { schema, port }: Settings, env: Environment): ChildProcess {
  const program = fileURLToPath(new URL("./bin/ponder.js", import.meta.resolve("ponder")));
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const args = [program, command, "--root", root, "--schema", schema, "--port", String(port)];
  const memory = command === "start" ? memoryFor(memoryHere(), env) : { flags: [], env: {} };
  // keepViews makes the views in Ponder's place, so every change may be loaded.
  return spawn(process.execPath, [...nodeFlags(changes), ...memory.flags, ...process.execArgv, ...args], {
    stdio: "inherit",
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
function passSignalsAndEnd(child: ChildProcess, watch: Watch | null): void {
  let hasStalled = false;
  const stopWatching = watch?.((stall) => {
    hasStalled = true;
    console.error(describeStall(stall));
    child.kill("SIGINT");
    setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      stopWatching?.();
      child.kill("SIGINT");
    });
  }
  child.on("exit", (code) => process.exit(hasStalled ? START_AGAIN : (code ?? 1)));
}

/** Replicas have no right to create views. */
function keepViewsOf(child: ChildProcess, settings: Settings): void {
  const stop = keepViews({ ...settings, log: (line) => console.log(line) });
  child.on("exit", stop);
}

function verifyOften(child: ChildProcess, settings: Settings, env: Environment): void {
  const { verifyEverySeconds: everySeconds } = settings;
  if (everySeconds === null) return;
  const stop = verifyEvery({ ...settings, everySeconds, env, log: (line) => console.log(line) });
  child.on("exit", stop);
}

type Watch = (onStall: (stall: Stall) => void) => () => void;

/** Replicas index nothing, so nothing can stall. */
function watchOf(command: Command, settings: Settings): Watch | null {
  const { databaseUrl, schema, rpcUrls, metrics, watchdogSeconds } = settings;
  if (command === "serve" || watchdogSeconds === null) return null;
  return (onStall) =>
    watchIndexer({ databaseUrl, schema, rpcUrls, metrics, patienceSeconds: watchdogSeconds, onStall });
}
